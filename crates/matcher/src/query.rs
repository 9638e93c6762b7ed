//! Lines that meet several conditions: in which some patterns match, and others do not.
//!
//! One of the patterns that every such line needs is the *driver*: the one with the rarest
//! literals. Its strategies go over blocks, and each line that they stop at is tested.

use std::fmt;
use std::sync::Arc;

use regex_syntax::hir::Hir;

use crate::block_scan::BlockScan;
use crate::compile::parse;
use crate::compiled::{Compiled, Mode};
use crate::conditions::LineConditions;
use crate::config::{Boundary, Case, Engine, MatcherConfig};
use crate::error::Error;
use crate::finder::Finder;
use crate::lines::{LineHit, line_end, line_start};
use crate::matcher::Matcher;
use crate::strategies::cost;

/// A condition on a line.
///
/// ```
/// use heist_matcher::{Condition, Matcher, MatcherConfig};
///
/// let matches = |pattern: &str| Condition::Matches(vec![pattern.to_owned()]);
/// let condition = Condition::All(vec![
///     matches("parse"),
///     Condition::Any(vec![matches("json"), matches("yaml")]),
///     Condition::Not(Box::new(matches("test"))),
/// ]);
/// let mut finder = Matcher::meeting(&condition, &MatcherConfig::default())?.finder();
/// assert!(finder.is_match(b"fn parse_json()"));
/// assert!(!finder.is_match(b"fn parse_toml()"));
/// assert!(!finder.is_match(b"fn test_parse_yaml()"));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// One of these patterns matches in the line.
    Matches(Vec<String>),
    /// The line meets all of these conditions.
    All(Vec<Condition>),
    /// The line meets one of these conditions.
    Any(Vec<Condition>),
    /// The line does not meet this condition.
    Not(Box<Condition>),
}

impl Condition {
    /// The patterns that a line may meet the condition with: all but those below a single
    /// [`Not`](Condition::Not).
    ///
    /// ```
    /// # use heist_matcher::Condition;
    /// let matches = |pattern: &str| Condition::Matches(vec![pattern.to_owned()]);
    /// let not = Condition::Not(Box::new(matches("b")));
    /// assert_eq!(Condition::All(vec![matches("a"), not]).wanted(), ["a"]);
    /// ```
    #[must_use]
    pub fn wanted(&self) -> Vec<&str> {
        let mut wanted = Vec::new();
        self.collect(true, &mut wanted);
        wanted
    }

    /// Whether the condition is met if `matches` returns whether one of some patterns matches.
    ///
    /// ```
    /// # use heist_matcher::Condition;
    /// let matches = |pattern: &str| Condition::Matches(vec![pattern.to_owned()]);
    /// let condition = Condition::All(vec![matches("a"), Condition::Not(Box::new(matches("b")))]);
    /// assert!(condition.is_met(&mut |patterns| patterns == ["a"]));
    /// assert!(!condition.is_met(&mut |_| true));
    /// ```
    pub fn is_met(&self, matches: &mut impl FnMut(&[String]) -> bool) -> bool {
        match self {
            Condition::Matches(patterns) => matches(patterns),
            Condition::All(parts) => parts.iter().all(|part| part.is_met(matches)),
            Condition::Any(parts) => parts.iter().any(|part| part.is_met(matches)),
            Condition::Not(part) => !part.is_met(matches),
        }
    }

    /// The conditions that only name patterns.
    #[must_use]
    pub fn leaves(&self) -> Vec<&[String]> {
        match self {
            Condition::Matches(patterns) => vec![patterns],
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().flat_map(Condition::leaves).collect()
            }
            Condition::Not(part) => part.leaves(),
        }
    }

    /// How case counts in the condition: with [`Case::Smart`](crate::Case::Smart), all patterns
    /// together decide, and with PCRE2, which has its own syntax, each about itself.
    ///
    /// # Errors
    /// If a pattern cannot be parsed.
    pub fn case(&self, config: &MatcherConfig) -> Result<Case, Error> {
        let patterns = self.leaves().concat();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        match parse::case(&patterns, config) {
            Err(_) if config.engine != Engine::Default => Ok(config.case),
            _ if config.engine == Engine::Pcre2 => Ok(config.case),
            case => case,
        }
    }

    /// Appends the patterns that are wanted, or else those that are unwanted.
    fn collect<'c>(&'c self, wants: bool, into: &mut Vec<&'c str>) {
        match self {
            Condition::Matches(patterns) if wants => {
                into.extend(patterns.iter().map(String::as_str));
            }
            Condition::Matches(_) => {}
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.collect(wants, into));
            }
            Condition::Not(part) => part.collect(!wants, into),
        }
    }
}

