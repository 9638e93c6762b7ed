//! No memory maps: every file is read.

use std::fs::File;

/// A map, which cannot exist here.
#[derive(Debug)]
pub(super) enum Mapping {}

impl Mapping {
    pub(super) fn of(_: &File) -> Option<Mapping> {
        None
    }

    pub(super) fn len(&self) -> usize {
        match *self {}
    }

    pub(super) fn copy(&self, _: usize, _: &mut [u8]) -> usize {
        match *self {}
    }
}
