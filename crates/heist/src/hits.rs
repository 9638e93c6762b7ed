//! The iterator over the hits of a search.

use crate::{Error, OwnedHit, Search, stream::Stream};

/// The hits of a [`Search`], as an iterator. Dropping it ends the search.
///
/// The search runs in threads of its own, at most 1024 hits and 1 MiB per thread ahead of the
/// reader, who gets the hits of a file one after the other. A path that could not be read is an
/// `Err` behind all hits; an `Err` that kept the search from starting is the only item. A panic of
/// the search reaches the caller, as does that of the standard library if the system refuses a
/// thread. The iterator ends alike after a search that was cancelled; [`Search::run`] returns
/// whether a search was complete.
///
/// ```
/// use heist::Search;
///
/// let hits = Search::new(r"pub struct (\w+)")?.root("src").into_iter();
/// let first = hits.flatten().next().expect("this crate has structs");
/// assert!(first.text().contains("pub struct"));
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Debug)]
pub struct Hits {
    stream: Stream<OwnedHit>,
}

impl Iterator for Hits {
    type Item = Result<OwnedHit, Error>;

    fn next(&mut self) -> Option<Result<OwnedHit, Error>> {
        self.stream.next()
    }
}

impl IntoIterator for Search {
    type Item = Result<OwnedHit, Error>;
    type IntoIter = Hits;

    fn into_iter(self) -> Hits {
        let stream = Stream::new(move |token, sender| {
            let summary = self.cancel(&token).run(|hit| sender.send(hit.to_owned_hit()))?;
            Ok(summary.errors)
        });
        Hits { stream }
    }
}
