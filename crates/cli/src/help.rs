//! Help and version, out of the flags' records.

use crate::typed::EarlyMode;

/// The text that `mode` asks for.
pub(crate) fn early(mode: EarlyMode) -> String {
    match mode {
        EarlyMode::ShortHelp | EarlyMode::LongHelp => String::new(),
        EarlyMode::ShortVersion | EarlyMode::LongVersion => {
            format!("hs {}\n", env!("CARGO_PKG_VERSION"))
        }
    }
}
