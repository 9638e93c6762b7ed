//! The entry of a directory whose fate is to be explained.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// The reason for which one entry is left out, once it is known.
#[derive(Debug, Default)]
pub(crate) struct Watched(Mutex<(Vec<u8>, Option<String>)>);

impl Watched {
    /// Sets the name of the entry.
    pub(crate) fn watch(&self, name: &[u8]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_vec(), None);
    }

    /// Notes the reason for which `name` is left out, if that is the entry.
    pub(crate) fn note(&self, name: &[u8], why: &dyn fmt::Display) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.0 == name {
            watched.1 = Some(why.to_string());
        }
    }

    /// Takes the reason.
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.take()
    }
}
