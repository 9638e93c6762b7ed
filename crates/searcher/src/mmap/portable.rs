//! No memory maps: every file is read.

use std::fs::File;

/// A map, which cannot exist here.
#[derive(Debug)]
pub(crate) enum Mapping {}

impl Mapping {
    pub(crate) fn of(_: &File) -> Option<Mapping> {
        None
    }

    pub(crate) fn of_part(_: &File, _: u64, _: usize) -> Option<Mapping> {
        None
    }

    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn copy(&self, _: usize, _: &mut [u8]) -> usize {
        match *self {}
    }

    pub(crate) fn guarded(&self, _: impl FnOnce(*const u8)) -> usize {
        match *self {}
    }
}
