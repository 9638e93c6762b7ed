//! Standard input, named pipes and other sources that can be read only once, as streams.

#[cfg(any(not(unix), test))]
mod blocking;
#[cfg(unix)]
mod polled;

#[cfg(not(unix))]
pub(crate) use blocking::Blocking as Pipe;
#[cfg(unix)]
pub(crate) use polled::Polled as Pipe;
