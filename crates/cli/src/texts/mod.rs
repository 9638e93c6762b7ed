//! What the program prints about itself: help, completions, messages.
//!
//! | module | purpose |
//! |---|---|
//! | `help` | `-h`, `--help`, `-V`, `--version`, out of the flags; `--type-list` |
//! | `generate` | the man page and completions, out of the flags |
//! | `name` | the name that the program was started by |
//! | `messages` | errors and debug lines on standard error |
//! | `hints` | what may be wrong where nothing was found, or where standard input gives nothing |
//! | `refusal` | the message for patterns that cannot be compiled |

pub(crate) mod generate;
pub(crate) mod help;
pub(crate) mod hints;
pub(crate) mod messages;
pub(crate) mod name;
pub(crate) mod refusal;
