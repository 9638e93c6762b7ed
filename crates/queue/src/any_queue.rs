//! A backend that is chosen when it is built, as the policy of [`AnyPolicy`](crate::AnyPolicy) is:
//! one crew for all backends, in place of one for each.

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::backends::{Deque, Stack};
use crate::config::QueueConfig;
use crate::lab::{
    Biased, Bwos, Channel, ChaseLev, Injector, Sharded, ShardedLifo, St3Fifo, St3Lifo,
};
use crate::names::QueueKind;

/// Defines the backend; each argument is a kind, and the type with the same name.
macro_rules! any_queue {
    ($($kind:ident),+) => {
        enum Shared<T: Send> {
            $($kind($kind<T>),)+
        }

        enum End<T: Send> {
            $($kind(<$kind<T> as Backend<T>>::Worker),)+
        }

        impl<T: Send> Backend<T> for AnyQueue<T> {
            type Worker = AnyEnd<T>;

            const NAME: &'static str = "any";
            const ORDER: Option<PopOrder> = None;
            const MAX_HIDDEN: usize = max_hidden(&[$(<$kind<T> as Backend<T>>::MAX_HIDDEN),+]);

            fn build(workers: usize, cfg: &QueueConfig) -> (AnyQueue<T>, Vec<AnyEnd<T>>) {
                match cfg.kind {
                    $(QueueKind::$kind => {
                        let (shared, ends) = $kind::build(workers, cfg);
                        let ends = ends.into_iter().map(|end| AnyEnd(End::$kind(end)));
                        (AnyQueue(Shared::$kind(shared)), ends.collect())
                    })+
                }
            }

            fn inject(&self, batch: &mut Vec<T>) {
                match &self.0 {
                    $(Shared::$kind(queue) => queue.inject(batch),)+
                }
            }

            fn is_empty(&self) -> bool {
                match &self.0 {
                    $(Shared::$kind(queue) => queue.is_empty(),)+
                }
            }

            fn backlog(&self) -> usize {
                match &self.0 {
                    $(Shared::$kind(queue) => queue.backlog(),)+
                }
            }
        }

        impl<T: Send> WorkerQueue<T> for AnyEnd<T> {
            fn push(&mut self, item: T) {
                match &mut self.0 {
                    $(End::$kind(end) => end.push(item),)+
                }
            }

            fn push_batch(&mut self, batch: &mut Vec<T>) {
                match &mut self.0 {
                    $(End::$kind(end) => end.push_batch(batch),)+
                }
            }

            fn pop(&mut self) -> Option<T> {
                match &mut self.0 {
                    $(End::$kind(end) => end.pop(),)+
                }
            }

            fn steal(&mut self, req: StealRequest) -> Steal<T> {
                match &mut self.0 {
                    $(End::$kind(end) => end.steal(req),)+
                }
            }

            fn surplus(&self) -> usize {
                match &self.0 {
                    $(End::$kind(end) => end.surplus(),)+
                }
            }

            fn expose(&mut self) -> bool {
                match &mut self.0 {
                    $(End::$kind(end) => end.expose(),)+
                }
            }

            fn overflowed(&self) -> u64 {
                match &self.0 {
                    $(End::$kind(end) => end.overflowed(),)+
                }
            }
        }
    };
}

any_queue!(
    Deque,
    ChaseLev,
    Stack,
    Sharded,
    ShardedLifo,
    St3Lifo,
    St3Fifo,
    Channel,
    Biased,
    Injector,
    Bwos
);

/// The largest of these numbers of hidden items.
const fn max_hidden(numbers: &[usize]) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < numbers.len() {
        if numbers[i] > most {
            most = numbers[i];
        }
        i += 1;
    }
    most
}

/// The backend that [`QueueConfig::kind`] names. Each of its operations begins with a branch that
/// is always predicted.
///
/// ```
/// use heist_queue::{AnyQueue, Backend, QueueConfig, QueueKind, WorkerQueue};
///
/// let cfg = QueueConfig { kind: QueueKind::Sharded, ..QueueConfig::default() };
/// let (_queue, mut ends) = AnyQueue::build(1, &cfg);
/// ends[0].push_batch(&mut vec!["first", "second"]);
/// assert_eq!(ends[0].pop(), Some("first"));
/// ```
pub struct AnyQueue<T: Send>(Shared<T>);

/// One worker's end of an [`AnyQueue`].
pub struct AnyEnd<T: Send>(End<T>);
