//! How the time of a document's way in grows with its length: reading, chunking, extraction and encoding take no more
//! than in proportion, whatever the text. A text of squared cost takes sixteen times as long when it is four times as
//! long, one of proportional cost four times.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells what it measured"
)]

use std::{
    fs,
    time::{Duration, Instant},
};

use quiver::{
    chunk::{ChunkOptions, chunk},
    extract::RuleExtractor,
    models::Lexical,
    read::{ReadOptions, read},
};

/// Between four and sixteen, with room for a machine that has other things to do.
const GROWTH_MAX: f64 = 9.0;
/// How often a text is measured before it is said to grow too fast.
const TRIES: usize = 3;

/// A text of one kind: the ending of its file, and what it is made of.
struct Kind {
    name: &'static str,
    ending: &'static str,
    make: fn(usize) -> String,
}

const KINDS: &[Kind] = &[
    Kind { name: "base64 in a line", ending: "txt", make: base64 },
    Kind {
        name: "an embedded picture",
        ending: "md",
        make: |n| format!("![a](data:image/png;base64,{})", base64(n)),
    },
    Kind {
        name: "a picture beyond its page",
        ending: "md",
        make: |n| format!("![a](picture:{})", base64(n)),
    },
    Kind { name: "one word", ending: "txt", make: |n| "a".repeat(n) },
    Kind { name: "joined words", ending: "txt", make: |n| "ab-".repeat(n / 3) },
    Kind { name: "one sentence", ending: "txt", make: |n| "the yard of Ida Holm in Bergen, ".repeat(n / 32) },
    Kind { name: "opening brackets", ending: "md", make: |n| format!("a {}", "[".repeat(n)) },
    Kind { name: "quotation marks", ending: "txt", make: |n| "“a ‘b ".repeat(n / 12) },
    Kind { name: "emphasis", ending: "md", make: |n| "*a **b _c ".repeat(n / 10) },
    Kind { name: "full stops", ending: "txt", make: |n| "a.b ".repeat(n / 4) },
    Kind { name: "headings", ending: "md", make: |n| "# Norby\n\nIda Holm.\n\n".repeat(n / 20) },
    Kind { name: "a table", ending: "md", make: |n| "| Norby | 1911 |\n".repeat(n / 17) },
    Kind { name: "a quotation in quotations", ending: "md", make: |n| format!("{}a", "> ".repeat(n / 2)) },
    Kind { name: "Han", ending: "txt", make: |n| "漢".repeat(n / 3) },
    Kind { name: "Thai", ending: "txt", make: |n| "ก".repeat(n / 3) },
    Kind { name: "marks on one letter", ending: "txt", make: |n| format!("a{}", "\u{301}".repeat(n / 2)) },
    Kind { name: "one tag", ending: "html", make: |n| format!("<p {}>a", "b ".repeat(n / 2)) },
    Kind { name: "tags within tags", ending: "html", make: |n| format!("a{}", "<nav><b>".repeat(n / 8)) },
    Kind {
        name: "one record",
        ending: "jsonl",
        make: |n| format!("{{\"text\": \"{}\"}}", "yard ".repeat(n / 5)),
    },
];

/// The same letters in every run.
fn base64(bytes: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(LETTERS[usize::try_from(state % 64).unwrap()])
    };
    (0..bytes).map(|_| next()).collect()
}

/// How long a document of a kind takes to read, cut, extract from and encode.
fn measure(kind: &Kind, bytes: usize) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("document.{}", kind.ending));
    fs::write(&path, (kind.make)(bytes)).unwrap();
    let began = Instant::now();
    for document in read(&path, &ReadOptions::default()).flatten() {
        for chunk in chunk(&document, &ChunkOptions::default()) {
            RuleExtractor::extract_one(&chunk);
            Lexical::new().document_vector(&chunk.text);
        }
    }
    began.elapsed()
}

/// Fails for kinds that take more than in proportion when they are four times as long.
fn check(kinds: impl Iterator<Item = &'static Kind>, bytes: usize) {
    let mut wrong = Vec::new();
    for kind in kinds {
        let mut growth = f64::INFINITY;
        for _ in 0..TRIES {
            let times = [1, 2, 4].map(|times| measure(kind, times * bytes).as_secs_f64());
            // What takes no time at all grows in no way that could be told.
            growth = if times[2] < 0.05 { 0.0 } else { growth.min(times[2] / times[0]) };
            println!("{:<28}{:.3} s, {:.3} s, {:.3} s", kind.name, times[0], times[1], times[2]);
            if growth < GROWTH_MAX {
                break;
            }
        }
        if growth >= GROWTH_MAX {
            wrong
                .push(format!("{} takes {growth:.1} times as long when it is four times as long", kind.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Lengths beyond that of a block, which is what a chunk is cut from.
#[test]
fn every_text_takes_time_in_proportion_to_its_length() {
    check(KINDS.iter(), 16 << 10);
}

/// `cargo test --release -p quiver-engine --test suite growth -- --ignored --nocapture`; the dev profile takes ten
/// minutes, and with `QUIVER_TEST_GROWTH_KB=256` a quarter of that for a quarter of the length.
#[test]
#[ignore = "takes minutes in the dev profile"]
fn every_text_of_1_2_and_4_megabytes_takes_time_in_proportion_to_its_length() {
    let kilobytes = std::env::var("QUIVER_TEST_GROWTH_KB").ok().and_then(|text| text.parse().ok());
    check(KINDS.iter(), kilobytes.unwrap_or(1024_usize) << 10);
}
