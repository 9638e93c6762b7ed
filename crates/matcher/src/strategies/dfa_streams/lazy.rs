//! The automaton, which is built when it is worth it.

use std::sync::OnceLock;

use regex_syntax::hir::Hir;

use super::automaton::Automaton;

/// Bytes that the engine searches for a worker before the automaton is built. That takes 0.2 ms, in
/// which the engine searches 100 KB.
const ENOUGH: usize = 256 << 10;

/// The automaton of all workers, built when one has enough text to search.
#[derive(Debug)]
pub(super) struct Lazy {
    hir: Hir,
    terminator: u8,
    automaton: OnceLock<Option<Automaton>>,
}

impl Lazy {
    pub(super) fn new(hir: Hir, terminator: u8) -> Lazy {
        Lazy { hir, terminator, automaton: OnceLock::new() }
    }

    /// The automaton for a worker that has `left` so many bytes to the engine, which has searched
    /// them, if it is worth it and not too large.
    pub(super) fn get(&self, left: usize) -> Option<&Automaton> {
        if left < ENOUGH {
            return self.automaton.get()?.as_ref();
        }
        self.automaton()
    }

    #[cfg(test)]
    pub(super) fn is_built(&self) -> bool {
        self.automaton.get().is_some()
    }

    /// The automaton, unless it would be too large.
    pub(super) fn automaton(&self) -> Option<&Automaton> {
        self.automaton.get_or_init(|| Automaton::new(&self.hir, self.terminator)).as_ref()
    }
}
