//! Suggestions for names that do not exist.

use clap::{
    Arg, Command,
    builder::PossibleValuesParser,
    error::{ContextKind, ContextValue},
};

/// The name that clap suggests for `typed`, if one of `names` is similar: `hidden` for `hiden`.
pub(crate) fn similar<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names = PossibleValuesParser::new(names.map(str::to_owned));
    let name = Arg::new("name").value_parser(names).allow_hyphen_values(true);
    let command = Command::new("hs").no_binary_name(true).arg(name);
    let error = command.try_get_matches_from([typed]).err()?;
    match error.get(ContextKind::SuggestedValue)? {
        ContextValue::String(name) => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_most_similar_name_is_suggested() {
        let similar = |typed| super::similar(typed, ["hidden", "heading", "ignore"].into_iter());
        assert_eq!(similar("hiden").as_deref(), Some("hidden"));
        assert_eq!(similar("-ignor").as_deref(), Some("ignore"));
        assert_eq!(similar("q"), None);
        assert_eq!(similar(""), None);
    }
}