impl Matcher {
    /// Compiles a condition. The lines that match are those that meet it, and the matches within
    /// such a line are those of the [patterns that it wants](Condition::wanted), as if these were
    /// alternatives. With [`Case::Smart`], all patterns together decide. A condition is about a
    /// single line: [`MatcherConfig::multiline`] is disregarded.
    ///
    /// # Errors
    /// If a pattern cannot be compiled, as with [`new`](Matcher::new).
    pub fn meeting(condition: &Condition, config: &MatcherConfig) -> Result<Matcher, Error> {
        let case = condition.case(config)?;
        let config = MatcherConfig { case, multiline: false, ..config.clone() };
        let Compiled { exact, .. } = Matcher::compile(condition.wanted(), &config)?;
        let test = Test::of(condition, &config)?;
        let driver = match test.needed() {
            Some(needed) => Matcher::new(needed.patterns, &config)?,
            // Every line may meet the condition, whatever must lie beside a match.
            None => Matcher::new([""], &MatcherConfig { boundary: Boundary::None, ..config })?,
        };
        let driver = driver.finder();
        let query = Query { driver, test };
        let compiled = Compiled { exact, mode: Mode::Query(Box::new(query)), required: None };
        Ok(Matcher { compiled: Arc::new(compiled) })
    }

    /// Expressions that every line with a match matches, each of them; none if nothing is known.
    ///
    /// ```
    /// # use heist_matcher::{Condition, Matcher, MatcherConfig};
    /// let both = ["open", "door"].map(|text| Condition::Matches(vec![text.to_owned()]));
    /// let matcher = Matcher::meeting(&Condition::All(both.into()), &MatcherConfig::default())?;
    /// let required = matcher.requirements().iter().map(|hir| hir.to_string()).collect::<Vec<_>>();
    /// assert_eq!(required, ["(?:open)", "(?:door)"]);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn requirements(&self) -> Vec<&Hir> {
        match &self.compiled.mode {
            Mode::Query(query) => query.requirements(),
            Mode::Lines(_) | Mode::Whole(_) => self.expression().into_iter().collect(),
        }
    }
}

/// The search for lines that meet a condition.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// Finds lines that may meet the condition.
    driver: Finder,
    test: Test,
}

/// A condition that can be tested.
#[derive(Clone, Debug)]
enum Test {
    Matches(Vec<String>, Box<Finder>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
}

/// Patterns such that one of them matches in every line that meets a condition.
struct Needed<'t> {
    patterns: Vec<&'t str>,
    /// The expected cost per byte to stop at their literals; infinite if none are known.
    price: f64,
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.driver.matcher().plan().fmt(f)
    }
}

impl LineConditions for Query {
    fn copy(&self) -> Box<dyn LineConditions> {
        Box::new(self.clone())
    }

    fn next_line(&mut self, scan: &mut BlockScan<'_>, at: usize) -> Option<LineHit> {
        let hit = self.driver.next_line(scan, at)?;
        Some(LineHit::Candidate(hit.offset()))
    }

    fn are_met(&mut self, line: &[u8]) -> bool {
        // Where an engine has given up, nothing is known, least of all that there is no match.
        self.test.is_met(line) && !self.test.has_failed()
    }

    fn count(&mut self, scan: &mut BlockScan<'_>, mut at: usize, end: usize) -> u64 {
        let (haystack, ends) = (scan.haystack(), self.driver.exact.ends);
        let mut count = 0;
        while let Some(hit) = self.next_line(scan, at) {
            let start = line_start(haystack, ends.terminator, at, hit.offset());
            let stop = line_end(haystack, ends.terminator, hit.offset(), end);
            count += u64::from(self.are_met(ends.content(haystack, start, stop)));
            at = stop + 1;
        }
        count
    }

    fn has_failed(&self) -> bool {
        self.driver.has_failed() || self.test.has_failed()
    }

    fn take_failure(&mut self) -> Option<Error> {
        self.driver.take_failure().or_else(|| self.test.take_failure())
    }

    fn requirements(&self) -> Vec<&Hir> {
        self.test.requirements()
    }
}

