//! Gives each hit the lines around it.

use std::{collections::VecDeque, ops::ControlFlow, path::Path, sync::Arc};

use crate::{Hit, HitKind, OwnedHit};

/// A hit with the lines around it, which [`Batches`](crate::Batches) yields.
///
/// The lines are those that [`Search::context`](crate::Search::context) requests. A line that
/// matches too is among them, and a line near two hits is with both.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HitInContext {
    /// The hit.
    pub hit: OwnedHit,
    /// The lines before it, in the order of the file.
    pub before: Vec<OwnedHit>,
    /// The lines behind it.
    pub after: Vec<OwnedHit>,
}

impl HitInContext {
    /// The bytes of all lines.
    pub(crate) fn len(&self) -> usize {
        let lines = self.before.iter().chain(&self.after).chain([&self.hit]);
        lines.map(|line| line.bytes.len() + size_of::<OwnedHit>()).sum()
    }
}

/// Collects the lines around the hits of one file after the other.
#[derive(Debug)]
pub(crate) struct LinesAround {
    lines_before: usize,
    lines_after: usize,
    path: Option<Arc<Path>>,
    /// The number of the line that follows the last one.
    next_number: u64,
    /// The last lines.
    recent: VecDeque<OwnedHit>,
    /// Hits that lack lines behind them.
    waiting: VecDeque<HitInContext>,
}

impl LinesAround {
    pub(crate) fn new(lines_before: usize, lines_after: usize) -> LinesAround {
        LinesAround {
            lines_before,
            lines_after,
            path: None,
            next_number: 0,
            recent: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Takes the next line, and passes on what is complete. A hit that is not `wanted` is only a
    /// line around others.
    pub(crate) fn push(
        &mut self,
        hit: &Hit<'_>,
        wanted: bool,
        emit: &mut impl FnMut(HitInContext) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_wanted = wanted && hit.kind() == HitKind::Match;
        if self.lines_before == 0 && self.lines_after == 0 {
            if is_wanted {
                return emit(alone(hit.to_owned_hit()));
            }
            return ControlFlow::Continue(());
        }
        let is_same = self.path.as_ref().is_some_and(|path| Arc::ptr_eq(path, hit.shared_path()));
        if !is_same || hit.line_number() != self.next_number {
            self.flush(emit)?;
            self.recent.clear();
            self.path = Some(Arc::clone(hit.shared_path()));
        }
        let line = hit.to_owned_hit();
        let further = line.bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.next_number = line.line_number + further + 1;
        for waiting in &mut self.waiting {
            if waiting.after.len() < self.lines_after {
                waiting.after.push(line.clone());
            }
        }
        while self.waiting.front().is_some_and(|first| first.after.len() == self.lines_after) {
            self.waiting.pop_front().map_or(ControlFlow::Continue(()), &mut *emit)?;
        }
        if is_wanted {
            let before = self.recent.iter().cloned().collect();
            let hit = HitInContext { before, ..alone(line.clone()) };
            if self.lines_after == 0 {
                emit(hit)?;
            } else {
                self.waiting.push_back(hit);
            }
        }
        if self.recent.len() >= self.lines_before {
            self.recent.pop_front();
        }
        if self.lines_before > 0 {
            self.recent.push_back(line);
        }
        ControlFlow::Continue(())
    }

    /// Passes on the hits that lack lines behind them: there are none.
    pub(crate) fn flush(
        &mut self,
        emit: &mut impl FnMut(HitInContext) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.waiting.drain(..).try_for_each(emit)
    }
}

fn alone(hit: OwnedHit) -> HitInContext {
    HitInContext { hit, before: Vec::new(), after: Vec::new() }
}
