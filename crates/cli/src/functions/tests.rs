//! The built-in languages, on small files whose functions are marked; and the rules of a run.
//!
//! `corpus/` has a file of cases for each language. A case begins with `== NAME: title`, and the
//! text of the file follows. A line that contains `needle1` is in the function that begins with the
//! line that ends with the mark `§1`, which is not part of the text; one that contains `needle0`
//! is in none.

use std::{collections::BTreeSet, fs, path::Path};

use heist_matcher::{Matcher, MatcherConfig};
use heist_searcher::{Flow, Line, LineKind, SearchConfig, Searcher, Sink, Surroundings};

use super::*;

/// The cases that have to exist, at least.
const MIN_CASES: usize = 150;
const MIN_LANGUAGES: usize = 40;

fn functions() -> Functions {
    Functions::new(&[], None, Path::new("/"), &MatcherConfig::default()).unwrap()
}

/// A file, and the lines that its needles are in, by their numbers.
struct Case {
    name: String,
    title: String,
    text: String,
    /// The number of each marked line, by its mark.
    marks: Vec<(usize, usize)>,
}

/// The numbers of the lines that a search prints, by kind.
#[derive(Default)]
struct Seen {
    functions: Vec<usize>,
    matches: Vec<usize>,
}

impl Sink for Seen {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        self.matches.push(line.number.unwrap() as usize);
        Flow::Continue(())
    }

    fn context(&mut self, line: &Line<'_>) -> Flow {
        if line.kind == LineKind::Function {
            self.functions.push(line.number.unwrap() as usize);
        }
        Flow::Continue(())
    }
}

/// Searches `text` as a file with this name, with the functions of its matches, or their lines.
fn run(
    functions: &Arc<Functions>,
    name: &str,
    text: &str,
    pattern: &str,
    whole: bool,
    sink: &mut impl Sink,
) {
    let surroundings = Surroundings {
        function_line: true,
        function: whole,
        functions: Some(Arc::clone(functions) as _),
        ..Surroundings::default()
    };
    let config =
        SearchConfig { surroundings: Some(Arc::new(surroundings)), ..SearchConfig::default() };
    let mut searcher = Searcher::new(config);
    searcher.set_path(name.as_bytes());
    let matcher = Matcher::new([pattern], &MatcherConfig::default()).unwrap();
    searcher.search_slice(&mut matcher.finder(), text.as_bytes(), sink).unwrap();
}

fn search(functions: &Arc<Functions>, name: &str, text: &str, pattern: &str) -> Seen {
    let mut seen = Seen::default();
    run(functions, name, text, pattern, false, &mut seen);
    seen
}

fn cases() -> Vec<Case> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/functions/corpus");
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for file in files {
        for line in fs::read_to_string(&file).unwrap().lines() {
            if let Some(head) = line.strip_prefix("== ") {
                let (name, title) = head.split_once(": ").unwrap();
                let title = format!("{name} ({title}, {})", file.file_name().unwrap().display());
                let (name, text, marks) = (name.to_owned(), String::new(), Vec::new());
                cases.push(Case { name, title, text, marks });
                continue;
            }
            let case = cases.last_mut().expect("a file begins with a case");
            let mut parts = line.split('§');
            case.text += parts.next().unwrap();
            case.text.push('\n');
            let number = case.text.lines().count();
            case.marks.extend(parts.map(|mark| (mark.parse().expect("a number"), number)));
        }
    }
    cases
}

/// What is wrong with the function of each needle of a case.
fn faults(functions: &Arc<Functions>, case: &Case) -> Vec<String> {
    let mut faults = Vec::new();
    let lines: Vec<&str> = case.text.lines().collect();
    let text = |number: Option<usize>| number.map_or("none", |number| lines[number - 1]);
    for (index, line) in lines.iter().enumerate() {
        let Some((_, after)) = line.split_once("needle").or(line.split_once("Needle")) else {
            continue;
        };
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let Ok(mark) = after[..digits].parse::<usize>() else { continue };
        let expected = case.marks.iter().find(|(other, _)| *other == mark).map(|(_, line)| *line);
        assert!(mark == 0 || expected.is_some(), "{}: no mark {mark}", case.title);
        // The line is searched for alone.
        let alone = |(other, line): (usize, &&str)| match other == index {
            true => format!("{line}\n"),
            false => line.replace("needle", "other").replace("Needle", "Other") + "\n",
        };
        let alone: String = lines.iter().enumerate().map(alone).collect();
        let seen = search(functions, &case.name, &alone, "(?i)needle");
        assert_eq!(seen.matches, [index + 1], "{}: one needle for {line}", case.title);
        let found = seen.functions.last().copied();
        if found != expected {
            faults.push(format!(
                "{}:{}: {}\n    expected {}\n    found    {}",
                case.title,
                index + 1,
                line.trim(),
                text(expected),
                text(found),
            ));
        }
    }
    faults
}

