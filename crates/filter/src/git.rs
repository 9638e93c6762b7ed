//! What git keeps outside the tree and applies to ignore rules: a repository's `info/exclude` and
//! `config`, the user's configuration, and the excludes file that they name; and to attributes.
//!
//! | file | holds |
//! |---|---|
//! | `checkout` | directories that are further worktrees, or submodules |
//! | `repository` | where a repository's own files are |
//! | `config_file` | the syntax of configurations, and the variables that matter |
//! | `environment` | the variables that the environment sets |
//! | `evaluation` | files in order, includes and their conditions |
//! | `user_config` | all configurations of a run, and of one repository |

mod checkout;
pub(crate) mod config_file;
pub(crate) mod environment;
mod evaluation;
mod repository;
mod user_config;

pub use self::{checkout::Checkout, evaluation::FunctionName};
pub(crate) use self::{
    repository::{ATTRIBUTES, EXCLUDE, read_in_repository},
    user_config::{OwnExcludes, UserConfig},
};

#[cfg(test)]
mod tests;
