//! Hyperlinks to printed paths: their format, and the values that depend on this host.

use bstr::ByteSlice;
use heist_filter::path_bytes::{bytes_of, path_of};
use heist_printer::Hyperlink;

use super::hostname::hostname;
use crate::{
    here::Here,
    sys::{absolute, url_path},
    typed::TypedArgs,
};

/// The hyperlinks; `None` if their format is empty. The host name is looked up only if links use
/// it.
pub(crate) fn hyperlink(typed: &TypedArgs, here: &Here) -> Option<Hyperlink> {
    let format = typed.hyperlink_format.clone();
    if format.is_empty() {
        return None;
    }
    let host = format.names_host().then(|| hostname(typed.hostname_bin.as_deref())).flatten();
    let distribution = (here.variable)("WSL_DISTRO_NAME").and_then(|name| name.into_string().ok());
    Some(Hyperlink {
        format,
        host: host.unwrap_or_default(),
        wsl_prefix: distribution.map(|name| format!("wsl$/{name}")).unwrap_or_default(),
        locate,
    })
}

/// The absolute path of `path`; `None` for standard input and other names that are no path.
fn locate(path: &[u8]) -> Option<Vec<u8>> {
    let located = absolute(&path_of(path)).map_err(|error| {
        log::debug!("{}: cannot be linked: {error}", path.as_bstr());
    });
    Some(url_path(bytes_of(&located.ok()?).into_owned()))
}