#[test]
fn functions_are_those_of_the_corpus() {
    let functions = Arc::new(functions());
    let cases = cases();
    let faults: Vec<String> = cases.iter().flat_map(|case| faults(&functions, case)).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    let languages: BTreeSet<_> = cases
        .iter()
        .filter_map(|case| functions.language(case.name.as_bytes(), case.text.as_bytes()))
        .collect();
    assert!(languages.len() >= MIN_LANGUAGES, "{} languages", languages.len());
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
}

#[test]
fn every_language_compiles() {
    let functions = functions();
    for index in 0..functions.languages.len() {
        functions.languages.compiled(index, &functions.matcher);
    }
    let help = include_str!("../texts/help/flags.txt");
    let stated = format!("{} languages.", functions.languages.len());
    assert!(help.replace('\n', " ").contains(&stated), "--show-function does not state {stated}");
}

#[test]
fn own_patterns_replace_those_of_their_type() {
    let globs = ["*.web", "*.rs"].map(str::to_owned).to_vec();
    let web = TypeDefinition { name: "web".to_owned(), globs };
    let new = |own: &[&str]| {
        let mut patterns = Patterns::default();
        own.iter().for_each(|own| patterns.add(own));
        Functions::new(&[(&web, patterns)], None, Path::new("/"), &MatcherConfig::default())
    };
    let functions = Arc::new(new(&["^route", "^path", "!^path_"]).unwrap());
    for (path, line, expected) in [
        ("dir/a.web", "route a", true),
        ("a.rs", "path a", true),
        ("a.rs", "path_a", false),
        ("a.rs", "fn a() {", false),
        ("a.unknown", "route a", true),
        ("a.py", "route a", false),
    ] {
        let text = format!("{line}\n  needle\n");
        let seen = search(&functions, path, &text, "needle");
        assert_eq!(seen.functions == [1], expected, "{path}: {line}");
    }
    for (own, reason) in [
        ("(", "--function-pattern web: regex parse error"),
        ("!x", "--function-pattern web: every pattern begins with '!'"),
    ] {
        let error = new(&[own]).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}

/// Searches for `m`, with every line that is printed as its number: `=` for a function line, `:`
/// for a match, `-` for other context, and `--` for a gap.
fn printed(name: &str, text: &str, whole: bool) -> String {
    #[derive(Default)]
    struct Printed(String);
    impl Sink for Printed {
        fn matched(&mut self, line: &Line<'_>) -> Flow {
            self.0 += &format!("{}: ", line.number.unwrap());
            Flow::Continue(())
        }
        fn context(&mut self, line: &Line<'_>) -> Flow {
            let kind = if line.kind == LineKind::Function { '=' } else { '-' };
            self.0 += &format!("{}{kind} ", line.number.unwrap());
            Flow::Continue(())
        }
        fn gap(&mut self) -> Flow {
            self.0 += "-- ";
            Flow::Continue(())
        }
    }
    let mut printed = Printed::default();
    run(&Arc::new(functions()), name, text, r"\bm\b", whole, &mut printed);
    printed.0.trim_end().to_owned()
}

#[test]
fn a_function_is_printed_again_after_one_in_it() {
    let text =
        "def outer():\n    m\n    def inner():\n        m\n    m\n    m\nm\nm\ndef m():\n    m\n";
    assert_eq!(printed("a.py", text, false), "1= 2: 3= 4: 1= 5: 6: -- 7: 8: 9: 10:");
    let text = "class A:\n    def a():\n        m\n    x = 1\n    m = 1\n    def m():\n        m\n";
    assert_eq!(printed("a.py", text, false), "2= 3: 1= 5: 6: 7:");
}

/// Walks that were repeated for each match would exhaust their budget, and nothing be found.
#[test]
fn many_matches_are_in_what_one_is() {
    const BLOCKS: usize = 400;
    // The blocks, the lines of each that begin functions of matches, and the end of the file, whose
    // first line begins a function.
    for (name, block, functions, last) in [
        ("a.py", "def f():\n    m\nm\n", &[1][..], "def g():\n    m\n"),
        ("a.py", "m\nx\n", &[], "def g():\n    m\n"),
        ("a.js", "function f() {\n  m\n}\nm()\n", &[1], "function g() {\n  m\n}\n"),
        ("a.js", "a = [\n  m,\n];\nm()\n", &[], "function g() {\n  m\n}\n"),
        ("a.js", "a =\n{\n  m,\n};\n", &[], "function g() {\n  m\n}\n"),
        ("a.java", "int[] a =\n{\n    m\n};\n", &[], "void g()\n{\n    m();\n}\n"),
        ("a.c", "static int m;\n", &[], "void g(void)\n{\n\tm();\n}\n"),
        ("a.c", "#define A \\\n\tm \\\nm\n", &[1], "void g(void)\n{\n\tm();\n}\n"),
        ("a.c", "/*\n * m\n */\n", &[], "void g(void)\n{\n\tm();\n}\n"),
        ("a.c", "m */\n", &[], "void g(void)\n{\n\tm();\n}\n"),
        ("a.rb", "def f\n  m\nend\nm\n", &[1], "def g\n  m\nend\n"),
        ("a.pl", "package A;\nm;\nsub f {\n  m;\n}\nm;\n", &[1, 3, 1], "sub g {\n  m;\n}\n"),
        ("a.md", "m\nx\n", &[], "# A\nm\n"),
        ("a.md", "## m\nm\n", &[], "# A\nm\n"),
        ("a.md", "## m\n### A\nm\n", &[2], "# A\nm\n"),
        ("a.S", "a:\n\tm\nENDPROC(a)\nm\n", &[1], "b:\n\tm\n"),
    ] {
        let text = block.repeat(BLOCKS) + last;
        let lines = block.lines().count();
        let seen = search(&Arc::new(self::functions()), name, &text, r"\bm\b");
        let in_blocks = (0..BLOCKS).flat_map(|i| functions.iter().map(move |at| i * lines + at));
        let expected: Vec<usize> = in_blocks.chain([BLOCKS * lines + 1]).collect();
        assert!(seen.functions == expected, "{name}: {block}: {:?}", seen.functions);
    }
}

#[test]
fn a_whole_function_has_its_comments_and_its_end() {
    for (name, text, expected) in [
        (
            "a.py",
            "import a\n@dec\n# why\ndef f(\n    a,\n):\n    m\n\n    x\n\ny\n",
            "2- 3- 4= 5- 6- 7: 8- 9-",
        ),
        ("a.py", "def f():\n    x\nm\n\ny\n", "3:"),
        (
            "a.rs",
            "fn a() {}\n/// Doc.\n#[test]\nfn b() {\n    m;\n}\nfn c() {}\n",
            "2- 3- 4= 5: 6-",
        ),
        (
            "a.c",
            "int x;\n\n/*\n * Doc.\n */\nstatic int\nf(int a)\n{\n\tm();\n#if 0\nout:\n\tx();\n}\nEXPORT(f);\n",
            "3- 4- 5- 6- 7= 8- 9: 10- 11- 12- 13-",
        ),
        (
            "a.ts",
            "class A {\n  a() {\n    x\n  }\n\n  b(\n    c: D,\n  ): void {\n    m\n  }\n\n  e() {}\n}\n",
            "6= 7- 8- 9: 10-",
        ),
        ("a.ts", "class A {\n  m: B;\n  a() {\n    x\n  }\n}\nx\n", "1= 2: 3- 4- 5- 6-"),
        (
            "a.rb",
            "class A\n  # why\n  def a\n    if m\n      b\n    end\n  end\n  def c\n  end\nend\n",
            "2- 3= 4: 5- 6- 7-",
        ),
        ("a.md", "# A\nm\n\n# B\nx\n", "1= 2:"),
        ("a.c", "int f(void) { m(); }\nint g(void)\n{\n}\n", "1:"),
        ("a.c", "int m(void)\n{\n\tx();\n}\nint g(void)\n{\n}\n", "1: 2- 3- 4-"),
        ("a.lua", "function a()\n  if b then\n  end\n  m()\nend\nx()\n", "1= 2- 3- 4: 5-"),
        (
            "a.pas",
            "procedure A;\nvar\n  m: B;\nbegin\n  c;\nend;\n\nprocedure D;\n",
            "1= 2- 3: 4- 5- 6-",
        ),
        (
            "a.java",
            "class A {\n    @B\n    void a()\n    {\n        m();\n    }\n    void c() {}\n}\n",
            "2- 3= 4- 5: 6-",
        ),
    ] {
        assert_eq!(printed(name, text, true), expected, "{name}: {text}");
    }
}

#[test]
fn git_s_drivers_are_languages() {
    let functions = functions();
    let drivers = "ada bash bibtex cpp csharp css dts elixir fortran fountain golang html ini java \
                   kotlin markdown matlab objc pascal perl php python r ruby rust scheme \
                   tex";
    for driver in drivers.split_ascii_whitespace() {
        assert!(functions.languages.of_driver(driver).is_some(), "{driver}");
    }
}
