//! Which facts lead to which routes, without any file.

use crate::{
    BinaryPolicy, End,
    decode::Form,
    journey::Journey,
    route::{Cut, Extent, Facts, Route, route},
};

/// A file of 5 MB, in lines of text, in which a search for a word that a line may contain emits
/// only matches.
const FILE: Facts = Facts {
    extent: Extent::File(5_000_000),
    form: Form::Raw,
    end: End::ShortRead,
    binary: BinaryPolicy::Quit,
    spans_lines: false,
    has_reach: false,
    has_surroundings: false,
    memory_maps: true,
    needs_match: true,
    wants_only_matches: true,
    has_limit: false,
    has_nul: false,
    has_short_lines: false,
    has_help: false,
    has_emitted: false,
    gave_up: None,
};

/// A file of 1.2 GB of short lines, with helpers.
const LARGE_FILE: Facts = Facts {
    extent: Extent::LargeFile(1_234_567_890),
    has_short_lines: true,
    has_help: true,
    ..FILE
};

/// A pattern with matches that span lines.
const SPANS: Facts = Facts { spans_lines: true, ..LARGE_FILE };

/// All routes of a haystack with these facts, as text, if each but the last one gives up.
fn journey(mut facts: Facts) -> String {
    let mut next = route(&facts);
    let mut journey = Journey::new(facts, next);
    while !matches!(next, Route::Stream | Route::Blocks | Route::Whole) {
        facts = facts.after(next, facts.has_emitted);
        next = route(&facts);
        journey.add(next);
    }
    journey.to_string()
}

#[test]
fn facts_lead_to_routes() {
    let read = Facts { extent: Extent::Read(70), form: Form::Decoded, ..FILE };
    let reader = Facts { extent: Extent::Reader, ..FILE };
    let stream = Facts { extent: Extent::Stream, ..FILE };
    let reach = Facts { has_reach: true, ..SPANS };
    let decoded = Form::Decoded;
    for (facts, expected) in [
        // All of it was read, and has to be decoded.
        (read, "blocks (70 B, decoded)"),
        (Facts { spans_lines: true, ..read }, "whole (70 B, decoded, matches span lines)"),
        // It can be read once.
        (reader, "blocks (of unknown length)"),
        (Facts { form: decoded, ..reader }, "blocks (of unknown length, decoded)"),
        (Facts { spans_lines: true, ..reader }, "whole (of unknown length, matches span lines)"),
        (stream, "stream (of unknown length)"),
        (Facts { form: decoded, ..stream }, "blocks (of unknown length, decoded)"),
        (Facts { spans_lines: true, ..stream }, "whole (of unknown length, matches span lines)"),
        // A file.
        (FILE, "look-through, then blocks (5.0 MB, readable again)"),
        (
            Facts { binary: BinaryPolicy::Text, ..FILE },
            "look-through, then blocks (5.0 MB, readable again)",
        ),
        (Facts { binary: BinaryPolicy::Convert, ..FILE }, "blocks (5.0 MB, readable again)"),
        (Facts { end: End::EmptyRead, ..FILE }, "blocks (5.0 MB, readable again)"),
        (Facts { needs_match: false, ..FILE }, "blocks (5.0 MB, readable again)"),
        (Facts { has_nul: true, ..FILE }, "blocks (5.0 MB, readable again, has a NUL byte)"),
        (Facts { spans_lines: true, ..FILE }, "whole (5.0 MB, readable again, matches span lines)"),
        // A large file.
        (
            LARGE_FILE,
            "chunks of lines, then summarized chunks, then rule-out, then blocks \
             (1.2 GB, readable again)",
        ),
        (
            Facts { has_emitted: true, ..LARGE_FILE },
            "chunks of lines, then summarized chunks, then blocks (1.2 GB, readable again)",
        ),
        (
            Facts { has_short_lines: false, ..LARGE_FILE },
            "summarized chunks, then rule-out, then blocks (1.2 GB, readable again)",
        ),
        (
            Facts { wants_only_matches: false, ..LARGE_FILE },
            "chunks of lines, then rule-out, then blocks (1.2 GB, readable again)",
        ),
        (
            Facts { wants_only_matches: false, needs_match: false, ..LARGE_FILE },
            "chunks of lines, then blocks (1.2 GB, readable again)",
        ),
        (Facts { has_help: false, ..LARGE_FILE }, "rule-out, then blocks (1.2 GB, readable again)"),
        (
            Facts { has_help: false, memory_maps: false, ..LARGE_FILE },
            "blocks (1.2 GB, readable again)",
        ),
        (Facts { has_nul: true, ..LARGE_FILE }, "blocks (1.2 GB, readable again, has a NUL byte)"),
        (
            Facts { has_nul: true, binary: BinaryPolicy::Convert, ..LARGE_FILE },
            "rule-out, then blocks (1.2 GB, readable again, has a NUL byte)",
        ),
        (
            Facts { form: decoded, needs_match: false, ..LARGE_FILE },
            "blocks (1.2 GB, readable again, decoded)",
        ),
        (
            Facts { has_surroundings: true, ..LARGE_FILE },
            "whole (1.2 GB, readable again, the text determines the context)",
        ),
        // Matches that span lines.
        (
            reach,
            "chunks of matches, then rule-out, then whole \
             (1.2 GB, readable again, matches span lines, their reach is known)",
        ),
        (
            Facts { has_help: false, has_nul: true, ..reach },
            "chunks of matches, then rule-out, then whole \
             (1.2 GB, readable again, has a NUL byte, matches span lines, their reach is known)",
        ),
        (SPANS, "rule-out, then whole (1.2 GB, readable again, matches span lines)"),
        (
            Facts { memory_maps: false, ..SPANS },
            "whole (1.2 GB, readable again, matches span lines)",
        ),
    ] {
        assert_eq!(journey(facts), expected, "{facts:?}");
    }
}

/// A route that gave up is not taken again, and no fact leads back to one before it.
#[test]
fn no_route_leads_back() {
    let cuts = [Cut::Lines, Cut::Spans, Cut::Summaries].map(Route::Chunks);
    let routes = [&[Route::LookThrough][..], &cuts, &[Route::RuleOut]].concat();
    for bits in 0..1 << 7 {
        let is_set = |bit: u32| bits >> bit & 1 != 0;
        let extent = if is_set(0) { FILE.extent } else { LARGE_FILE.extent };
        for gave_up in &routes {
            let facts = Facts {
                extent,
                spans_lines: is_set(1),
                has_reach: is_set(1) && is_set(2),
                needs_match: is_set(3),
                has_nul: is_set(4),
                has_short_lines: is_set(5),
                has_help: is_set(6),
                gave_up: Some(*gave_up),
                ..LARGE_FILE
            };
            let next = route(&facts);
            assert!(next > *gave_up, "{facts:?}");
            assert_eq!(
                next == Route::Whole,
                facts.spans_lines && next >= Route::Whole,
                "{facts:?}"
            );
        }
    }
}
