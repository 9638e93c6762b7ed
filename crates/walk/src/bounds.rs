//! The directories that links must not lead out of, in a walk of untrusted trees.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use crate::config::Root;

/// The roots of a walk, without links.
#[derive(Debug, Default)]
pub(crate) struct Bounds(RwLock<Vec<PathBuf>>);

impl Bounds {
    /// The bounds of a walk with these roots.
    pub(crate) fn new(roots: &[Root]) -> Bounds {
        let bounds = Bounds::default();
        for root in roots {
            match root {
                Root::Path(path) => bounds.add(path),
                Root::Here => bounds.add(Path::new(".")),
                Root::Stdin => {}
            }
        }
        bounds
    }

    /// Adds a root that was not known at the start. One that cannot be reached by its path adds
    /// nothing, so that no link below it is followed.
    pub(crate) fn add(&self, root: &Path) {
        if let Ok(root) = fs::canonicalize(root) {
            // No code panics while the lock is held.
            self.0.write().unwrap_or_else(PoisonError::into_inner).push(root);
        }
    }

    /// Returns whether `path` leads to a file outside of all roots. A path that leads nowhere does
    /// not: opening it reports why.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        let Ok(target) = fs::canonicalize(path) else { return false };
        let roots = self.0.read().unwrap_or_else(PoisonError::into_inner);
        !roots.iter().any(|root| target.starts_with(root))
    }
}
