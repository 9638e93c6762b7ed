//! The class of a file, by its path. The rules are in `classes.txt`.

use std::{collections::HashMap, sync::OnceLock};

use bstr::ByteSlice;

/// The rules.
const CLASS_RULES: &str = include_str!("classes.txt");

/// What a file is for, the most likely to be wanted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileClass {
    /// Programs, and all that is in no other class.
    Code,
    /// Tests, benchmarks and examples.
    Tests,
    /// Texts for people, and their translations.
    Documentation,
    /// What programs wrote, and copies of other projects.
    Generated,
}

impl FileClass {
    /// The class that `classes.txt` calls `word`.
    fn named(word: &str) -> FileClass {
        match word {
            "tests" => FileClass::Tests,
            "documentation" => FileClass::Documentation,
            "generated" => FileClass::Generated,
            _ => unreachable!("classes.txt: {word}"),
        }
    }
}

/// The rules for files. If several classes have a rule for a file, the last one is the file's.
#[derive(Debug, Default)]
struct ClassRules {
    dirs: HashMap<&'static str, FileClass>,
    names: HashMap<&'static str, FileClass>,
    extensions: HashMap<&'static str, FileClass>,
    stems: HashMap<&'static str, FileClass>,
    begins: Vec<(&'static str, FileClass)>,
    ends: Vec<(&'static str, FileClass)>,
}

impl ClassRules {
    /// The rules in `classes.txt`.
    fn get() -> &'static ClassRules {
        static RULES: OnceLock<ClassRules> = OnceLock::new();
        RULES.get_or_init(|| {
            let mut rules = ClassRules::default();
            let lines =
                CLASS_RULES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            for line in lines {
                let mut words = line.split(' ');
                let class = FileClass::named(words.next().unwrap_or_default());
                match words.next().unwrap_or_default() {
                    "dirs" => rules.dirs.extend(words.map(|word| (word, class))),
                    "names" => rules.names.extend(words.map(|word| (word, class))),
                    "extensions" => rules.extensions.extend(words.map(|word| (word, class))),
                    "stems" => rules.stems.extend(words.map(|word| (word, class))),
                    "begins" => rules.begins.extend(words.map(|word| (word, class))),
                    "ends" => rules.ends.extend(words.map(|word| (word, class))),
                    kind => unreachable!("classes.txt: {kind}"),
                }
            }
            rules
        })
    }

    /// The class of the file `name`, whatever directories it is in.
    fn of_name(&self, name: &str) -> FileClass {
        let lower = name.to_ascii_lowercase();
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let known = |rules: &HashMap<_, _>, word: &str| rules.get(word).copied();
        let begins = self.begins.iter().filter(|(begin, _)| stem.starts_with(begin));
        let ends =
            self.ends.iter().filter(|(end, _)| stem.len() > end.len() && stem.ends_with(end));
        let first = lower.split('.').next().unwrap_or_default();
        [
            known(&self.names, &lower),
            known(&self.extensions, &extension.to_ascii_lowercase()),
            known(&self.stems, first),
            begins.map(|(_, class)| *class).max(),
            ends.map(|(_, class)| *class).max(),
        ]
        .into_iter()
        .flatten()
        .max()
        .unwrap_or(FileClass::Code)
    }
}

/// The class of the file at `path`, which is `depth` levels below the path that was named. Only the
/// levels below count: who names `vendor/gem` wants to see its code.
///
/// ```text
/// src/gem.c, 2             Code
/// tests/gem.c, 2           Tests
/// tests/README.md, 2       Documentation
/// vendor/gem/tests/a.c, 2  Tests
/// ```
pub(crate) fn class_of(path: &[u8], depth: usize) -> FileClass {
    let rules = ClassRules::get();
    let mut parts = path.rsplit(|&byte| byte == b'/' || byte == std::path::MAIN_SEPARATOR as u8);
    let name = parts.next().unwrap_or_default().to_str_lossy();
    let mut class = match &*name {
        // Build instructions, whatever their extension.
        "CMakeLists.txt" | "requirements.txt" => FileClass::Code,
        name => rules.of_name(name),
    };
    for dir in parts.take(depth.saturating_sub(1)) {
        let Ok(dir) = dir.to_str() else { continue };
        let known = match dir.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => rules.dirs.get(&*dir.to_ascii_lowercase()),
            false => rules.dirs.get(dir),
        };
        class = class.max(known.copied().unwrap_or(FileClass::Code));
    }
    class
}

#[cfg(test)]
mod tests {
    use super::{FileClass::*, *};

    #[test]
    fn paths_have_the_class_of_the_last_rule() {
        for (path, class) in [
            ("src/gem.c", Code),
            ("Makefile", Code),
            ("gem", Code),
            (".gitignore", Code),
            ("CMakeLists.txt", Code),
            ("Kconfig.debug", Code),
            ("src/latest.rs", Code),
            ("src/contest.rs", Code),
            ("src/vendors.rs", Code),
            ("config/settings.yaml", Code),
            ("package.json", Code),
            ("tests/gem.rs", Tests),
            ("Tests/gem.rs", Tests),
            ("src/gem_test.go", Tests),
            ("src/test_gem.py", Tests),
            ("src/GemTest.java", Tests),
            ("src/gem.spec.ts", Tests),
            ("lib/gem-test.js", Tests),
            ("tools/testing/selftests/gem.c", Tests),
            ("samples/bpf/gem.c", Tests),
            ("README", Documentation),
            ("README.de.md", Documentation),
            ("tests/README.md", Documentation),
            ("doc/gem.c", Documentation),
            ("Documentation/gem.rst", Documentation),
            ("man/gem.1", Documentation),
            ("src/locale/de/gem.json", Documentation),
            ("vendor/gem/README.md", Generated),
            ("web/node_modules/gem/index.js", Generated),
            ("web/gem.min.js", Generated),
            ("Cargo.lock", Generated),
            ("docs/package-lock.json", Generated),
            ("api/gem.pb.go", Generated),
            ("api/gem_pb2.py", Generated),
            ("api/zz_generated.deepcopy.go", Generated),
        ] {
            let depth = path.split('/').count();
            assert_eq!(class_of(path.as_bytes(), depth), class, "{path}");
        }
    }

    #[test]
    fn what_was_named_does_not_count() {
        assert_eq!(class_of(b"vendor/gem/src/a.c", 2), Code);
        assert_eq!(class_of(b"vendor/gem/tests/a.c", 2), Tests);
        assert_eq!(class_of(b"/home/docs/a.c", 0), Code);
        assert_eq!(class_of(b"docs/a.md", 0), Documentation);
        assert_eq!(class_of(b"\xff/docs\xff/a\xff.c", 3), Code);
    }

    #[test]
    fn no_rule_is_given_twice() {
        let mut rules: Vec<_> = CLASS_RULES
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(|line| {
                let mut words = line.split(' ');
                let (_, kind) = (words.next(), words.next());
                words.map(move |word| (kind, word))
            })
            .collect();
        let count = rules.len();
        rules.sort_unstable();
        rules.dedup();
        assert_eq!(rules.len(), count);
        for (kind, word) in rules {
            let is_lower = word.bytes().all(|byte| !byte.is_ascii_uppercase());
            assert!(is_lower || matches!(kind, Some("begins" | "ends")), "{word}");
        }
    }
}
