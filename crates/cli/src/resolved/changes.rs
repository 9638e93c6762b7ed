//! Which files and lines have changed: `--changed` and `--changed-lines`.

use std::{io, ops::Range, sync::Arc};

use heist_filter::{Changes, ChangesConfig};
use heist_searcher::{LineRules, Surroundings};
use heist_walk::WalkConfig;

use super::walk;
use crate::{run::here::Here, typed::TypedArgs};

/// What knows the changes in the directories of `walk`; `None` if no flag is about them.
pub(super) fn resolve(typed: &TypedArgs, walk: &WalkConfig, here: &Here) -> Option<Arc<Changes>> {
    if typed.changed.is_none() && !typed.changed_lines {
        return None;
    }
    Some(Arc::new(Changes::new(ChangesConfig {
        since: typed.changed.clone().filter(|since| !since.is_empty()),
        has_lines: typed.changed_lines,
        cwd: here.cwd.clone(),
        roots: walk::known_roots(walk),
    })))
}

/// These surroundings, in a search of nothing but the lines that were added.
pub(super) fn only_added(
    changes: &Arc<Changes>,
    around: Option<Arc<Surroundings>>,
) -> Arc<Surroundings> {
    let around = around.map(Arc::unwrap_or_clone).unwrap_or_default();
    let lines: Arc<dyn LineRules> = Arc::new(Added(Arc::clone(changes)));
    Arc::new(Surroundings { lines: Some(lines), ..around })
}

/// The lines that were added to each file.
#[derive(Debug)]
struct Added(Arc<Changes>);

impl LineRules for Added {
    fn lines_of(&self, path: &[u8]) -> io::Result<Option<Arc<[Range<u64>]>>> {
        self.0.added_lines(path)
    }
}
