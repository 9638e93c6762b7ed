//! From the patterns as typed to expressions that a search can use.

#[cfg(feature = "accents")]
pub(crate) mod accents;
pub(crate) mod ascii_hir;
pub(crate) mod group_names;
pub(crate) mod line_safe;
pub(crate) mod over_approx;
pub(crate) mod parse;
#[cfg(feature = "pcre2")]
pub(crate) mod pcre2;
#[cfg(feature = "pcre2")]
pub(crate) mod pcre2_outline;
#[cfg(feature = "pcre2")]
mod pcre2_text;
pub(crate) mod smart_case;
