//! Standard input, named pipes and whatever else gives its bytes only once, read as a stream.

#[cfg(any(not(unix), test))]
mod blocking;
#[cfg(unix)]
mod polled;

#[cfg(not(unix))]
pub(crate) use blocking::Blocking as Pipe;
#[cfg(unix)]
pub(crate) use polled::Polled as Pipe;
