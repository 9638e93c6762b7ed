//! What a comparison says in words.

use heist_queue::{IdleKind, QueueKind};

use crate::stats::Spread;
use crate::walker::{
    compare::Comparison,
    plan::{Configuration, System},
    table::{About, named},
};

/// With so many threads more than [`FEW`], a queue may take this much longer.
const TOLERANCE: f64 = 1.15;

/// Threads that every machine has a core for, nearly.
const FEW: usize = 2;

/// Threads that hardly any has.
const MANY: usize = 32;

/// Which configuration is best, how far the others are from it, and which queues mind many threads. All
/// of it compares medians.
pub(crate) fn verdict(comparison: &Comparison, about: About<'_>) -> String {
    let mut lines = vec![format!("Verdict, {}:", about.title), String::new()];
    let invalid: Vec<String> = comparison
        .lines
        .iter()
        .filter(|line| line.invalid.is_some())
        .map(|line| named(line.configuration, about))
        .collect();
    if !invalid.is_empty() {
        lines.push(format!("- INVALID: {}", invalid.join(", ")));
    }
    let Some((best, wall)) = comparison.best() else {
        lines.push("- nothing could be compared\n".to_owned());
        return lines.join("\n");
    };
    let name = named(best.configuration, about);
    lines.push(format!("- best: {name}, {:.1} ± {:.1} ms", wall.median, wall.mad));
    let pairs = pairs(comparison);
    for &pair in &pairs {
        let title = format!("best of {} {}", pair.0, pair.1);
        lines.push(distance(&title, best_of(comparison, pair), wall, about));
    }
    let default = Configuration::default_on(about.cores);
    let found = comparison.line(default).map(|(_, wall)| (default, wall));
    lines.push(distance("what hs does on its own", found, wall, about));
    lines.push(crowds(comparison, &pairs));
    let floors = comparison.lines.iter().filter(|line| line.configuration.system == System::Floor);
    for line in floors {
        let found = line.wall().map(|wall| (line.configuration, wall));
        lines.push(distance("the least possible work", found, wall, about));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Every queue and policy there are lines of, in their order.
fn pairs(comparison: &Comparison) -> Vec<(QueueKind, IdleKind)> {
    let mut pairs = Vec::new();
    for line in &comparison.lines {
        if let System::Crew(queue, idle) = line.configuration.system
            && !pairs.contains(&(queue, idle))
        {
            pairs.push((queue, idle));
        }
    }
    pairs
}

/// The best configuration of a queue and policy; one worker uses neither.
fn best_of(
    comparison: &Comparison,
    (queue, idle): (QueueKind, IdleKind),
) -> Option<(Configuration, Spread)> {
    comparison
        .walks()
        .map(|(line, wall)| (line.configuration, wall))
        .filter(|(configuration, _)| configuration.system == System::Crew(queue, idle))
        .min_by(|one, other| one.1.median.total_cmp(&other.1.median))
}

fn distance(
    title: &str,
    found: Option<(Configuration, Spread)>,
    best: Spread,
    about: About<'_>,
) -> String {
    let Some((configuration, wall)) = found else {
        return format!("- {title}: not measured");
    };
    let name = named(configuration, about);
    let percent = (wall.median / best.median - 1.0) * 100.0;
    let doubt = if wall == best {
        ", it is the best"
    } else if wall.is_near(&best) {
        ", within the spread of both"
    } else {
        ""
    };
    format!("- {title}: {name}, {percent:+.1} %{doubt}")
}

/// Which queues take much longer with many threads than with few.
fn crowds(comparison: &Comparison, pairs: &[(QueueKind, IdleKind)]) -> String {
    let title = format!("-j{MANY} takes over {TOLERANCE} × the time of -j{FEW}");
    let mut compared = 0;
    let mut minded = Vec::new();
    for &(queue, idle) in pairs {
        let system = System::Crew(queue, idle);
        let of = |threads| comparison.line(Configuration { system, threads });
        if let (Some((_, few)), Some((_, many))) = (of(FEW), of(MANY)) {
            compared += 1;
            let ratio = many.median / few.median;
            if ratio > TOLERANCE {
                minded.push(format!("{queue} {idle} ({ratio:.2})"));
            }
        }
    }
    match (compared, minded.is_empty()) {
        (0, _) => format!("- {title}: not measured"),
        (_, true) => format!("- {title}: none of {compared}"),
        (_, false) => format!("- {title}: {}", minded.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walker::{
        plan::{Mode, Plan},
        samples::{fake, outcome},
    };

    const ABOUT: About<'_> = About { title: "a tree, all, warm", cores: 2, is_cold: false };

    fn judged(threads: &[usize], ms: impl Fn(QueueKind, usize) -> f64) -> String {
        let plan = Plan {
            threads: threads.to_vec(),
            queues: vec![QueueKind::Deque, QueueKind::Stack],
            idles: vec![IdleKind::BiasedEvent],
        };
        let all = plan.configurations(Mode::Ignore);
        let comparison = fake(&all, 3, &mut |configuration| {
            Ok(outcome(match configuration.system {
                System::Crew(queue, _) => ms(queue, configuration.threads),
                System::Alone | System::Floor => 18.0,
            }))
        });
        verdict(&comparison, ABOUT)
    }

    #[test]
    fn the_best_the_others_and_the_crowd() {
        let text = judged(&[1, 2, 32], |queue, threads| match (queue, threads) {
            (QueueKind::Stack, 2) => 10.0,
            (QueueKind::Stack, _) => 12.0,
            (_, 2) => 11.0,
            _ => 11.5,
        });
        let expected = "\
Verdict, a tree, all, warm:

- best: `stack biased-event -j2`, 10.0 ± 0.0 ms
- best of deque biased-event: `deque biased-event -j2`, +10.0 %
- best of stack biased-event: `stack biased-event -j2`, +0.0 %, it is the best
- what hs does on its own: `deque biased-event -j2`, +10.0 %
- -j32 takes over 1.15 × the time of -j2: stack biased-event (1.20)
";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let text = judged(&[4], |_, _| 10.0);
        assert!(text.contains("- what hs does on its own: not measured\n"), "{text}");
        assert!(text.contains("of -j2: not measured\n"), "{text}");
        assert!(text.contains("`deque biased-event -j4` (oversubscribed), 10.0 ±"), "{text}");
        assert!(judged(&[2, 32], |_, _| 10.0).contains("of -j2: none of 2\n"));
    }

    #[test]
    fn without_a_valid_line_there_is_nothing_to_say() {
        let crew = System::Crew(QueueKind::Deque, IdleKind::BiasedEvent);
        let comparison = fake(&[Configuration { system: crew, threads: 2 }], 1, &mut |which| {
            if which.threads == 1 { Ok(outcome(1.0)) } else { Err("hung".to_owned()) }
        });
        let text = verdict(&comparison, ABOUT);
        assert!(text.contains("- INVALID: `deque biased-event -j2`\n- nothing could"), "{text}");
    }
}