impl Test {
    fn of(condition: &Condition, config: &MatcherConfig) -> Result<Test, Error> {
        let all = |parts: &[Condition]| -> Result<Vec<Test>, Error> {
            parts.iter().map(|part| Test::of(part, config)).collect()
        };
        Ok(match condition {
            Condition::Matches(patterns) => {
                Test::Matches(patterns.clone(), Box::new(Matcher::new(patterns, config)?.finder()))
            }
            Condition::All(parts) => {
                let mut tests = all(parts)?;
                // What is rarest is tested first.
                let price = |test: &Test| test.needed().map_or(f64::INFINITY, |n| n.price);
                tests.sort_by(|a, b| price(a).total_cmp(&price(b)));
                Test::All(tests)
            }
            Condition::Any(parts) => Test::Any(all(parts)?),
            Condition::Not(part) => Test::Not(Box::new(Test::of(part, config)?)),
        })
    }

    fn is_met(&mut self, line: &[u8]) -> bool {
        match self {
            Test::Matches(_, finder) => finder.is_match(line),
            Test::All(tests) => tests.iter_mut().all(|test| test.is_met(line)),
            Test::Any(tests) => tests.iter_mut().any(|test| test.is_met(line)),
            Test::Not(test) => !test.is_met(line),
        }
    }

    /// The patterns with the rarest literals that a line needs; `None` if it may have none of them.
    fn needed(&self) -> Option<Needed<'_>> {
        match self {
            Test::Matches(patterns, finder) => Some(Needed {
                patterns: patterns.iter().map(String::as_str).collect(),
                price: finder.matcher().price(),
            }),
            Test::All(tests) => {
                let needed = tests.iter().filter_map(Test::needed);
                needed.min_by(|a, b| a.price.total_cmp(&b.price))
            }
            Test::Any(tests) => {
                let needed: Option<Vec<Needed<'_>>> = tests.iter().map(Test::needed).collect();
                let needed = needed?;
                Some(Needed {
                    price: needed.iter().map(|needed| needed.price).sum(),
                    patterns: needed.into_iter().flat_map(|needed| needed.patterns).collect(),
                })
            }
            Test::Not(_) => None,
        }
    }

    fn requirements(&self) -> Vec<&Hir> {
        match self {
            Test::Matches(_, finder) => finder.matcher().requirements(),
            Test::All(tests) => tests.iter().flat_map(Test::requirements).collect(),
            Test::Any(_) | Test::Not(_) => Vec::new(),
        }
    }

    fn take_failure(&mut self) -> Option<Error> {
        match self {
            Test::Matches(_, finder) => finder.take_failure(),
            Test::All(tests) | Test::Any(tests) => tests.iter_mut().find_map(Test::take_failure),
            Test::Not(test) => test.take_failure(),
        }
    }

    fn has_failed(&self) -> bool {
        match self {
            Test::Matches(_, finder) => finder.has_failed(),
            Test::All(tests) | Test::Any(tests) => tests.iter().any(Test::has_failed),
            Test::Not(test) => test.has_failed(),
        }
    }
}

