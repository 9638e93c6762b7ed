//! Roots that become known during the walk, such as lines from a pipe.

use std::{fmt, io, ops::ControlFlow, path::PathBuf};

/// A source of roots that a walk reads while it visits those before.
///
/// One worker at a time takes roots, and visits them itself; another one takes the next ones
/// meanwhile.
pub trait RootSource: Send + Sync + fmt::Debug {
    /// Appends the next roots to `into`: a few, so that several workers get some. Calls
    /// `before_wait` before it may have to wait for them, and returns what that returns if it is
    /// `Break`. `Break` without roots means that there are no more.
    ///
    /// # Errors
    /// The source's path, and why the rest cannot be read.
    fn take(
        &self,
        into: &mut Vec<PathBuf>,
        before_wait: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, (PathBuf, io::Error)>;
}
