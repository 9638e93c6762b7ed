//! Random choices that a seed repeats: [`fastrand`]'s generator with two more methods, and the
//! variables that seed it.

use std::env;

pub(crate) use fastrand::Rng;

/// Choices that the tests make often.
pub(crate) trait Choose {
    /// True in `percent` of a hundred calls.
    fn chance(&mut self, percent: u32) -> bool;

    /// One of `from`.
    fn pick<T: Copy>(&mut self, from: &[T]) -> T;
}

impl Choose for Rng {
    fn chance(&mut self, percent: u32) -> bool {
        self.u32(..100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.usize(..from.len())]
    }
}

/// The number in the environment variable `name`, or `default` if it is not set.
pub(crate) fn env_number(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")),
        Err(_) => default,
    }
}
