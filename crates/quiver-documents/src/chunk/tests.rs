use super::{ChunkOptions, TITLE_SEPARATOR, chunk, chunk_by, first_heading, tokens};
use crate::document::{Document, Format};
use std::time::{Duration, Instant};

fn markdown(text: &str) -> Document {
    Document { format: Format::Markdown, ..Document::new("guide.md", text) }
}

#[test]
fn a_short_text_is_one_chunk_unchanged() {
    let text = " Ada wrote notes.  They were long.\n";
    let chunks = chunk(&Document::new("a", text).with_title("Ada"), &ChunkOptions::default());
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].text, text);
    assert_eq!(chunks[0].title.as_deref(), Some("Ada"));
    let sentences: Vec<&str> = chunks[0].sentences.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(sentences, ["Ada wrote notes.", "They were long."]);
}

#[test]
fn a_paragraph_of_350_words_stays_whole_and_a_longer_one_is_cut_at_sentences() {
    let paragraph = "One two three four five. ".repeat(70);
    assert_eq!(chunk(&Document::new("a", &paragraph), &ChunkOptions::default()).len(), 1);
    let long = "One two three four five. ".repeat(200);
    let chunks = chunk(&Document::new("a", &long), &ChunkOptions::default());
    assert_eq!(chunks.len(), 3);
    assert!(chunks.iter().all(|chunk| tokens(&chunk.text) <= 350 && chunk.text.ends_with("five.")));
    assert_eq!(chunks.iter().map(|chunk| chunk.position).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(chunks.iter().map(|chunk| chunk.sentences.len()).sum::<usize>(), 200);
}

#[test]
fn nothing_has_no_chunks() {
    assert!(chunk(&Document::new("a", " \n "), &ChunkOptions::default()).is_empty());
}

#[test]
fn sections_keep_the_headings_that_lead_to_them() {
    let filler = "Some words to fill the section up. ".repeat(10);
    let text = format!(
        "# Guide\n\n{filler}\n\n## Storage\n\n### The `log`\n\n{filler}\n\n## Search\n\n{filler}\n\n```sh\n# no heading\n```\n"
    );
    let options = ChunkOptions { tokens_max: 90, ..ChunkOptions::default() };
    let chunks = chunk(&markdown(&text).with_title("Guide"), &options);
    let titles: Vec<&str> = chunks.iter().filter_map(|chunk| chunk.title.as_deref()).collect();
    assert_eq!(titles, ["Guide", "Guide › Storage", "Guide › Search"]);
    assert!(chunks[1].text.starts_with("## Storage"), "{}", chunks[1].text);
    assert_eq!(TITLE_SEPARATOR, " › ");
}

#[test]
fn a_heading_alone_is_a_chunk_only_if_no_title_says_it() {
    let filler = "Some words to fill the section up. ".repeat(40);
    let titles = |text: &str| -> Vec<(Option<String>, String)> {
        let chunks =
            chunk(&markdown(text), &ChunkOptions { tokens_max: tokens(&filler), ..ChunkOptions::default() })
                .into_iter();
        chunks.map(|chunk| (chunk.title, chunk.text)).collect()
    };
    // "Care" leads to what follows it.
    let found = titles(&format!("# Looms\n\n{filler}\n\n## Care\n\n### Oil\n\n{filler}"));
    assert!(found.iter().all(|(_, text)| text.contains("Some words")), "{found:?}");
    assert!(found.iter().any(|(title, _)| title.as_deref() == Some("Looms › Care › Oil")), "{found:?}");
    // "Monday" is in no title.
    let found = titles(&format!("# Hours\n\n{filler}\n\n## Monday: closed\n\n## Tuesday\n\n{filler}"));
    assert!(found.iter().any(|(_, text)| text.contains("Monday: closed")), "{found:?}");
    // Comments in code are no headings.
    let comments = "# Keep this off.\n".repeat(60);
    let found = titles(&format!("# Settings\n\n{filler}\n\n```sh\n{comments}on=1\n```\n"));
    let kept: usize = found.iter().map(|(_, text)| text.matches("Keep this off.").count()).sum();
    assert_eq!(kept, 60);
}

#[test]
fn sections_that_stand_alone_share_no_passage() {
    let long = "Some words to fill the slide up. ".repeat(60);
    let text =
        format!("# Slide 1: Start\n\nAda.\n\n# Slide 2\n\n# Slide 3: End\n\n## Below\n\n{long}\n\nBo.");
    let document = Document { format: Format::Sections, ..Document::new("deck.pptx", text) };
    let chunks = chunk(&document.with_title("Deck"), &ChunkOptions::default());
    let titles: Vec<&str> = chunks.iter().filter_map(|chunk| chunk.title.as_deref()).collect();
    assert_eq!(titles[..2], ["Deck › Slide 1: Start", "Deck › Slide 2"]);
    assert!(titles.len() > 3, "{titles:?}");
    assert!(titles[2..].iter().all(|title| *title == "Deck › Slide 3: End › Below"), "{titles:?}");
    let short = Document { format: Format::Sections, ..Document::new("a.xlsx", "# Ports\n\nPort: 1.\n") };
    assert_eq!(chunk(&short, &ChunkOptions::default())[0].title.as_deref(), Some("Ports"));
}

#[test]
fn chunks_may_overlap() {
    let text = (0..60).map(|n| format!("Sentence number {n} is here.")).collect::<Vec<_>>().join(" ");
    let options = ChunkOptions { tokens_max: 50, tokens_overlap: 15 };
    let chunks = chunk(&Document::new("a", text), &options);
    for pair in chunks.windows(2) {
        let last = pair[0].text.rsplit(". ").next().expect("a sentence");
        assert!(pair[1].text.contains(last), "{:?} is not repeated in {:?}", last, pair[1].text);
    }
}

#[test]
fn the_length_can_be_told_by_another_measure() {
    let text = "abcdef ghijkl. mnopqr stuvwx.";
    let options = ChunkOptions { tokens_max: 14, ..ChunkOptions::default() };
    let chunks = chunk_by(&Document::new("a", text), &options, &|text| text.chars().count());
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert_eq!(texts, ["abcdef ghijkl.", "mnopqr stuvwx."]);
}

#[test]
fn tokens_are_counted_in_every_script() {
    assert_eq!(tokens("It's 3 o'clock, isn't it?"), 5);
    assert_eq!(tokens("北京是首都。"), 5);
    assert_eq!(tokens("कक्षा में"), 2);
    assert_eq!(tokens(&"x".repeat(160)), 10);
    assert_eq!(tokens(""), 0);
}

#[test]
fn text_without_spaces_or_full_stops_is_cut_all_the_same() {
    for text in ["x".repeat(100_000), "漢字".repeat(20_000), "ไทย".repeat(20_000), "a, ".repeat(50_000)]
    {
        let chunks = chunk(&Document::new("a", text.as_str()), &ChunkOptions::default());
        assert!(
            chunks.len() > 5,
            "{} chunks of {:?}…",
            chunks.len(),
            text.chars().take(4).collect::<String>()
        );
        assert!(chunks.iter().all(|chunk| tokens(&chunk.text) <= 350));
        let kept: usize = chunks.iter().map(|chunk| chunk.text.len()).sum();
        assert!(kept + chunks.len() * 2 >= text.len(), "only {kept} of {} bytes are kept", text.len());
    }
}

/// Checks that the run time is linear in ten megabytes. Run with `--release -- --ignored`.
#[test]
#[ignore = "a measurement"]
fn ten_megabytes_take_seconds() {
    let prose =
        "The quick brown fox, which was called Fred, jumped over the dog. It slept.\n".repeat(135_000);
    let paragraphs = prose.replace("slept.\n", "slept.\n\n");
    for (name, text, format) in [
        ("wrapped prose", prose.clone(), Format::Plain),
        ("one line", prose.replace('\n', " "), Format::Plain),
        ("paragraphs", paragraphs.clone(), Format::Plain),
        ("markdown", paragraphs.replace("The quick", "## The quick"), Format::Markdown),
        ("no sentence at all", "x ".repeat(5_000_000), Format::Plain),
    ] {
        let started = Instant::now();
        let count = chunk(&Document { format, ..Document::new("a", text) }, &ChunkOptions::default()).len();
        let taken = started.elapsed();
        println!("{name}: {count} chunks in {taken:?}");
        assert!(taken < Duration::from_secs(20), "{name} took {taken:?}");
    }
}

#[test]
fn badges_are_no_part_of_a_heading() {
    let text = "# Loom [![build](b.svg)](https://example.org/ci) ![license](l.svg)\n\nWeaves.\n";
    assert_eq!(first_heading(text).as_deref(), Some("Loom"));
    assert_eq!(first_heading("# ![Warp](w.png)\n\nThreads.\n").as_deref(), Some("Warp"));
}

#[test]
fn a_table_of_contents_is_no_passage() {
    let body = "The shuttle carries the weft through the shed. ".repeat(40);
    let text = format!(
        "# Loom\n\n{body}\n\n## Contents\n\n- [Warp](#warp)\n  - [Sizing](#sizing)\n- [Weft](#weft)\n\n## Warp\n\n{body}\n\n## Weft\n\n{body}\n"
    );
    let chunks = chunk(&markdown(&text), &ChunkOptions { tokens_max: 100, tokens_overlap: 0 });
    assert!(chunks.iter().all(|chunk| !chunk.text.contains("[Warp](#warp)")), "{chunks:#?}");
    assert!(chunks.iter().all(|chunk| chunk.text.contains("shuttle")), "{chunks:#?}");
}
