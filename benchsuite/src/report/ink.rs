//! The colours of the report, by what they are for, in a light and a dark version.
//!
//! `page.css` declares them as variables, and drawings name these, so that one drawing serves both
//! schemes; a picture that is made from a drawing cannot read CSS and gets the light ones. Lines
//! and bars contrast with their background by at least 3 : 1, text by 4.5 : 1.

/// A drawing with the colours by light in place of their names.
pub(crate) fn by_light(drawing: &str) -> String {
    let [light, _] = declared();
    light.iter().fold(drawing.to_owned(), |drawing, (name, colour)| {
        drawing.replace(&format!("var(--{name})"), colour)
    })
}

/// Names and colours as the page declares them: by light, and in the dark.
fn declared() -> [Vec<(&'static str, &'static str)>; 2] {
    let css = include_str!("page.css");
    let mut schemes = css.lines().filter(|line| line.contains("--page:")).map(|line| {
        let (_, declarations) = line.split_once("--").expect("a variable");
        let declarations = declarations.trim_end_matches('}').split(";--");
        declarations.filter_map(|one| one.trim_end_matches(';').split_once(':')).collect()
    });
    std::array::from_fn(|_| schemes.next().expect("two schemes"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The contrast of two colours as the Web Content Accessibility Guidelines 2 define it.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |at: usize| {
                let byte = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
                let part = f64::from(byte) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn everything_can_be_seen_in_both_schemes() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        let texts = [("text", 4.5), ("muted", 4.5), ("bad", 4.5), ("accent", 4.5)];
        let inks: Vec<(&str, f64)> =
            texts.into_iter().chain([("floor", 3.0), ("axis", 3.0)]).collect();
        for colours in declared() {
            let colours: BTreeMap<&str, &str> = colours.into_iter().collect();
            assert_eq!(colours.len(), 11, "{colours:?}");
            for (ink, least) in &inks {
                for ground in ["page", "card", "shade"] {
                    let contrast = contrast(colours[ink], colours[ground]);
                    assert!(contrast >= *least, "{ink} on {ground}: {contrast}");
                }
            }
        }
    }
}
