//! The built-in rules: a line of each kind, and lines that are none. In each table, function lines
//! precede the empty string.

use std::path::Path;

use heist_matcher::{Matcher, MatcherConfig};
use heist_searcher::{Flow, Line, LineKind, SearchConfig, Searcher, Sink, Surroundings};

use super::*;

fn functions() -> Functions {
    Functions::new(&[], Path::new("/"), &MatcherConfig::default()).unwrap()
}

/// Whether the last line of the context is a function line.
#[derive(Default)]
struct IsFunction(bool);

impl Sink for IsFunction {
    fn context(&mut self, line: &Line<'_>) -> Flow {
        self.0 |= line.kind == LineKind::Function;
        Flow::Continue(())
    }
}

fn is_function(functions: &Arc<Functions>, path: &str, line: &str) -> bool {
    let surroundings = Surroundings {
        function_line: true,
        functions: Some(Arc::clone(functions) as _),
        ..Surroundings::default()
    };
    let config =
        SearchConfig { surroundings: Some(Arc::new(surroundings)), ..SearchConfig::default() };
    let mut searcher = Searcher::new(config);
    searcher.set_path(path.as_bytes());
    let matcher = Matcher::new(["^@here$"], &MatcherConfig::default()).unwrap();
    let mut sink = IsFunction::default();
    let text = format!("{line}\n@here\n");
    searcher.search_slice(&mut matcher.finder(), text.as_bytes(), &mut sink).unwrap();
    sink.0
}

#[test]
fn every_language_compiles_and_has_extensions_of_its_own() {
    let functions = functions();
    for index in 0..functions.languages.len() {
        functions.compiled(index);
    }
    let names = LANGUAGES.lines().filter_map(|line| line.strip_prefix("= "));
    let names: Vec<&str> = names.flat_map(|names| names.split(' ')).collect();
    assert_eq!(names.len(), functions.extensions.len(), "an extension is named twice");
    assert!(functions.languages.len() > 40);
}

#[test]
fn function_lines_are_those_of_the_language() {
    let functions = Arc::new(functions());
    let table: &[(&str, &[&str])] = &[
        ("a.c", &["int main(void)", "struct a {", "_x = 1;", "", "  x = 1;", "out:", "{", "#if 0"]),
        ("a.cpp", &["::std::string a()", "class A {", "", "public:", "  private: // b", "}"]),
        ("a.mm", &["- (void)a:(int)b {", "@interface A", "int a(int b)", "", "  if (a) {", "a();"]),
        (
            "a.rs",
            &[
                "fn a() {",
                "    pub(crate) const async fn a<T>(",
                "impl<T> A for B {",
                "pub extern \"C\" fn a() {",
                "mod tests {",
                "macro_rules! a {",
                "",
                "mod a;",
                "    let fn_a = 1;",
                "pub struct A;",
            ],
        ),
        ("a.go", &["func (a *A) b() error {", "type A struct {", "", "\tfunc() {", "type A int"]),
        ("a.py", &["def a():", "    async def a():", "class A(B):", "", "    a = define()"]),
        (
            "A.java",
            &[
                "public final class A {",
                "    @Override public String a(int b)",
                "    A a(",
                "    private A() {",
                "    record A(int b) {",
                "",
                "        return a(b",
                "        a.b();",
                "        } else if (a) {",
                "        A a = new A(b",
            ],
        ),
        (
            "a.cs",
            &[
                "namespace A",
                "    internal sealed class A : B",
                "    public static async Task<int> A(int b)",
                "    int A(int b) => b;",
                "",
                "        return a(b",
                "        foreach (var a in b)",
                "        var a = b(c);",
            ],
        ),
        (
            "a.ts",
            &[
                "export default async function a() {",
                "  abstract class A {",
                "const a = async (b) => {",
                "let a = b => c",
                "  private async a<T>(b: T): Promise<T> {",
                "  constructor(a) {",
                "",
                "  if (a) {",
                "  } else if (a) {",
                "  return a(b) {",
                "  a.b(c);",
                "  const a = b;",
            ],
        ),
        ("a.rb", &["  def a(b)", "module A", "", "  default 1"]),
        ("a.php", &["  public static function a() {", "abstract class A", "", "  $a = b();"]),
        ("a.kt", &["  override suspend fun a() {", "data class A(val b: Int)", "", "  funny()"]),
        (
            "a.swift",
            &["  private(set) func a() {", "init?(a: Int) {", "extension A {", "", "  a()"],
        ),
        ("a.sh", &["a() {", "function a", "", "  a=$(b)", "if a; then"]),
        ("a.pl", &["sub a {", "package A;", "BEGIN {", "", "  substr(a);", "  sub sp,sp,#32"]),
        ("a.dts", &["/ {", "  a: b@1 {", "&a {", "", "  a = <1>;", "};"]),
        ("a.lua", &["local function a()", "a.b = function(c)", "", "  local a = b"]),
        ("a.md", &["## A", "", "##", "a #1"]),
        ("a.toml", &["[a]", "", "a = []"]),
        ("a.unknown", &["a", "_a", "$a", "", " a", "1", "-"]),
        ("Makefile", &["all: a", "", "\tcc"]),
    ];
    for (path, lines) in table {
        let mut expected = true;
        for line in *lines {
            if line.is_empty() {
                expected = false;
                continue;
            }
            assert_eq!(is_function(&functions, path, line), expected, "{path}: {line}");
        }
        assert!(!expected, "{path} has lines that are no function lines");
    }
}

#[test]
fn own_patterns_replace_those_of_their_type() {
    let globs = ["*.web", "*.rs"].map(str::to_owned).to_vec();
    let web = TypeDefinition { name: "web".to_owned(), globs };
    let new = |own: &[&str]| {
        let mut patterns = Patterns::default();
        own.iter().for_each(|own| patterns.add(own));
        Functions::new(&[(&web, patterns)], Path::new("/"), &MatcherConfig::default())
    };
    let functions = Arc::new(new(&["^route", "^path", "!^path_"]).unwrap());
    for (path, line, expected) in [
        ("dir/a.web", "route a", true),
        ("a.rs", "path a", true),
        ("a.rs", "path_a", false),
        ("a.rs", "fn a() {", false),
        ("a.c", "route a", true),
        ("a.py", "route a", false),
    ] {
        assert_eq!(is_function(&functions, path, line), expected, "{path}: {line}");
    }
    for (own, reason) in [
        ("(", "--function-pattern web: regex parse error"),
        ("!x", "--function-pattern web: every pattern begins with '!'"),
    ] {
        let error = new(&[own]).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}
