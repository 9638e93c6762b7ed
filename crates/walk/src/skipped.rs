//! Entries that a walk skips, and the reasons.

use std::{fmt, path::Path};

use heist_filter::Verdict;

/// Learns which entries a walk skips. See [`WalkConfig::on_skip`](crate::WalkConfig::on_skip).
///
/// ```
/// use std::{path::Path, sync::{Arc, Mutex}};
/// use heist_walk::{Filter, FilterConfig, Root, SkipObserver, SkipReason, WalkConfig};
/// # use std::ops::ControlFlow;
/// # use heist_walk::{Entry, Error, Helpers, Visitor};
/// # struct Nothing;
/// # impl Visitor for Nothing {
/// #     fn entry(&mut self, _: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
/// #         ControlFlow::Continue(())
/// #     }
/// #     fn error(&mut self, error: Error) { panic!("{error}") }
/// # }
///
/// #[derive(Debug, Default)]
/// struct Reasons(Mutex<Vec<String>>);
///
/// impl SkipObserver for Reasons {
///     fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
///         let name = path.file_name().unwrap_or_default().display();
///         self.0.lock().unwrap().push(format!("{name}: {why}"));
///     }
/// }
///
/// let temp = tempfile::tempdir()?;
/// std::fs::write(temp.path().join(".ignore"), "*.log\n")?;
/// std::fs::write(temp.path().join("build.log"), "")?;
/// let reasons = Arc::new(Reasons::default());
/// let config = WalkConfig {
///     roots: vec![Root::Path(temp.path().into())],
///     on_skip: Some(reasons.clone()),
///     ..WalkConfig::default()
/// };
/// let filter = Filter::new(FilterConfig::standard(temp.path()))?;
/// heist_walk::walk(&config, &filter, |_| Nothing)?;
/// let reasons = reasons.0.lock().unwrap();
/// assert!(reasons.contains(&".ignore: ignored: hidden".to_owned()));
/// assert!(reasons.iter().any(|reason| reason.ends_with(".ignore:1: *.log")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SkipObserver: fmt::Debug + Send + Sync {
    /// The walk skips the entry at `path`; a directory with all that is below it. Any worker may
    /// call this, several at a time.
    fn skipped(&self, path: &Path, why: &SkipReason<'_>);
}

/// Why a walk skips an entry.
///
/// Displays as a predicate about the entry, such as `ignored by .gitignore:3: *.o` or
/// `ignored: too deep`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason<'a> {
    /// A rule decided, or no rule selected the entry.
    Rules(Verdict<'a>),
    /// The system marks the entry as hidden.
    Hidden,
    /// Links are not followed.
    Link,
    /// Only links to files are followed, and this one leads to a directory.
    LinkToDir,
    /// The link leads out of the directories that are walked.
    LinkOut,
    /// The entry is a pipe, a socket or a device.
    NoRegularFile,
    /// The caller writes its output to the file.
    Output,
    /// The file has more bytes than wanted.
    TooLarge {
        /// How many bytes the file has.
        bytes: u64,
        /// How many it may have.
        max: u64,
    },
    /// The file has fewer bytes than wanted.
    TooSmall {
        /// How many bytes the file has.
        bytes: u64,
        /// How many it must have.
        min: u64,
    },
    /// The file was modified too long ago.
    TooOld,
    /// The file was modified too recently.
    TooNew,
    /// The file has not changed. See [`WalkConfig::changes`](crate::WalkConfig::changes).
    Unchanged,
    /// Whether the file has changed is not known, for a reason that has been reported.
    UnknownChanges,
    /// The file belongs to another part of the tree. See
    /// [`WalkConfig::shard`](crate::WalkConfig::shard).
    OtherShard,
    /// The file is visited under another path.
    Repeated,
    /// The directory's entries are deeper than wanted.
    TooDeep,
    /// The directory is on another file system than its root.
    OtherFileSystem,
    /// The directory is another worktree of a git repository that the walk meets anyway.
    OtherWorktree,
    /// The directory is a submodule of a git repository.
    Submodule,
}

impl fmt::Display for SkipReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::Rules(verdict) => return verdict.fmt(f),
            SkipReason::TooLarge { bytes, max } => {
                return write!(f, "ignored: {bytes} bytes, more than {max}");
            }
            SkipReason::TooSmall { bytes, min } => {
                return write!(f, "ignored: {bytes} bytes, less than {min}");
            }
            SkipReason::Hidden => "ignored: hidden",
            SkipReason::Link => "ignored: symbolic link",
            SkipReason::LinkToDir => "ignored: symbolic link to a directory",
            SkipReason::LinkOut => "ignored: symbolic link out of the searched directories",
            SkipReason::NoRegularFile => "ignored: no regular file",
            SkipReason::Output => "ignored: output is written to it",
            SkipReason::TooOld => "ignored: modified before the time of --newer",
            SkipReason::TooNew => "ignored: not modified before the time of --older",
            SkipReason::Unchanged => "ignored: git sees no change in it",
            SkipReason::UnknownChanges => "ignored: its changes are not known",
            SkipReason::OtherShard => "ignored: in another part of --shard",
            SkipReason::Repeated => "ignored: visited under another path",
            SkipReason::TooDeep => "ignored: too deep",
            SkipReason::OtherFileSystem => "ignored: on another file system",
            SkipReason::OtherWorktree => "ignored: another worktree of this repository",
            SkipReason::Submodule => "ignored: a submodule",
        })
    }
}
