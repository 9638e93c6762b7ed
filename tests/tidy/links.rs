//! Links between the documents lead to files and headings that exist.

use std::path::{Component, Path, PathBuf};

use crate::{File, check, files, outside_code_blocks, top};

#[test]
fn links_lead_to_files_and_headings() {
    let pages: Vec<_> = files().into_iter().filter(|file| file.name.ends_with(".md")).collect();
    let mut faults = Vec::new();
    for page in &pages {
        for link in links(&page.text) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.name.clone() } else { beside(page, path) };
            let exists = match pages.iter().find(|page| page.name == target) {
                Some(target) => heading.is_empty() || anchors(&target.text).any(|a| a == heading),
                None => top().join(&target).exists(),
            };
            if !exists {
                faults.push(format!("{}: nothing is at `{link}`", page.name));
            }
        }
    }
    check(faults);
}

#[test]
fn links_and_anchors_are_those_of_markdown() {
    let text =
        "[a](b.md#c) `[d](e)` [f](https://g)\n```\n[h](i)\n## j\n```\n![k](l.svg)\n## M n: `O`\n";
    assert_eq!(links(text), ["b.md#c", "l.svg"]);
    assert_eq!(anchors(text).collect::<Vec<_>>(), ["m-n-o"]);
}

/// The relative targets of links in `text`, without those in code.
fn links(text: &str) -> Vec<String> {
    let outside_code = outside_code_blocks(text).flat_map(|part| part.split('`').step_by(2));
    // The text of a link can have code in it: "[`a`](b)" leaves "[", "](b)".
    let targets = outside_code.flat_map(|part| part.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets.filter(|target| !target.contains("://")).map(str::to_string).collect()
}

/// The names by which a link reaches the headings in `text`. `## On Windows: hs` has
/// `on-windows-hs`.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let lines = outside_code_blocks(text).flat_map(str::lines);
    let headings =
        lines.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    headings.map(|heading| {
        let words = heading.trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// The name of the file to which `path` leads from `page`.
fn beside(page: &File, path: &str) -> String {
    let dir = Path::new(&page.name).parent().unwrap_or(Path::new(""));
    let mut place = PathBuf::new();
    for component in dir.join(path).components() {
        if component == Component::ParentDir {
            place.pop();
        } else {
            place.push(component);
        }
    }
    place.to_string_lossy().into_owned()
}
