//! A document's way in and out: identity, replacement, deletion, export and import.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use crate::common::{engine, handbook};
use async_trait::async_trait;
use quiver::{
    Document, ErrorKind, IngestOptions, Quiver, Triple,
    document::{Chunk, Format},
    extract::{ExtractError, Extraction, Extractor, RuleExtractor},
    graph::Workspace,
};

/// Counts the chunks that are extracted.
#[derive(Debug, Default)]
struct CountingExtractor(AtomicUsize);

#[async_trait]
impl Extractor for CountingExtractor {
    fn fingerprint(&self) -> String {
        RuleExtractor.fingerprint()
    }

    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError> {
        self.0.fetch_add(chunks.len(), Ordering::Relaxed);
        RuleExtractor.extract(chunks).await
    }
}

/// The workspace as lines.
async fn export(quiver: &Quiver) -> String {
    let mut lines = Vec::new();
    quiver.export().write_to(&mut lines).await.expect("memory can be written");
    String::from_utf8(lines).expect("an export is UTF-8")
}

#[tokio::test]
async fn ingesting_twice_equals_once() {
    let quiver = engine(handbook()).await;
    let once = export(&quiver).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!((receipt.documents_unchanged, receipt.documents_added), (5, 0));
    assert_eq!((receipt.passages_written, receipt.passages_kept), (0, 5));
    assert_eq!(export(&quiver).await, once);
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test]
async fn notes_of_the_reader_are_reported() {
    let notes = vec!["crew.csv:3: this row has fewer cells".to_owned()];
    let document = Document { notes: notes.clone(), ..Document::new("crew", "Ann is a cook.") };
    let quiver = engine(vec![document.clone()]).await;
    let receipt = quiver.ingest(vec![document]).await.unwrap();
    assert_eq!((receipt.documents_unchanged, receipt.problems), (1, notes));
}

#[tokio::test]
async fn definitions_are_found_by_their_names_and_the_parts_of_them() {
    let code = |key: &str, text: &str| Document {
        format: Format::Code,
        ..Document::new(format!("/yard/{key}"), text).with_title(key)
    };
    let filler = "  step(one, two, three, four);\n".repeat(80);
    let quiver = engine(vec![
        code(
            "src/header.ts",
            &format!("export function parseHttpHeader(line) {{\n{filler}}}\n\nexport function readBody(line) {{\n{filler}}}\n"),
        ),
        code("src/mast.py", "def raise_main_mast():\n    pass\n"),
        Document::new("notes", "A header of a chapter stands above its text, as does a title."),
    ])
    .await;
    for question in ["http header", "parseHttpHeader", "where is the http header parsed"] {
        let evidence = quiver.retrieve(question).await.unwrap();
        let title = evidence.passages[0].passage.title.as_deref();
        assert_eq!(title, Some("src/header.ts › parseHttpHeader"), "{question}");
    }
    let evidence = quiver.retrieve("main mast").await.unwrap();
    assert_eq!(evidence.passages[0].passage.document, "/yard/src/mast.py");
}

#[tokio::test]
async fn the_order_of_batches_does_not_matter() {
    let once = export(&engine(handbook()).await).await;
    for passages_per_batch in [1, 2, 3] {
        let quiver = Quiver::in_memory().await.unwrap();
        let options = IngestOptions { passages_per_batch, ..IngestOptions::default() };
        quiver.ingest(handbook()).options(options).await.unwrap();
        assert_eq!(export(&quiver).await, once, "batches of {passages_per_batch}");
    }
}

#[tokio::test]
async fn deleting_undoes_ingesting() {
    let mut documents = handbook();
    let last = documents.pop().unwrap();
    let without = export(&engine(documents.clone()).await).await;
    documents.push(last);
    let quiver = engine(documents).await;
    assert_ne!(export(&quiver).await, without);
    let removed = quiver.delete("lindqvist").await.unwrap();
    assert_eq!(removed.passages, 1);
    assert_eq!(export(&quiver).await, without);
    assert_eq!(quiver.verify().await.unwrap(), []);
    let error = quiver.delete("lindqvist").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("lindqvist"), "{error}");
}

#[tokio::test]
async fn replacing_touches_only_what_changed() {
    let paragraph = |topic: &str| {
        let sentence = format!("The {topic} of Harrow Bridge was described by Ellen Marsh in great detail. ");
        sentence.repeat(20)
    };
    let text = |topics: &[&str]| topics.iter().map(|topic| paragraph(topic)).collect::<Vec<_>>().join("\n\n");
    let extractor = Arc::new(CountingExtractor::default());
    let quiver = Quiver::builder().memory().extractor(extractor.clone()).open().await.unwrap();
    quiver.ingest([Document::new("bridge", text(&["arch", "deck", "toll"]))]).await.unwrap();
    let before = extractor.0.swap(0, Ordering::Relaxed);
    assert!(before >= 3, "the document is cut into chunks: {before}");

    let receipt = quiver.ingest([Document::new("bridge", text(&["arch", "parapet", "toll"]))]).await.unwrap();
    let changed = extractor.0.load(Ordering::Relaxed);
    assert!(changed < before, "{changed} of {before} chunks were extracted again");
    assert_eq!(receipt.passages_written, changed);
    assert_eq!(receipt.passages_removed, changed);
    assert_eq!((receipt.documents_replaced, receipt.documents_added), (1, 0));
    let fresh = engine(vec![Document::new("bridge", text(&["arch", "parapet", "toll"]))]).await;
    assert_eq!(export(&quiver).await, export(&fresh).await);
}

