//! What a run in threads of its own finds, received one by one.

use std::{
    ops::ControlFlow,
    panic::resume_unwind,
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{self, JoinHandle},
};

use crate::{CancelToken, Error};

/// Items that a run may be ahead of its reader.
const MAX_AHEAD: usize = 1024;

/// Receives what a run finds. Dropping it ends the run.
#[derive(Debug)]
pub(crate) struct Stream<T> {
    items: Receiver<Result<T, Error>>,
    /// The run, until it was joined.
    run: Option<JoinHandle<()>>,
    token: CancelToken,
}

/// Sends what a run finds.
pub(crate) struct Sender<T>(SyncSender<Result<T, Error>>);

impl<T> Sender<T> {
    /// Sends an item, once the reader is near enough. `Break` if the stream was dropped.
    pub(crate) fn send(&self, item: T) -> ControlFlow<()> {
        self.0.send(Ok(item)).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }
}

impl<T: Send + 'static> Stream<T> {
    /// Starts `run`, which is to end when the token is cancelled. What it sends is received; it
    /// returns what is left to report.
    pub(crate) fn new(
        run: impl FnOnce(CancelToken, &Sender<T>) -> Result<Vec<Error>, Error> + Send + 'static,
    ) -> Stream<T> {
        let (sender, items) = mpsc::sync_channel(MAX_AHEAD);
        let sender = Sender(sender);
        let token = CancelToken::new();
        let run = thread::spawn({
            let token = token.clone();
            move || {
                let errors = run(token, &sender).unwrap_or_else(|error| vec![error]);
                errors.into_iter().map(Err).try_for_each(|error| sender.0.send(error).ok());
            }
        });
        Stream { items, run: Some(run), token }
    }

    /// The next item; `None` once the run is over. A panic of the run reaches the caller.
    pub(crate) fn next(&mut self) -> Option<Result<T, Error>> {
        let item = self.items.recv().ok();
        if item.is_none()
            && let Some(Err(payload)) = self.run.take().map(JoinHandle::join)
        {
            resume_unwind(payload);
        }
        item
    }
}

impl<T> Drop for Stream<T> {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        time::Duration,
    };

    use super::*;

    #[test]
    fn a_panic_of_the_run_reaches_the_reader() {
        let mut stream = Stream::<()>::new(|_, _| panic!("the walk fails"));
        let next = catch_unwind(AssertUnwindSafe(|| stream.next().is_none()));
        let payload = next.expect_err("it is no ordinary end");
        assert_eq!(payload.downcast_ref(), Some(&"the walk fails"));
        assert!(stream.next().is_none(), "afterwards there is nothing");
    }

    #[test]
    fn dropping_the_stream_ends_a_run_that_sends_nothing() {
        let (ended, is_ended) = mpsc::channel();
        let stream = Stream::<()>::new(move |token, _| {
            while !token.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            ended.send(()).unwrap();
            Ok(Vec::new())
        });
        drop(stream);
        assert_eq!(is_ended.recv_timeout(Duration::from_secs(60)), Ok(()));
    }
}