impl Matcher {
    /// The expected cost per byte of a search for the literals that every match contains; infinite
    /// if none are known.
    fn price(&self) -> f64 {
        let required = self.compiled.required.as_ref();
        required.map_or(f64::INFINITY, |required| cost::needles(&required.needles))
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;
    use crate::{BlockScan, Boundary, Case, LineHit, Matcher, MatcherConfig};

    fn matches(pattern: &str) -> Condition {
        Condition::Matches(vec![pattern.to_owned()])
    }

    /// A random condition of few patterns.
    fn condition(rng: &mut fastrand::Rng, depth: usize) -> Condition {
        const PATTERNS: [&str; 10] =
            ["ab", "b", r"a+b?", r"\bx", "[0-9]", "y$", "^a", "", "abab", "É"];
        let parts = |rng: &mut fastrand::Rng| {
            (0..rng.usize(1..4)).map(|_| condition(rng, depth - 1)).collect()
        };
        match if depth == 0 { 0 } else { rng.u8(..4) } {
            0 => {
                let mut some = || (*rng.choice(&PATTERNS).expect("some")).to_owned();
                Condition::Matches((0..2).map(|_| some()).collect())
            }
            1 => Condition::All(parts(rng)),
            2 => Condition::Any(parts(rng)),
            _ => Condition::Not(Box::new(condition(rng, depth - 1))),
        }
    }

    /// The obvious way: each pattern alone on the line alone.
    fn is_met(condition: &Condition, config: &MatcherConfig, line: &[u8]) -> bool {
        match condition {
            Condition::Matches(patterns) => patterns.iter().any(|pattern| {
                Matcher::new([pattern], config).expect("a pattern").finder().is_match(line)
            }),
            Condition::All(parts) => parts.iter().all(|part| is_met(part, config, line)),
            Condition::Any(parts) => parts.iter().any(|part| is_met(part, config, line)),
            Condition::Not(part) => !is_met(part, config, line),
        }
    }

    #[test]
    fn lines_meet_conditions_as_their_patterns_match_alone() {
        let mut rng = fastrand::Rng::with_seed(49);
        let pieces = ["a", "b", "ab", " ", "x", "7", "é", "y", "\n", "\n", "\r\n"];
        for round in 0..300 {
            let condition = condition(&mut rng, 3);
            let boundary = *rng.choice(&[Boundary::None, Boundary::Word, Boundary::Line]).unwrap();
            let case = *rng.choice(&[Case::Sensitive, Case::Insensitive]).unwrap();
            let (crlf, multiline) = (rng.bool(), rng.bool());
            let config = MatcherConfig { boundary, case, crlf, ..MatcherConfig::default() };
            let multiline = MatcherConfig { multiline, ..config.clone() };
            let mut finder = Matcher::meeting(&condition, &multiline).expect("valid").finder();
            let text: String =
                (0..rng.usize(1..80)).map(|_| *rng.choice(&pieces).unwrap()).collect();
            let (mut expected, mut at) = (Vec::new(), 0);
            for line in text.split_inclusive('\n') {
                let content = line.strip_suffix('\n').unwrap_or(line);
                let ends = crlf && content.len() < line.len();
                let content = content.strip_suffix('\r').filter(|_| ends).unwrap_or(content);
                let is_met = is_met(&condition, &config, content.as_bytes());
                assert_eq!(finder.is_match(content.as_bytes()), is_met, "{condition:?} {line:?}");
                if is_met {
                    expected.push(at..at + line.len());
                }
                at += line.len();
            }
            let (mut scan, mut found, mut at) = (BlockScan::new(text.as_bytes()), Vec::new(), 0);
            while let Some(LineHit::Candidate(hit)) = finder.next_line(&mut scan, at) {
                let start = text.as_bytes()[..hit].iter().rposition(|&b| b == b'\n');
                let start = start.map_or(0, |n| n + 1);
                let stop = text[start..].find('\n').map_or(text.len(), |n| start + n + 1);
                assert!(start >= at, "round {round}: {condition:?} {text:?}");
                found.extend(expected.iter().find(|range| range.start == start).cloned());
                at = stop;
            }
            assert_eq!(found, expected, "round {round}: {condition:?} {text:?}");
            let count = finder.count_lines(&mut BlockScan::new(text.as_bytes()), 0);
            assert_eq!(count, expected.len() as u64, "round {round}: {condition:?} {text:?}");
            assert!(!finder.matches_within(text.as_bytes(), true));
        }
    }

    #[test]
    fn the_rarest_literal_drives() {
        let driver = |condition: &Condition| {
            let matcher = Matcher::meeting(condition, &MatcherConfig::default()).expect("valid");
            matcher.plan().to_string()
        };
        let both = Condition::All(vec![matches("e"), matches("quartz_vein")]);
        assert!(driver(&both).contains("quartz_vein"), "{}", driver(&both));
        let either = Condition::Any(vec![both, matches("zinc_ore")]);
        assert!(driver(&either).contains(r#""quartz_vein" or "zinc_ore""#), "{}", driver(&either));
        let not = Condition::All(vec![matches("e"), Condition::Not(Box::new(matches("zinc_ore")))]);
        assert!(!driver(&not).contains("zinc"), "{}", driver(&not));
    }

    #[test]
    fn all_patterns_decide_about_smart_case() {
        let smart = MatcherConfig { case: Case::Smart, ..MatcherConfig::default() };
        let condition = Condition::All(vec![matches("foo"), matches("Bar")]);
        let mut finder = Matcher::meeting(&condition, &smart).expect("valid").finder();
        assert!(finder.is_match(b"foo Bar") && !finder.is_match(b"Foo Bar"));
        let condition = Condition::All(vec![matches("foo"), matches("bar")]);
        let mut finder = Matcher::meeting(&condition, &smart).expect("valid").finder();
        assert!(finder.is_match(b"Foo BAR"));
    }
}