#[tokio::test]
async fn metadata_and_place_change_without_new_extraction() {
    let extractor = Arc::new(CountingExtractor::default());
    let quiver = Quiver::builder().memory().extractor(extractor.clone()).open().await.unwrap();
    let mut document = Document::new("note", "Ellen Marsh described Harrow Bridge.");
    quiver.ingest([document.clone()]).await.unwrap();
    document.metadata.insert("author".into(), "archive".into());
    let receipt = quiver.ingest([document.clone()]).await.unwrap();
    assert_eq!((receipt.documents_replaced, receipt.passages_written), (1, 0));
    assert_eq!(extractor.0.load(Ordering::Relaxed), 1);
    let passages = quiver.graph().passages_of("note").await.unwrap();
    assert_eq!(passages[0].metadata["author"], "archive");
}

#[tokio::test]
async fn given_triples_become_relations() {
    let triple = Triple {
        subject: "Harrow Bridge".into(),
        predicate: "designed by".into(),
        object: "Ellen Marsh".into(),
    };
    let mut document = Document::new("bridge", "It crosses the Tamsel at its narrowest point.");
    document.triples.push(triple);
    let quiver = engine(vec![document]).await;
    let lines = export(&quiver).await;
    assert!(lines.contains("Harrow Bridge designed by Ellen Marsh"), "{lines}");
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test]
async fn an_empty_document_has_no_passages_and_a_blank_key_is_refused() {
    let quiver = Quiver::in_memory().await.unwrap();
    let receipt = quiver.ingest([Document::new("empty", "  \n ")]).await.unwrap();
    assert_eq!(receipt.passages_written, 0);
    let error = quiver.ingest([Document::new(" ", "text")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_stop_ends_between_batches_and_the_same_ingest_goes_on() {
    let stop = Arc::new(AtomicBool::new(false));
    let options =
        IngestOptions { passages_per_batch: 1, stop: Some(Arc::clone(&stop)), ..IngestOptions::default() };
    let quiver = Quiver::in_memory().await.unwrap();
    let documents = || {
        let text = |bridge| format!("Harrow Bridge {bridge} crosses the Tamsel.");
        (0..50).map(move |bridge| Document::new(format!("bridge {bridge}"), text(bridge))).collect::<Vec<_>>()
    };
    let after_two = |receipt: &quiver::Receipt| {
        if receipt.documents_added == 2 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let receipt = quiver.ingest(documents()).options(options).on_progress(&after_two).await.unwrap();
    assert!(receipt.stopped);
    // What was prepared by then is written too.
    assert!((2..20).contains(&receipt.documents_added), "{receipt:?}");
    assert_eq!(quiver.documents().await.unwrap().len(), receipt.documents_added);
    quiver.ingest(documents()).await.unwrap();
    assert_eq!(export(&quiver).await, export(&engine(documents()).await).await);
}

#[tokio::test]
async fn what_several_batches_refer_to_is_counted_once() {
    let options = IngestOptions { passages_per_batch: 1, ..IngestOptions::default() };
    let quiver = Quiver::in_memory().await.unwrap();
    let receipt = quiver.ingest(handbook()).options(options).await.unwrap();
    let stats = quiver.stats().await.unwrap();
    assert_eq!((receipt.entities as u64, receipt.relations as u64), (stats.entities, stats.relations));
}

#[tokio::test]
async fn an_export_goes_into_another_database_with_and_without_vectors() {
    let quiver = engine(handbook()).await;
    for vectors in [false, true] {
        let mut lines = Vec::new();
        let request = quiver.export();
        let request = if vectors { request.vectors() } else { request };
        request.write_to(&mut lines).await.unwrap();
        let copy = Quiver::in_memory().await.unwrap();
        let report = copy.import(lines.as_slice()).await.unwrap();
        assert_eq!(report.passages, 5);
        assert_eq!(report.encoded == 0, vectors);
        assert_eq!(export(&copy).await, export(&quiver).await);
        let question = "What must be monitored with the first-line drug for type 2 diabetes?";
        assert_eq!(copy.ask(question).await.unwrap().text, quiver.ask(question).await.unwrap().text);
    }
}

#[tokio::test]
async fn a_broken_export_is_refused_with_the_line() {
    let quiver = engine(handbook()).await;
    let lines = export(&quiver).await;
    let broken: String =
        lines.lines().take(3).collect::<Vec<_>>().join("\n") + "\n{\"collection\": \"things\"\n";
    let copy = Quiver::in_memory().await.unwrap();
    let error = copy.import(broken.as_bytes()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("line 4"), "{error}");
    let elsewhere =
        Quiver::builder().memory().workspace(Workspace::new("other").unwrap()).open().await.unwrap();
    let error = elsewhere.import(lines.as_bytes()).await.unwrap_err();
    assert!(error.to_string().contains("\"default\"") && error.to_string().contains("\"other\""), "{error}");
}
