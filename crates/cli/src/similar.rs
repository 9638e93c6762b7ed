//! Suggestions for names that do not exist.

/// How similar a suggestion must be. With clap's 0.7, `mojo` would be suggested for `foo`.
const SIMILAR: f64 = 0.75;

/// The name in `names` that is most similar to `typed`, if one is similar: `hidden` for `hiden`.
pub(crate) fn similar<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let similarities = names.map(|name| (strsim::jaro(typed, name), name));
    let (_, name) = similarities
        .filter(|(similarity, _)| *similarity > SIMILAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_most_similar_name_is_suggested() {
        let similar = |typed| super::similar(typed, ["hidden", "heading", "ignore"].into_iter());
        assert_eq!(similar("hiden").as_deref(), Some("hidden"));
        assert_eq!(similar("-ignor").as_deref(), Some("ignore"));
        assert_eq!(similar("q"), None);
        assert_eq!(super::similar("foo", ["mojo", "go"].into_iter()), None);
        assert_eq!(similar(""), None);
    }
}
