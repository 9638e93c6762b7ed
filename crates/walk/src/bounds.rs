//! The directories that links must not lead out of, in a walk through untrusted trees.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use heist_filter::leads_out;

use crate::config::Root;

/// A walk's roots, without links.
#[derive(Debug, Default)]
pub(crate) struct Bounds(RwLock<Vec<PathBuf>>);

impl Bounds {
    /// The bounds for a walk with these roots.
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

    /// Returns whether `path` leads to a file outside all roots, or may do so. A path that leads
    /// nowhere does not.
    ///
    /// The walk opens names in open directories. So it reaches files at paths that the system does
    /// not follow, because they are too long or pass too many links.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        leads_out(path, |target| {
            let roots = self.0.read().unwrap_or_else(PoisonError::into_inner);
            roots.iter().any(|root| target.starts_with(root))
        })
    }
}
