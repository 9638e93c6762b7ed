//! What a closure may return.

use std::ops::ControlFlow;

/// The result of a closure that receives entries or hits: `()` continues, and
/// [`ControlFlow::Break`] ends the run.
///
/// ```
/// use std::ops::ControlFlow;
/// use heist::Search;
///
/// let mut first = None;
/// Search::new("fn")?.root("src").sorted().run(|hit| {
///     first = Some(hit.path().to_path_buf());
///     ControlFlow::Break(())
/// })?;
/// assert!(first.is_some());
/// # Ok::<(), heist::Error>(())
/// ```
pub trait IntoFlow {
    /// The decision.
    fn into_flow(self) -> ControlFlow<()>;
}

impl IntoFlow for () {
    fn into_flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl IntoFlow for ControlFlow<()> {
    fn into_flow(self) -> ControlFlow<()> {
        self
    }
}
