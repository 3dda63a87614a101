mod asciidoc;
mod office;

use super::{LeftOutKind, Place, ReadOptions, ReadProblem, Untrusted, read};
use crate::{
    document::{Document, Format},
    nesting::NESTING_MAX,
};
use serde_json::json;
use std::{fs, path::Path};
use tempfile::TempDir;

type Read = Vec<Result<Document, ReadProblem>>;

/// A folder with one file.
fn folder(name: &str, content: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join(name), content).expect("the file is written");
    folder
}

/// What is read from a file of this name and content.
fn read_file(name: &str, content: impl AsRef<[u8]>) -> Read {
    let folder = folder(name, content);
    let options = ReadOptions { untrusted: Untrusted::InProcess, ..ReadOptions::default() };
    let mut read: Read = read(&folder.path().join(name), &options).collect();
    // What is below the folder is the same in every run.
    let place = folder.path().canonicalize().expect("the folder is there").display().to_string();
    for document in read.iter_mut().flatten() {
        document.key = document.key.strip_prefix(&format!("{place}/")).expect("an absolute key").to_owned();
    }
    read
}

fn documents(name: &str, content: impl AsRef<[u8]>) -> Vec<Document> {
    read_file(name, content).into_iter().map(|result| result.expect("a sound document")).collect()
}

fn only(name: &str, content: impl AsRef<[u8]>) -> Document {
    let mut documents = documents(name, content);
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The only problem, without its path.
fn problem(name: &str, content: impl AsRef<[u8]>) -> String {
    let mut read = read_file(name, content);
    assert_eq!(read.len(), 1, "{read:?}");
    let problem = read.remove(0).expect_err("a problem");
    let text = problem.to_string();
    let (path, rest) = text.split_at(problem.path.display().to_string().len());
    assert!(path.ends_with(name));
    rest.to_owned()
}

fn keys(documents: &[Document]) -> Vec<&str> {
    documents.iter().map(|document| document.key.as_str()).collect()
}

#[test]
fn plain_text_is_one_document_under_its_name() {
    let document = only("notes.txt", "\u{feff}Ada wrote.\n");
    assert_eq!(document, Document::new("notes.txt", "Ada wrote.\n"));
    assert_eq!(only("no ending", "Grüße").text, "Grüße");
}

#[test]
fn utf_16_with_its_mark_is_text() {
    let little: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("Ada 𝄞".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(only("a.txt", little).text, "Ada 𝄞");
    let big: Vec<u8> =
        [0xfe, 0xff].into_iter().chain("Ada".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    assert_eq!(only("a.txt", big).text, "Ada");
    assert!(problem("a.txt", [0xff, 0xfe, 0x00, 0xd8]).contains("byte 2: the text is not UTF-8"));
}

#[test]
fn markdown_has_its_first_heading_as_title() {
    let document = only("guide.md", "# The *guide*\n\nText.\n\n## More\n");
    assert_eq!(document.title.as_deref(), Some("The guide"));
    assert_eq!(document.format, Format::Markdown);
    assert_eq!(only("list.markdown", "- one\n\n# Later").title.as_deref(), Some("Later"));
    assert_eq!(
        only("plain.md", "## Second level\n\nText.\n\n### Third").title.as_deref(),
        Some("Second level")
    );
    // What a text has several of, or calls a part of it, is not its title: then its file is.
    let two = "## One of two\n\nText.\n\n## The other\n";
    assert_eq!(only("two_parts.md", two).title.as_deref(), Some("two parts"));
    let branches = "# Munich\n\nParking is free.\n\n# Zurich\n\nParking costs 3 francs.\n";
    assert_eq!(only("our_branches.md", branches).title.as_deref(), Some("our branches"));
    assert_eq!(
        only("loom.md", "# The loom\n\n# Warp\n\nText.\n\n# Weft\n").title.as_deref(),
        Some("The loom")
    );
    assert_eq!(only("looms.md", "# Abstract\n\nText.\n").title.as_deref(), Some("looms"));
    assert_eq!(only("notes.md", two).title, None);
    // Lines with labels before the text say its title first.
    let head = "Rule: 12\nTitle: Warping\nStatus: adopted\n\n# Abstract\n\nText.\n";
    let document = only("r.md", head);
    assert_eq!(document.title.as_deref(), Some("Rule 12: Warping"));
    assert!(document.text.starts_with("Rule: 12\n"), "{}", document.text);
}

#[test]
fn front_matter_is_title_time_and_metadata_and_no_text() {
    let page = "---\ntitle: Backing up etcd\ndate: 2026-03-01\ntags: [etcd, backup]\n---\n\n## Snapshots\n\nTake one a day.\n";
    let document = only("etcd.md", page);
    assert_eq!(document.title.as_deref(), Some("Backing up etcd"));
    assert_eq!(document.time, Some(1_772_323_200_000));
    assert_eq!(document.text, "\n## Snapshots\n\nTake one a day.\n");
    assert_eq!(
        serde_json::Value::from(document.metadata),
        json!({"date": "2026-03-01", "tags": ["etcd", "backup"]})
    );
}

#[test]
fn what_is_wrong_in_front_matter_is_noted() {
    let notes = |name: &str, text: &str| {
        let document = only(name, text);
        assert!(!document.text.contains("team"), "{}", document.text);
        let notes = document.notes.iter().map(|note| note[note.find(name).expect("the file")..].to_owned());
        (document.title, notes.collect::<Vec<_>>())
    };
    let title = Some("Zenith".to_owned());
    let page = "---\ntitle: Zenith\nteam: y\ndate: 2025-02-30\ntime: 5 minutes\n---\nText.\n";
    let date = ":4: `date` is no date that exists or can be read: 2025-02-30; write it as 2026-03-01";
    for name in ["a.md", "a.html", "a.adoc"] {
        assert_eq!(notes(name, page), (title.clone(), vec![format!("{name}{date}")]));
    }
    let broken = "---\ntitle: Zenith\nteam y\n---\nText.\n";
    let line =
        "a.md:3: the front matter is not valid YAML: this line, which is no field, is left out; correct it";
    assert_eq!(notes("a.md", broken), (title.clone(), vec![line.to_owned()]));
    assert_eq!(notes("a.md", "---\ntitle: Zenith\nteam: a: b\n---\nText.\n"), (title, Vec::new()));
}

#[test]
fn front_matter_of_html_is_read_as_that_of_markdown() {
    let page = "---\nlayout: post\ntitle: Backing up etcd\ndate: 2026-03-01\n---\n<h2>Snapshots</h2>\n<p>Take one a day.</p>\n";
    let document = only("etcd.html", page);
    assert_eq!(document.title.as_deref(), Some("Backing up etcd"));
    assert_eq!(document.time, Some(1_772_323_200_000));
    assert_eq!(document.text, "## Snapshots\n\nTake one a day.\n");
    assert_eq!(serde_json::Value::from(document.metadata), json!({"layout": "post", "date": "2026-03-01"}));
}

#[test]
fn html_in_markdown_is_read_and_not_shown() {
    let readme = "<h1 align=\"center\">Loom</h1>\n<p align=\"center\">\n  <a href=\"ci\"><img src=\"ci.svg\" alt=\"build\"></a>\n</p>\n\n\
        <a name=\"start\"></a>\n## Start\n\nPress <kbd>W</kbd> and see <img alt=\"the harbour\" src=\"h.png\">.<br>\nIt opens `<br>` at six.\n\n\
        <details><summary>More</summary>\n\nA vat holds 30&nbsp;litres.\n\n</details>\n";
    let document = only("a.md", readme);
    assert_eq!(document.title.as_deref(), Some("Loom"));
    let lines: Vec<_> = document.text.lines().filter(|line| !line.trim().is_empty()).collect();
    let expected = [
        "# Loom",
        "## Start",
        "Press W and see the harbour.",
        "It opens `<br>` at six.",
        "More",
        "A vat holds 30\u{a0}litres.",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn definitions_of_html_are_items_in_pages_and_in_markdown() {
    let list = "<dl>\n  <dt>Loom</dt>\n  <dd>\n  A machine\n  that weaves.\n  </dd>\n\n  <dt>Warp</dt><dd><p>Its threads.</p></dd>\n\
        <dt>Weft<dt>Woof<dd>The other threads.</dl>\n";
    let items = |text: String| {
        text.lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let others = ["- Warp: Its threads.", "- Weft", "- Woof: The other threads."];
    let page = items(only("a.html", format!("<h1>Terms</h1>{list}")).text);
    assert_eq!(page, [&["- Loom: A machine that weaves."], &others[..]].concat());
    let readme = items(only("a.md", format!("# Terms\n\n{list}\nMore.\n")).text);
    assert_eq!(readme, [&["- Loom: A machine"], &others[..]].concat());
}

#[test]
fn html_is_read_without_its_machinery() {
    let page = "<!doctype html><html><head><title>The &amp; page\n title</title><style>p { color: red }</style></head>\
        <body><nav><a href=x>Home</a></nav><script>if (a < b) { \"<p>no</p>\" }</script><h1>Top</h1><p>One\ntwo \
        <b>three</b>&nbsp;four.<p>Next<br>line<ul><li>a<li>b</ul><table><tr><td>x</td><td>y</td></tr></table>\
        <pre>  code\n  more</pre><footer>gone</footer></body></html>";
    let document = only("page.html", page);
    assert_eq!(document.title.as_deref(), Some("The & page title"));
    assert_eq!(document.format, Format::Markdown);
    assert_eq!(document.key, "page.html");
    assert_eq!(
        document.text,
        "# Top\n\nOne two three four.\n\nNext\nline\n\n- a\n- b\n\nx | y\n\ncode\nmore\n"
    );
    assert_eq!(only("page.htm", "<h1>Only a heading</h1>").title.as_deref(), Some("Only a heading"));
}

#[test]
fn broken_html_is_read_as_far_as_it_goes() {
    assert_eq!(only("a.html", "<nav>Never closed <p>but <b>text").text, "Never closed\n\nbut text\n");
    assert_eq!(only("a.html", "<html><head><title>T</title><body>Body").text, "Body\n");
    let deep = format!("{}deep", "<div>".repeat(200_000));
    assert_eq!(only("a.html", deep).text, "deep\n");
    assert!(problem("a.html", "<script>only()</script>").contains("no text"));
}

#[test]
fn tags_without_end_are_read_in_no_time() {
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=\"<p>{number}</p>\"")).collect();
    let page = format!(
        "<p{attributes}>Ida Holm{}{} founded it.</p>",
        "<nav>".repeat(100_000),
        "</aside>".repeat(100_000)
    );
    let began = std::time::Instant::now();
    assert_eq!(only("a.html", page).text, "Ida Holm\n");
    // Compared with all before it, each of them would take minutes.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn lines_of_json_are_documents() {
    let lines = "\u{feff}{\"id\": 7, \"title\": \"Ada\", \"text\": \"Ada wrote.\", \"time\": 5, \"url\": \"u\", \"metadata\": {\"a\": 1}}\n\
        \n{\"title\": \"Bob\", \"text\": [\"One.\", \"Two.\"], \"triples\": [[\"Bob\", \"met\", \"Ada\"], {\"subject\": \"a\", \"predicate\": \"b\", \"object\": \"c\"}]}\n\
        {\"text\": \"No title\"}";
    let documents = documents("corpus.jsonl", lines);
    assert_eq!(keys(&documents)[..2], ["corpus.jsonl#7", "corpus.jsonl#Bob"]);
    assert_eq!(documents[0].time, Some(5));
    assert_eq!(serde_json::Value::from(documents[0].metadata.clone()), json!({"a": 1, "url": "u"}));
    assert_eq!(documents[1].text, "One. Two.");
    assert_eq!(documents[1].triples.len(), 2);
    assert_eq!(
        (documents[1].triples[0].subject.as_str(), documents[1].triples[1].object.as_str()),
        ("Bob", "c")
    );
    assert_eq!(documents[2].key.len(), "corpus.jsonl#".len() + 16);
}

#[test]
fn a_bad_line_is_told_and_passed_over() {
    let read = read_file(
        "corpus.jsonl",
        "{\"text\": \"a\"}\n{\"text\": }\n{\"title\": 5, \"text\": \"b\"}\n{\"text\": \"c\"}\n",
    );
    let texts: Vec<_> = read.iter().flatten().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["a", "c"]);
    let problems: Vec<_> = read.iter().filter_map(|result| result.as_ref().err()).collect();
    assert_eq!(problems[0].place, Some(Place::Line(2, Some(10))));
    assert!(
        problems[0].to_string().contains(":2:10: not valid JSON: expected value; correct"),
        "{}",
        problems[0]
    );
    assert_eq!(problems[1].place, Some(Place::Line(3, None)));
    assert_eq!(problems[1].what, "`title` is a number");
}

#[test]
fn wrong_fields_are_named_with_what_they_should_be() {
    for (line, expected) in [
        (json!([1]), ":1: the record is a list; make it an object with a field `text`"),
        (
            json!({"title": "a"}),
            ":1: the record has no field `text`, and no other field with words; name the field that holds the text",
        ),
        (
            json!({"question": "a"}),
            ":1: this is a question, not a document; read the corpus that belongs to the questions instead",
        ),
        (json!({"text": 1}), ":1: `text` is a number; make it a string or a list of strings"),
        (json!({"text": ["a", null]}), ":1: a sentence is null; make it a string"),
        (json!({"text": "a", "id": {}}), ":1: `id` is an object; make it a string or a number"),
        (
            json!({"text": "a", "time": "now"}),
            ":1: `time` is a string; make it a date such as 2026-03-01T09:30:00Z, or a number of milliseconds since 1970",
        ),
        (json!({"text": "a", "metadata": []}), ":1: `metadata` is a list; make it an object"),
        (json!({"text": "a", "triples": {}}), ":1: `triples` is an object; make it a list"),
        (json!({"text": " "}), ":1: the document has no text; add some, or omit the document"),
    ] {
        assert_eq!(problem("a.jsonl", line.to_string()), expected);
    }
    let triple = problem("a.jsonl", json!({"text": "a", "triples": [["a", "b"]]}).to_string());
    assert_eq!(
        triple,
        ":1: a triple is a list; make it [subject, predicate, object] or an object with these fields"
    );
}

#[test]
fn json_is_told_apart_by_its_content() {
    let list = json!([{"title": "A", "text": "a"}, {"title": "B", "text": "b"}]).to_string();
    assert_eq!(keys(&documents("c.json", list)), ["c.json#A", "c.json#B"]);
    let map = "{\"Z\": [\"One.\", \" Two.\"], \"A\": \"text\", \"M\": {\"text\": \"m\"}}";
    let read = documents("c.json", map);
    assert_eq!(keys(&read), ["c.json#Z", "c.json#A", "c.json#M"]);
    assert_eq!(read[0].text, "One. Two.");
    assert_eq!(read[0].title.as_deref(), Some("Z"));
    assert_eq!(only("c.json", json!({"id": "x", "text": "a"}).to_string()).key, "c.json#x");
}

#[test]
fn results_of_open_extraction_bring_their_triples() {
    let results = "{\"docs\": [{\"title\": \"A\", \"passage\": \"A\\nIt is.\", \"extracted_entities\": [\"A\"], \
        \"extracted_triples\": [[\"A\", \"is\", \"it\"], [\"broken\"], [\"a\", \"b\", \"\"]], \"idx\": 3}], \
        \"average\": NaN, \"least\": -Infinity, \"note\": \"NaN \\\" stays\"}";
    let document = only("openie.json", results);
    assert_eq!(document.text, "It is.\n\nidx: 3.\n");
    assert_eq!(document.triples.len(), 1);
    assert_eq!(serde_json::Value::from(document.metadata), json!({"idx": 3}));
}

#[test]
fn wrong_json_is_told_with_its_place() {
    assert_eq!(
        problem("a.json", "[{\"text\": \"a\"},\n ]"),
        ":2:2: not valid JSON: trailing comma; correct the syntax there"
    );
    assert_eq!(
        problem("a.json", "{\"A\": 5}"),
        ", record 1: the value of \"A\" is a number; make it a text, a list of sentences or an object"
    );
    assert_eq!(
        problem("a.json", "\"text\""),
        ", record 1: the record is a string; make it an object with a field `text`"
    );
    assert_eq!(
        problem("a.jsonl", "{\"text\": nothing}"),
        ":1:11: not valid JSON: expected true, false, null or a value in quotation marks; correct the syntax there"
    );
    assert!(
        problem("a.jsonl", "{\"text\": ").contains("not valid JSON: it ends before the value is complete")
    );
    assert!(problem("a.json", "[]").contains("no text"));
    assert!(problem("a.json", " ").contains("no text"));
    assert!(problem("a.jsonl", "").contains("no text"));
}

#[test]
fn titles_that_occur_with_several_texts_get_keys_of_their_own() {
    let list = json!([
        {"title": "A", "text": "one"}, {"title": "A", "text": "two"}, {"title": "A", "text": "one"},
        {"title": "A", "text": "two"}, {"title": "B", "text": "one"}
    ]);
    let read = documents("c.json", list.to_string());
    assert_eq!(read.len(), 3);
    assert_eq!((read[0].key.as_str(), read[2].key.as_str()), ("c.json#A", "c.json#B"));
    assert!(read[1].key.starts_with("c.json#A #") && read[1].title.as_deref() == Some("A"));
    let again = read_file("c.jsonl", "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}");
    let problem = again[1].as_ref().expect_err("the id is taken");
    assert_eq!(problem.what, "the id \"1\" is already used by another text");
}

#[test]
fn a_folder_is_read_in_order_without_what_is_hidden_or_ignored() {
    let folder = folder("b.txt", "b");
    let path = folder.path();
    for (name, content) in [
        ("sub/a.md", "# A\na"),
        ("a.jsonl", "{\"title\": \"T\", \"text\": \"t\"}"),
        (".git/config", "no"),
        (".hidden.txt", "no"),
        ("out.log", "no"),
        (".gitignore", "*.log"),
    ] {
        let file = path.join(name);
        fs::create_dir_all(file.parent().unwrap_or(path)).expect("the folder is made");
        fs::write(file, content).expect("the file is written");
    }
    let named = |options: ReadOptions| ReadOptions { source: Some("ab".parse().expect("a name")), ..options };
    let read_keys = |options: ReadOptions| -> Vec<String> {
        read(path, &named(options)).map(|result| result.expect("a sound document").key).collect()
    };
    assert_eq!(read_keys(ReadOptions::default()), ["ab:a.jsonl#T", "ab:b.txt", "ab:sub/a.md"]);
    let all = ReadOptions { ignored: true, ..ReadOptions::default() };
    assert_eq!(read_keys(all), ["ab:a.jsonl#T", "ab:b.txt", "ab:out.log", "ab:sub/a.md"]);
    let hidden = ReadOptions { hidden: true, ..ReadOptions::default() };
    assert!(read_keys(hidden).contains(&"ab:.hidden.txt".to_owned()));
}

#[test]
fn a_problem_does_not_end_the_folder() {
    let folder = folder("a.unknown", [0x89, b'P', 0, 0]);
    fs::write(folder.path().join("b.txt"), "b").expect("the file is written");
    let read: Read = read(folder.path(), &ReadOptions::default()).collect();
    assert_eq!(read.len(), 2);
    assert!(read[0].as_ref().is_err_and(|problem| problem.what.contains("binary")));
    assert!(read[1].is_ok());
}

#[test]
fn what_is_no_text_is_told_with_its_byte() {
    assert!(problem("a.txt", b"caf\xe9 noir").starts_with(", byte 3: the text is not UTF-8; convert"));
    assert!(problem("a.jsonl", b"{\"text\": \"\xe9\"}").starts_with(", byte 10: the text is not UTF-8"));
    assert!(problem("a.bin", b"ab\0cd").starts_with(", byte 2: the file is binary"));
    assert!(problem("a.txt", "  \n").contains("no text"));
}

#[test]
fn missing_and_large_files_are_told() {
    let folder = folder("a.txt", "some text");
    let missing: Read = read(Path::new("no such folder"), &ReadOptions::default()).collect();
    assert_eq!(missing.len(), 1);
    let problem = missing[0].as_ref().expect_err("nothing is there");
    assert_eq!(problem.to_string(), "no such folder: there is no such file or folder; check the path");
    let options = ReadOptions { file_bytes_max: 5, ..ReadOptions::default() };
    let large: Read = read(folder.path(), &options).collect();
    assert!(large[0].as_ref().is_err_and(|problem| problem.what == "the file exceeds the limit of 5 bytes"));
}

#[test]
fn a_document_s_key_is_its_place_whatever_the_working_directory() {
    let folder = folder("a.txt", "some text");
    let place = folder.path().canonicalize().expect("the folder is there");
    let key = |path: &Path, source: Option<&str>| {
        let source = source.map(|name| name.parse().expect("a name"));
        let options = ReadOptions { source, ..ReadOptions::default() };
        read(path, &options).map(|result| result.expect("a sound document").key).collect::<Vec<_>>()
    };
    let absolute = vec![place.join("a.txt").display().to_string()];
    assert_eq!(key(folder.path(), None), absolute);
    assert_eq!(key(&folder.path().join("a.txt"), None), absolute);
    assert_eq!(key(&folder.path().join("../").join(place.file_name().expect("a name")), None), absolute);
    assert_eq!(key(folder.path(), Some("docs")), ["docs:a.txt"]);
    assert_eq!(key(&folder.path().join("a.txt"), Some("docs")), ["docs:a.txt"]);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    use std::{os::unix, os::unix::net::UnixListener, process::Command};
    let folder = folder("b.txt", "b");
    let path = |name: &str| folder.path().join(name);
    let outside = self::folder("secret.txt", "nobody's business");
    unix::fs::symlink("/dev/zero", path("zero.txt")).expect("a link");
    unix::fs::symlink(outside.path().join("secret.txt"), path("secret.txt")).expect("a link");
    unix::fs::symlink(outside.path(), path("outside")).expect("a link");
    let _socket = UnixListener::bind(path("socket.txt")).expect("a socket");
    let made = Command::new("mkfifo").arg(path("pipe.txt")).status().expect("mkfifo runs");
    assert!(made.success());
    let mut documents = read(folder.path(), &ReadOptions::default());
    let read: Read = documents.by_ref().collect();
    let texts: Vec<_> = read.iter().flatten().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["b"]);
    let problems: Vec<_> =
        read.iter().filter_map(|result| result.as_ref().err()).map(|problem| problem.what.as_str()).collect();
    assert_eq!(problems, ["it is a pipe, not a regular file", "it is a socket, not a regular file"]);
    assert_eq!(documents.left_out()[&LeftOutKind::Link].0, 3);
    for name in ["pipe.txt", "socket.txt", "zero.txt"] {
        let named: Read = self::read(&path(name), &ReadOptions::default()).collect();
        let problem = named[0].as_ref().expect_err("it is no file");
        assert!(problem.what.contains("not a regular file"), "{problem}");
    }
}

#[test]
fn what_nobody_reads_is_left_out_and_counted() {
    let folder = folder("b.txt", "b");
    for (name, content) in [
        (".hidden/x.txt", "no"),
        ("node_modules/m/index.js", "no"),
        ("Cargo.lock", "no"),
        ("drawing.svg", "<svg><text>no</text></svg>"),
        ("skipped.txt", "no"),
        (".quiverignore", "skipped.*"),
        ("db/mine.json", "{}"),
        ("section.md", "---\ntitle: Only a title\n---\n"),
        ("empty.txt", ""),
        ("page.md", &format!("A ![mast](data:image/png;base64,{}).", "iVBORw0KGgo".repeat(20))),
    ] {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is made");
        fs::write(file, content).expect("the file is written");
    }
    let is_database = |folder: &Path| folder.ends_with("db");
    let mut documents = read(folder.path(), &ReadOptions { is_database, ..ReadOptions::default() });
    let texts: Vec<_> = documents.by_ref().map(|result| result.expect("a sound document").text).collect();
    assert_eq!(texts, ["b", "A mast."]);
    let counts: Vec<_> =
        documents.left_out().into_iter().map(|(kind, (count, _))| (kind.word(), count)).collect();
    let left_out =
        [("hidden", 2), ("generated", 2), ("media", 1), ("databases", 1), ("embedded", 1), ("textless", 2)];
    assert_eq!(counts, left_out);
    assert!(problem("section.md", "---\ntitle: Only a title\n---\n").contains("no text"));
    assert!(problem("drawing.svg", "<svg/>").contains("the extension is that of a picture"));
}

#[test]
fn globs_choose_what_is_read() {
    let folder = folder("a.txt", "a");
    for name in ["b.md", "sub/c.md", "sub/d.txt", ".hidden.md"] {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is made");
        fs::write(file, name).expect("the file is written");
    }
    let texts = |include: &[&str], exclude: &[&str]| -> Vec<String> {
        let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let options =
            ReadOptions { include: owned(include), exclude: owned(exclude), ..ReadOptions::default() };
        read(folder.path(), &options).map(|result| result.expect("a sound document").text).collect()
    };
    assert_eq!(texts(&["*.md"], &[]), [".hidden.md", "b.md", "sub/c.md"]);
    assert_eq!(texts(&[], &["*.md"]), ["a", "sub/d.txt"]);
    assert_eq!(texts(&["*.md"], &["sub/"]), [".hidden.md", "b.md"]);
    let wrong = ReadOptions { include: vec!["a{".to_owned()], ..ReadOptions::default() };
    let read: Read = read(folder.path(), &wrong).collect();
    assert!(read[0].as_ref().is_err_and(|problem| problem.what.contains("invalid glob")));
}

#[test]
fn rows_of_a_table_carry_the_names_of_its_columns() {
    let table = "Service,Port,Note\ngateway,8443,\"behind the\nproxy\"\nstore,5432,\n";
    let expected = "Service: gateway; Port: 8443; Note: behind the proxy.\n\nService: store; Port: 5432.\n\n";
    assert_eq!(only("ports.csv", table).text, expected);
    let german = "Dienst;Port\ngateway;8443\n";
    assert_eq!(only("ports.csv", german).text, "Dienst: gateway; Port: 8443.\n\n");
    assert_eq!(only("ports.tsv", "Service\tPort\na, b\t1\n").text, "Service: a, b; Port: 1.\n\n");
    assert_eq!(only("list.csv", "only names\n").text, "only names\n");
    assert!(problem("empty.csv", "").contains("no text"));
}

#[test]
fn a_quotation_mark_that_does_not_close_is_a_problem_of_its_line() {
    let open = "name,role,city\nAnn,\"captain,Oslo\nP1,cook,City1\nP2,cook,City2\n";
    let expected = ":2: a quotation mark opens a cell and does not close it; \
                    close it, double each that belongs to the value, or name the file .txt";
    assert_eq!(problem("crew.csv", open), expected);
    assert_eq!(problem("crew.csv", open.replace("P1,cook", "P1,\"cook\"")), expected);
    assert_eq!(problem("crew.csv", open.replace("City2", "\"City2\"").replace('\n', "\r\n")), expected);
    for sound in ["a,b\n\"x \"\"y\"\"\nz\",5\" pipe\n\"\",\"\"\"\"\n", "a,b\n\"one\ntwo\" ,\"x\"y\n"] {
        assert!(only("a.csv", sound).notes.is_empty(), "{sound}");
    }
    let tabs = "size\tuse\n\"wide\tmasts\nslim\tspars\n";
    assert_eq!(only("a.tsv", tabs).text, "size: \"wide; use: masts.\n\nsize: slim; use: spars.\n\n");
}

#[test]
fn rows_of_another_length_are_read_and_noted() {
    let notes = |text: &str| {
        let folder = folder("crew.csv", text);
        let document = read(folder.path(), &ReadOptions::default()).next().expect("one").expect("a table");
        let place = folder.path().join("crew.csv").display().to_string();
        let notes: Vec<String> = document.notes.iter().map(|note| note.replace(&place, "crew.csv")).collect();
        (document.text, notes)
    };
    let (text, noted) = notes("name,role\nAnn,cook\n\nBo,mate,Oslo\nCy\nDi,cook,\n");
    assert!(text.contains("name: Bo; role: mate; Oslo.") && text.contains("name: Cy."), "{text}");
    let both = "crew.csv:4: this row and another have more or fewer cells than the first row: 3 instead of 2; \
                correct them, or quote values with separators";
    assert_eq!(noted, [both]);
    let (_, noted) = notes("name,role\nAnn,\"cook\nand mate\"\nBo\n");
    assert!(noted.len() == 1 && noted[0].starts_with("crew.csv:4: this row has"), "{noted:?}");
    assert!(notes("name,role\nAnn,cook\n").1.is_empty());
}

#[test]
fn ids_that_are_no_exact_numbers_are_refused() {
    let large = problem("a.jsonl", "{\"id\": 18446744073709551617, \"text\": \"a\"}");
    assert!(large.contains("too large to be an exact number"), "{large}");
    let exact = documents("a.jsonl", "{\"id\": 18446744073709551615, \"text\": \"a\"}");
    assert_eq!(keys(&exact), ["a.jsonl#18446744073709551615"]);
}

#[test]
fn metadata_is_nested_so_deep_and_no_deeper() {
    let nested = |levels: usize| {
        let value = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        format!("{{\"text\": \"a\", \"metadata\": {{\"x\": {value}}}}}")
    };
    assert_eq!(documents("a.jsonl", nested(NESTING_MAX)).len(), 1);
    assert!(problem("a.jsonl", nested(NESTING_MAX + 2)).contains("the metadata is nested"));
}

#[test]
fn a_text_without_a_letter_is_no_document() {
    assert!(problem("a.txt", "...").contains("no text"));
    assert!(problem("a.jsonl", "{\"text\": \"...\"}").contains("no text"));
}

#[cfg(feature = "pdf")]
#[test]
fn pdf_files_are_refused_where_nobody_says_how_to_read_them() {
    let folder = folder("a.pdf", pdf("The engine was built by Ada."));
    let read: Read = read(folder.path(), &ReadOptions::default()).collect();
    assert!(read[0].as_ref().is_err_and(|problem| problem.mend.contains("ReadOptions::untrusted")));
}

#[cfg(not(feature = "pdf"))]
#[test]
fn pdf_files_need_their_feature() {
    assert!(problem("a.pdf", "%PDF-1.4").contains("build with the feature `pdf`"));
}

/// A PDF file with one page and these words on it.
#[cfg(feature = "pdf")]
fn pdf(words: &str) -> Vec<u8> {
    use std::fmt::Write as _;

    let content = format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(file.len());
        write!(file, "{number} 0 obj\n{object}\nendobj\n").expect("strings take everything");
    }
    let start = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).expect("strings take everything");
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").expect("strings take everything");
    }
    write!(file, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1)
        .expect("strings take everything");
    file.into_bytes()
}

#[cfg(feature = "pdf")]
#[test]
fn pdf_files_are_read() {
    let document = only("paper.pdf", pdf("The engine was built by Ada."));
    assert_eq!(document.text.trim(), "The engine was built by Ada.");
    assert_eq!((document.key.as_str(), document.title.as_deref()), ("paper.pdf", Some("paper")));
}

#[cfg(feature = "pdf")]
#[test]
fn broken_pdf_files_are_problems_and_never_panics() {
    assert!(problem("a.pdf", "hello").contains("not a PDF file"));
    assert!(problem("a.pdf", pdf("  ")).contains("no text in this PDF file: its pages are pictures"));
    let sound = pdf("The engine was built by Ada.");
    for length in (10..sound.len()).step_by(37) {
        let mut broken = sound[..length].to_vec();
        broken.extend(b"\n%%EOF");
        // Whatever the parser makes of it, the file yields one document or one problem.
        assert_eq!(read_file("a.pdf", broken).len(), 1);
    }
}

/// A ZIP archive of files as they are, without compression.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut sum = flate2::Crc::new();
        sum.update(content.as_bytes());
        let sum = sum.sum().to_le_bytes();
        let offset = u32::try_from(bytes.len()).expect("a small archive");
        let lengths =
            [content.len(), content.len()].map(|length| u32::try_from(length).expect("a small file"));
        let sizes: Vec<u8> = lengths.into_iter().flat_map(u32::to_le_bytes).collect();
        let name_length = u16::try_from(name.len()).expect("a short name").to_le_bytes();
        bytes.extend_from_slice(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0");
        bytes.extend([&sum[..], &sizes, &name_length, &[0, 0], name.as_bytes(), content.as_bytes()].concat());
        list.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0");
        list.extend(
            [&sum[..], &sizes, &name_length, &[0; 12], &offset.to_le_bytes(), name.as_bytes()].concat(),
        );
    }
    let count = u16::try_from(files.len()).expect("a few files").to_le_bytes();
    let [length, start] = [list.len(), bytes.len()].map(|n| u32::try_from(n).expect("small").to_le_bytes());
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, &[0, 0]].concat();
    [bytes, list, end].concat()
}

#[test]
fn word_documents_have_headings_lists_and_rows() {
    let paragraph = |style: &str, text: &str| {
        format!("<w:p><w:pPr>{style}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
    };
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("", text));
    let row = |cells: [&str; 2]| format!("<w:tr>{}{}</w:tr>", cell(cells[0]), cell(cells[1]));
    let body = [
        paragraph("<w:pStyle w:val=\"berschrift1\"/>", "Ports &amp; services"),
        "<w:p><w:r><w:t>The gateway </w:t></w:r><w:r><w:t>listens.</w:t></w:r><w:del><w:r><w:delText>No.</w:delText></w:r></w:del></w:p>".to_owned(),
        paragraph("<w:numPr/>", "first"),
        format!("<w:tbl>{}{}</w:tbl>", row(["Service", "Port"]), row(["gateway", "8443"])),
    ]
    .concat();
    let text = format!("<?xml version=\"1.0\"?><w:document><w:body>{body}</w:body></w:document>");
    let styles =
        "<w:styles><w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style></w:styles>";
    let core = "<cp:coreProperties><dc:title>The manual</dc:title></cp:coreProperties>";
    let files = [("word/document.xml", &*text), ("word/styles.xml", styles), ("docProps/core.xml", core)];
    let document = only("manual.docx", archive(&files));
    assert_eq!(document.title.as_deref(), Some("The manual"));
    assert_eq!(
        document.text,
        "# Ports & services\n\nThe gateway listens.\n\n- first\n\nService: gateway; Port: 8443.\n\n"
    );
    assert_eq!(only("m.docx", archive(&files[..2])).title.as_deref(), Some("Ports & services"));
    // Without a title and a heading it has the name of its file, as any other.
    let plain = "<w:document><w:body><w:p><w:r><w:t>It listens.</w:t></w:r></w:p></w:body></w:document>";
    let named = only("port_list.docx", archive(&[("word/document.xml", plain)]));
    assert_eq!(named.title.as_deref(), Some("port list"));
    assert!(problem("m.docx", "").contains("the file is empty"));
    let whole = archive(&files);
    for broken in [&whole[..whole.len() / 2], b"no archive", b"PK\x05\x06"] {
        assert!(problem("m.docx", broken).contains("not a complete Word document"));
    }
    assert!(problem("m.docx", archive(&files[1..])).contains("not a complete Word document"));
}

#[test]
fn books_are_read_chapter_by_chapter_in_their_order() {
    let container = "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>";
    let package = "<package><metadata><dc:title>The mast</dc:title></metadata><manifest><item id=\"b\" href=\"two.xhtml\"/>\
        <item id=\"a\" href=\"chapter%201.xhtml\"/></manifest><spine><itemref idref=\"a\"/><itemref idref=\"b\"/></spine></package>";
    let files = [
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", package),
        ("OEBPS/two.xhtml", "<html><body><h1>Two</h1><p>Bo came.</p></body></html>"),
        ("OEBPS/chapter 1.xhtml", "<html><body><h1>One</h1><p>Ada built it.</p></body></html>"),
    ];
    let document = only("mast.epub", archive(&files));
    assert_eq!(document.title.as_deref(), Some("The mast"));
    assert_eq!(document.text, "# One\n\nAda built it.\n\n# Two\n\nBo came.\n\n");
    assert!(problem("mast.epub", archive(&files[..3])).contains("not a complete EPUB book"));
    assert!(problem("mast.epub", "text").contains("not a complete EPUB book"));
}

#[test]
fn an_archive_is_not_unpacked_without_end() {
    let text = "<w:p><w:t>word</w:t></w:p>".repeat(100);
    let folder = folder("a.docx", archive(&[("word/document.xml", &text)]));
    let options = ReadOptions { file_bytes_max: 3000, ..ReadOptions::default() };
    let read: Read = read(&folder.path().join("a.docx"), &options).collect();
    assert_eq!(read.len(), 1);
    assert!(read[0].is_ok(), "the archive is as long as allowed, and what is in it as well: {read:?}");
    let mut inside = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut inside, text.repeat(100).as_bytes()).expect("memory takes it");
    let packed = inside.finish().expect("memory takes it");
    let mut bytes = archive(&[("word/document.xml", &"x".repeat(packed.len()))]);
    // The method of both headers, and the packed bytes in the place of the others.
    let at = bytes.windows(3).position(|window| window == b"xxx").expect("the content");
    bytes[at..at + packed.len()].copy_from_slice(&packed);
    bytes[8] = 8;
    let list = bytes.windows(4).position(|window| window == b"PK\x01\x02").expect("the list");
    bytes[list + 10] = 8;
    assert_eq!(documents("a.docx", &bytes).len(), 1, "within the limit it is read");
    let folder = self::folder("a.docx", &bytes);
    let limited = ReadOptions { file_bytes_max: 100_000, ..ReadOptions::default() };
    let read: Read = super::read(&folder.path().join("a.docx"), &limited).collect();
    assert!(read[0].as_ref().is_err_and(|problem| problem.what.contains("not a complete Word document")));
}

#[test]
fn notebooks_are_their_text_and_code() {
    let notebook = json!({
        "cells": [
            {"cell_type": "markdown", "source": ["# Masts\n", "\n", "Ada built them."]},
            {"cell_type": "code", "source": "height = 40", "outputs": [{"text": "no"}]},
            {"cell_type": "raw", "source": "no"},
        ],
        "metadata": {"language_info": {"name": "python"}},
    });
    let document = only("masts.ipynb", notebook.to_string());
    assert_eq!(document.title.as_deref(), Some("Masts"));
    assert_eq!(document.text, "# Masts\n\nAda built them.\n\n```python\nheight = 40\n```\n\n");
    assert!(problem("a.ipynb", "{\"cells\": 1}").contains("not a notebook: it has no cells"));
    assert!(problem("a.ipynb", "{\"cells\": [").contains("not valid JSON"));
}

#[test]
fn quotations_in_mail_are_not_the_senders_text() {
    let head = "From: Ann\nSubject: Re: The mast\n";
    let plain = format!("{head}\nIt is sound.\n\nOn Sun, Bo wrote:\n> The mast leans.\n> Cut it.\n");
    assert_eq!(only("a.eml", &plain).text, "From: Ann.\n\nIt is sound.\n");
    let page = format!(
        "{head}Content-Type: text/html\n\n<p>It is sound.</p>On Sun, Bo wrote:<br><blockquote class=\"gmail_quote\"><p>It leans.</p></blockquote>"
    );
    assert_eq!(only("a.eml", page).text, "From: Ann.\n\nIt is sound.\n");
    assert!(problem("a.eml", format!("{head}\nBo wrote:\n> It leans.\n")).contains("no text"));
    let mailbox = format!("From ann@x\n{plain}\nFrom ann@x\n{head}\n> It leans.\n");
    let read = read_file("all.mbox", mailbox);
    assert_eq!(read[0].as_ref().expect("a message").text, "From: Ann.\n\nIt is sound.\n");
    assert!(read[1].as_ref().is_err_and(|problem| problem.what.contains("no text")));
}

#[test]
fn mail_has_its_subject_people_and_own_text() {
    let message = "From: =?utf-8?Q?Ada_H=C3=B6lm?= <ada@example.org>\r\nTo: Bo\r\nSubject: The\r\n mast\r\nDate: Sun, 01 Mar 2026 09:30:00 +0000\r\n\
        Message-ID: <1@example.org>\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n\
        --c\r\nContent-Type: text/html\r\n\r\n<p>no</p>\r\n--c\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
        Caf=C3=A9 at =\r\nnoon.\r\n--c--\r\n--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nattached\r\n--b--\r\n";
    let document = only("a.eml", message);
    assert_eq!(document.title.as_deref(), Some("The mast"));
    assert_eq!(document.time, Some(1_772_357_400_000));
    assert_eq!(document.text, "From: Ada Hölm <ada@example.org>; To: Bo.\n\nCafé at noon.\n");
    let page = "Subject: x\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+QWRhPC9wPg==\n";
    assert_eq!(only("b.eml", page).text, "Ada\n");
    assert!(problem("a.eml", "only text").contains("not an e-mail: it does not begin with a header"));
    let mailbox = "From ada@x Sun Mar  1 09:30:00 2026\nFrom: Ada\nMessage-ID: <1@x>\nSubject: One\n\nFirst.\n\nFrom bo@x\nFrom: Bo\nSubject: Two\n\nSecond. From here.\n";
    let documents = documents("all.mbox", mailbox);
    assert_eq!(documents[0].key, "all.mbox#1@x");
    let read: Vec<_> = documents.iter().map(|d| (d.title.as_deref(), d.text.as_str())).collect();
    assert_eq!(
        read,
        [(Some("One"), "From: Ada.\n\nFirst.\n\n"), (Some("Two"), "From: Bo.\n\nSecond. From here.\n")]
    );
    assert!(problem("all.mbox", "Subject: x\n\ntext").contains("not a mailbox"));
}

#[test]
fn markup_has_headings_as_in_markdown() {
    let restructured = "=====\nMasts\n=====\n\n.. _label:\n\n.. image:: a.png\n   :alt: no\n\nHeight\n------\n\nSee :ref:`the guide <guide>` and ``x``.\n\n.. note:: Mind the wind.\n";
    let document = only("a.rst", restructured);
    assert_eq!(document.title.as_deref(), Some("Masts"));
    assert_eq!(
        document.text,
        "\n# Masts\n\n\n\n\n\n## Height\n\n\nSee the guide and ``x``.\n\nnote Mind the wind.\n"
    );
    let org = "#+TITLE: Masts\n#+OPTIONS: toc:nil\n* Height\n:PROPERTIES:\n:ID: 1\n:END:\nForty metres.\n** Wood\n#+BEGIN_SRC sh\nls\n#+END_SRC\n";
    let document = only("a.org", org);
    assert_eq!(document.title.as_deref(), Some("Masts"));
    assert_eq!(document.text, "\n# Height\n\nForty metres.\n\n## Wood\n\n```sh\nls\n```\n");
}

#[test]
fn options_of_a_directive_are_no_text() {
    let text = "Masts\n=====\n\n.. seo::\n    :description: Instructions for masts\n    :image: mast.svg\n\nA mast holds the sail.\n\n.. admonition:: Wind\n   :class: warning\n\n   Mind the gusts.\n";
    let read = only("a.rst", text).text;
    assert!(!read.contains("Instructions") && !read.contains("seo") && !read.contains("warning"), "{read}");
    assert!(read.contains("A mast holds the sail.") && read.contains("admonition Wind"), "{read}");
    assert!(read.contains("Mind the gusts."), "{read}");
}

#[test]
fn code_of_restructured_text_is_fenced_and_has_no_headings() {
    let text = "Masts\n=====\n\nSet it so:\n\n.. code-block:: sh\n   :linenos:\n\n   mast up\n\n   # or by hand\n     mast winch\n\n\
                Then look::\n\n  sail?\n  =====\n\n::\n\n  ``` a\n\nAda:: and Bo\nLast::\n";
    let document = only("a.rst", text);
    assert_eq!(
        document.text,
        "\n# Masts\n\n\nSet it so:\n\n```sh\nmast up\n\n# or by hand\n  mast winch\n```\n\n\
         Then look:\n```\nsail?\n=====\n```\n\n````\n``` a\n````\n\nAda:: and Bo\nLast::\n"
    );
    for broken in [
        ".. code::",
        "::",
        "a::\n  ",
        ".. code::\n  :x:",
        "\u{2003}::\n\u{2003}\u{2003}é\n\u{2003}\u{2003}\u{2003}x",
    ] {
        only("a.rst", format!("Masts\n=====\n\nForty metres.\n\n{broken}"));
    }
}

#[test]
fn rows_of_tables_in_restructured_text_carry_their_heads() {
    let rows = "Release: 4.1; Dom0: Fedora 32.\n\nRelease: 4.2; Dom0: Fedora 37.";
    for table in [
        ".. list-table:: Releases\n   :header-rows: 1\n\n   * - Release\n     - Dom0\n   * - 4.1\n     - Fedora\n       32\n   * - 4.2\n     - Fedora 37\n",
        ".. csv-table::\n   :header: Release, Dom0\n\n   4.1, Fedora 32\n   4.2, \"Fedora 37\"\n",
        "+---------+-----------+\n| Release | Dom0      |\n+=========+===========+\n| 4.1     | Fedora    |\n|         | 32        |\n+---------+-----------+\n| 4.2     | Fedora 37 |\n+---------+-----------+\n",
        "=======  =========\nRelease  Dom0\n=======  =========\n4.1      Fedora 32\n4.2      Fedora 37\n=======  =========\n",
    ] {
        let document = only("a.rst", format!("Masts\n=====\n\n{table}\nAll are old.\n"));
        assert!(
            document.text.contains(rows) && document.text.contains("All are old."),
            "{table}{}",
            document.text
        );
    }
    let spanned = "+---------+-----------+\n| Release and Dom0    |\n+---------+-----------+\n| 4.1     | Fedora 32 |\n+---------+-----------+\n";
    assert!(only("a.rst", spanned).text.contains("| 4.1     | Fedora 32 |"));
}

#[test]
fn definitions_of_restructured_text_are_items() {
    let text = "Masts\n=====\n\nsail\n    What the wind :term:`blows` into.\n    It is white.\n\n    Of linen.\n\nboom : wood\n  Holds it.\nstay\n  \
                A rope\n\n    jib stay\n      The first.\n\n.. option:: --reef <rows>\n   :module: rig\n\n   Takes in sail.\n\n.. function:: hoist()\n\n\
                - an item\n  goes on\n\n1. so\n   it goes\n\n:Author: Ada\n  Holm\n\n:file:`mast.log`\n  Says when.\n";
    assert_eq!(
        only("a.rst", text).text,
        "\n# Masts\n\n\n- sail: What the wind blows into. It is white.\n\n    Of linen.\n\n- boom : wood: Holds it.\n- stay: A rope\n\n\
         - jib stay: The first.\n\n- `--reef <rows>`: Takes in sail.\n\nfunction hoist()\n\n- an item\n  goes on\n\n1. so\n   it goes\n\n\
         :Author: Ada\n  Holm\n\n- mast.log: Says when.\n"
    );
}

#[test]
fn lists_of_attributes_are_no_text() {
    let read = only(
        "a.md",
        "# Looms {#looms}\n\n{: .note }\nAsk {the warden}.\n\nVats {: .wide #vats }\n----\n\nA vat holds 30 litres.\n{: \
         .rule }\n\n## Sets {a, b}\n\n```\n## Code {#code}\n{: .kept }\n```\n",
    );
    assert_eq!(read.title.as_deref(), Some("Looms"));
    assert!(!read.text.contains("#looms") && !read.text.contains(".note") && !read.text.contains(".rule"));
    assert!(read.text.contains("Ask {the warden}.") && read.text.contains("Vats\n----"), "{}", read.text);
    assert!(read.text.contains("## Sets {a, b}"), "{}", read.text);
    assert!(read.text.contains("## Code {#code}\n{: .kept }"), "{}", read.text);
}

#[test]
fn comments_and_scripts_are_no_text() {
    let restructured = "..\n  Headings are written so:\n\n  # with a line above\n  * without\n\nMasts\n=====\n\n.. A remark\n   over two lines.\n\nForty metres. [1]_\n\n..\n\n  A quotation.\n\n.. [1] By the yard.\n";
    let document = only("a.rst", restructured);
    assert_eq!(document.title.as_deref(), Some("Masts"));
    assert_eq!(document.text, "\n# Masts\n\n\nForty metres. [1]_\n\n\n  A quotation.\n\nBy the yard.\n");
    let markdown = "<script>\nlet text = `<a>`;\n\n# no\n</script>\n\n<!-- later -->\n\n# Masts\n\nForty `<script>` metres.\n\n```html\n<style>b {}</style>\n```\n";
    let document = only("a.md", markdown);
    assert_eq!(document.title.as_deref(), Some("Masts"));
    assert_eq!(
        document.text.trim_start(),
        "# Masts\n\nForty `<script>` metres.\n\n```html\n<style>b {}</style>\n```\n"
    );
}

#[test]
fn tables_of_pages_say_what_each_value_is() {
    let table = "<table><caption>Ports</caption><thead><tr><th>Service<th>Port</thead><tr><td>gateway<td>8443<tr><td>cache<td></table>After";
    assert_eq!(
        only("a.html", table).text,
        "Ports\n\nService: gateway; Port: 8443.\n\nService: cache.\n\nAfter\n"
    );
    let sides = "<table><tr><th>Height</th><td>40 m</td></tr><tr><th>Built</th><td>1912</td></tr></table>";
    assert_eq!(only("a.html", sides).text, "Height: 40 m.\n\nBuilt: 1912.\n");
    let layout =
        "<table><tr><th>One<th>Two<tr><td><table><tr><td>inner</table><td><h2>Heading</h2>text</table>";
    assert!(only("a.html", layout).text.contains("inner") && only("a.html", layout).text.contains("Heading"));
}

#[test]
fn the_text_of_records_is_named_or_guessed_and_said() {
    let folder = folder(
        "a.jsonl",
        "{\"name\": \"gateway\", \"blurb\": \"It takes all requests from outside.\", \"port\": 8443, \"id\": 1}\n{\"name\": \"cache\", \"port\": 6379, \"tags\": [\"a\", \"b\"], \"owner\": {\"team\": \"x\"}, \"id\": 2}\n",
    );
    let path = folder.path().join("a.jsonl");
    let mut documents = read(&path, &ReadOptions::default());
    let records: Vec<Document> = documents.by_ref().map(|record| record.expect("a record")).collect();
    assert_eq!(records[0].title.as_deref(), Some("gateway"));
    assert_eq!(records[0].text, "It takes all requests from outside.\n\nid: 1; port: 8443.\n");
    assert_eq!(records[0].metadata.get("port"), Some(&json!(8443)));
    assert_eq!(records[1].text, "name: cache; port: 6379; tags: a, b; owner team: x; id: 2.");
    let guesses = documents.guesses();
    assert_eq!(guesses.keys().collect::<Vec<_>>(), ["`blurb`", "all fields"]);
    assert_eq!(guesses["`blurb`"].0, 1);
    let fields =
        super::RecordFields { text: Some("name".to_owned()), title: None, id: Some("port".to_owned()) };
    let named = read(&path, &ReadOptions { fields, ..ReadOptions::default() });
    let records: Vec<Document> = named.map(|record| record.expect("a record")).collect();
    let blurb = "gateway\n\nblurb: It takes all requests from outside.\n";
    let tags = "cache\n\nport: 6379; tags: a, b; owner team: x.\n";
    assert_eq!(records.iter().map(|record| record.text.as_str()).collect::<Vec<_>>(), [blurb, tags]);
    assert!(records[0].key.ends_with("a.jsonl#8443"));
    let list =
        r#"{"total": 1, "items": [{"title": "Ada", "body": "Ada wrote.", "time": "2026-03-01T09:30:00Z"}]}"#;
    let record = only("list.json", list);
    assert_eq!((record.title.as_deref(), record.text.as_str()), (Some("Ada"), "Ada wrote."));
    assert_eq!(record.time, Some(1_772_357_400_000));
}

#[test]
fn fields_beside_the_text_of_a_record_are_said_after_it() {
    let hash = "0f".repeat(32);
    let ticket = json!({
        "id": 12, "title": "Login", "text": "The login fails. ", "status": "open", "owner": {"name": "Ann Lee"},
        "urgent": true, "price": 4.5, "labels": ["auth", "web"], "closed": null, "subject": "Login",
        "url": "https://example.org/12", "hash": hash, "vector": vec![0.5; 32], "_score": 1,
        "note": "She asked twice for it.", "metadata": {"reader": "kept"},
    });
    let document = only("tickets.jsonl", ticket.to_string());
    assert_eq!(
        document.text,
        "The login fails.\n\nid: 12; status: open; owner name: Ann Lee; urgent: yes; price: 4.5; labels: auth, web.\n\n\
         note: She asked twice for it.\n"
    );
    assert_eq!(
        (document.metadata.get("status"), document.metadata.get("reader")),
        (Some(&json!("open")), Some(&json!("kept")))
    );
    assert_eq!(document.metadata.len(), 13);
    // The key is that of the text, whatever is said beside it.
    let key =
        |status: &str| only("a.jsonl", json!({"text": "The login fails.", "status": status}).to_string()).key;
    assert_eq!(key("open"), key("closed"));
    assert_eq!(
        only("a.jsonl", json!({"id": 1, "text": "The login fails."}).to_string()).text,
        "The login fails."
    );
}

#[test]
fn a_stream_is_read_as_a_file_would_be() {
    let read = |text: &'static str, ending: Option<&str>| {
        let documents = super::read_stream("stdin", ending, text.as_bytes(), &ReadOptions::default());
        documents.map(|document| document.expect("a document")).collect::<Vec<_>>()
    };
    let one = &read("# Masts\n\nAda.", None)[0];
    assert_eq!((one.key.as_str(), one.title.as_deref()), ("stdin", Some("Masts")));
    assert_eq!(read("{\"text\": \"a\", \"id\": 1}\n{\"text\": \"b\", \"id\": 2}", None)[1].key, "stdin#2");
    assert_eq!(read("[{\"text\": \"a\"}]", None).len(), 1);
    assert_eq!(read("<!DOCTYPE html><p>Ada", None)[0].text, "Ada\n");
    assert_eq!(read("# Masts", Some("txt"))[0].format, Format::Plain);
}

#[test]
fn source_code_is_called_after_its_place_in_the_folder() {
    let folder = folder("notes.txt", "notes");
    for name in ["src/http.rs", "vendor/modules.txt", "vendor/a/b.go", "docs/vendor/page.md", "api_pb2.py"] {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it has one")).expect("the folder is made");
        fs::write(file, "fn main() {}").expect("the file is written");
    }
    let mut documents = read(folder.path(), &ReadOptions::default());
    let read: Vec<_> = documents.by_ref().map(|document| document.expect("a document")).collect();
    let read: Vec<_> = read.iter().map(|document| (document.title.as_deref(), document.format)).collect();
    let page = (Some("page"), Format::Markdown);
    assert_eq!(read, [page, (None, Format::Plain), (Some("src/http.rs"), Format::Code)]);
    assert_eq!(documents.left_out()[&LeftOutKind::Generated].0, 2);
    assert_eq!(only("main.py", "def main():\n    pass\n").title.as_deref(), Some("main.py"));
}

#[test]
fn references_to_characters_in_markdown_are_read_as_the_characters() {
    let read = |text: &str| only("page.md", text).text;
    let text = "# A &mdash; B\n\nSettings &gt; General &amp; more&hellip; 20&#8201;&deg;C, &quot;so&quot;.\n";
    assert_eq!(read(text), "# A — B\n\nSettings > General & more… 20\u{2009}°C, \"so\".\n");
    assert_eq!(only("page.md", text).title.as_deref(), Some("A — B"));
    for same in [
        "`&mdash;` and\n\n```\n&mdash;\n```\n",
        "&lt;b&gt; stays, as do &#42;, &amp;mdash; and R&D; and &nosuch;.\n",
        "AT&T &copy\n",
    ] {
        assert_eq!(read(same), same);
    }
}

#[test]
fn manual_pages_have_headings_lists_and_examples() {
    let page = r#"'\" t
.\" A page of a program that raises masts.
.de1 INDENT
text of a definition
..
.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.TH "MAST\-UP" "1" "2026\-03\-01" "Yard 2.0"
.ad l
.SH Name
mast\-up \- raises a mast
.SH SYNOPSIS
.B mast\-up
.RI [ option ]...
.I file
.SH OPTIONS
.INDENT 0.0
.TP
.BI \-\-height= metres
How high it is.
The limit is \fB40\fP metres, see \fI/etc/yard.conf\fP\&.
.TP
.B \-q
.TQ
.B \-\-quiet
Say nothing.
.TP
.B \-\-dry\-run
.UNINDENT
.PP
\-\-wind
.RS 4
Wait for the wind to drop.
.RE
.SS Marks
.IP \(bu 2
The first \(em it\(aqs red.
.IP 2.
The second.
.IP "" 2
It is \*(L"green\*(R".
.if n \{\
.sp
.\}
.if t \{\
Only on paper.
.\}
.nf
\&.profile = \(dqyard\(dq
# no heading

    \efB
.fi
.TS
tab(;);
l l.
Mast;Height
_
Main;T{
40
.B metres
T}
.TE
.SH "SEE ALSO"
.BR mast\-down (1),
.UR https://yard.example
the yard
.UE .
.br
# also no heading
"#;
    let document = only("mast-up.1", page);
    assert_eq!(document.title.as_deref(), Some("MAST-UP(1)"));
    assert_eq!(document.format, Format::Markdown);
    assert_eq!(
        document.text,
        "# Name\n\nmast-up - raises a mast\n\n# SYNOPSIS\n\nmast-up [option]... file\n\n# OPTIONS\n\n\
         - --height=metres: How high it is. The limit is 40 metres, see /etc/yard.conf.\n\n\
         - -q, --quiet: Say nothing.\n\n- --dry-run\n\n- --wind: Wait for the wind to drop.\n\n## Marks\n\n\
         - The first — it's red.\n\n2. The second.\n\nIt is \"green\".\n\n\
         ```\n.profile = \"yard\"\n# no heading\n\n    \\fB\n```\n\nMast; Height\n\nMain; 40 metres\n\n\
         # SEE ALSO\n\nmast-down(1), the yard <https://yard.example>.\n      # also no heading\n"
    );
}

#[test]
fn manual_pages_in_mdoc_say_what_their_words_are() {
    let page = r#".\" Raises masts.
.Dd March 1, 2026
.Dt MAST 8
.Os
.Sh NAME
.Nm mast ,
.Nm masts
.Nd raise a mast
.Sh SYNOPSIS
.Nm
.Op Fl aq
.Op Fl f Ar file Ns Oo , Ns Ar file Oc
.Ar
.Nm
.Fl -version
.Sh DESCRIPTION
The
.Nm
utility raises masts
.Pq see Xr yard 5 ,
and reads
.Pa /etc/yard.conf .
.Bl -tag -width Ds
.It Fl f Ar file , Fl Fl from Ns = Ns Ar file
Reads
.Dq Li file .
.It Xo
.Fl q
.Ar level
.Xc
Says nothing.
.El
.Bl -enum
.It
One.
.It
Two.
.El
.Bl -column a b
.It Mast Ta Height
.It Main Ta 40
.El
.Bd -literal -offset indent
# mast -q
.Ed
.Fo raise
.Fa "int height"
.Fa "int wind"
.Fc
calls
.Fn lower "int height" .
.Dl mast -a
.Ex -std
"#;
    let document = only("mast.8", page);
    assert_eq!(document.title.as_deref(), Some("MAST(8)"));
    assert_eq!(
        document.text,
        "# NAME\n\nmast, masts - raise a mast\n\n# SYNOPSIS\n\nmast [-aq] [-f file[,file]] file ...\n\
         mast --version\n\n# DESCRIPTION\n\nThe mast utility raises masts (see yard(5)), and reads /etc/yard.conf.\n\n\
         - -f file, --from=file: Reads \"file\".\n\n- -q level: Says nothing.\n\n1. One.\n\n2. Two.\n\n\
         Mast; Height\n\nMain; 40\n\n```\n# mast -q\n```\n\nraise(int height, int wind) calls lower(int height).\n\n\
         ```\nmast -a\n```\n\nThe mast utility exits 0 on success, and >0 if an error occurs.\n"
    );
}

#[test]
fn a_manual_page_is_told_by_its_ending_and_its_content() {
    assert_eq!(only("masts.1", "Masts of\n.TH wood\n").text, "Masts of\n.TH wood\n");
    assert_eq!(only("masts.txt", ".TH MAST 1\n.SH NAME\n").text, ".TH MAST 1\n.SH NAME\n");
    assert_eq!(only("masts.0", ".TH MAST 1\n").format, Format::Plain);
    assert_eq!(only("masts.3p", ".TH MAST 3p\nText.\n").title.as_deref(), Some("MAST(3p)"));
    let made = ".de Sp\ntext\n..\n.if \\n(.g .if t \\\n\\{\\\n.ds o a\n.\\}\n\n.TH MAST 3pm\nof the form \\c\n.B a\\c\n\\&b\n";
    assert_eq!(only("mast.3pm", made).text, "of the form ab\n");
    let tight = ".Dd x\n.Sh A\nform\n.Sm off\n.Oo Ar user No @ Oc\n.Ar host\n.Sm on\nhere\n";
    assert_eq!(only("mast.1", tight).text, "# A\n\nform [user@]host here\n");
    let stream = ".TH MAST 1\n.SH NAME\nmast\n".as_bytes();
    let read: Vec<_> = super::read_stream("stdin", Some("1"), stream, &ReadOptions::default()).collect();
    assert_eq!(read[0].as_ref().expect("a document").text, "# NAME\n\nmast\n");
}

#[test]
fn a_broken_manual_page_is_read_as_far_as_it_goes() {
    let open = ".TH\n.SH\nNAME\n.TP\n.IP\n.nf\nls \\f\n```\n.SH NEXT\n.if n \\{\\\n.ie t \\{\nlost\n.SH LAST\n.TS\nl l.\na\tT{\nb\n.SH \"END\n.nosuch x\n.B \"open\n.EQ\nx\n";
    let document = only("a.1", open);
    assert_eq!(document.title, None);
    assert_eq!(
        document.text,
        "# NAME\n\n```\nls\n      ```\n```\n\n# NEXT\n\n# LAST\n\na; b\n\n# END\n\nopen\n"
    );
    assert!(problem("a.1", ".TH A 1\n.de x\nText.\n").contains("no text"));
    let mdoc = ".Dd\n.Sh\n.Nm\n.It\n.El\n.It Xo\n.Op Op Fl\n.Bl\n.Oc ) (\n.Xr\n.Ns\n.Sm off\n.Fl a\n";
    assert!(only("a.1", mdoc).text.contains("[[-]]"));
    // What takes long on purpose: escapes, brackets and blocks without end.
    for part in
        ["\\[", "\\h'", ".if n ", "\\(", "\\n[", ".ie t \\{\n", ".TS\n", "\"", ".It Xo\n", ".RS\na\n", "T{\n"]
    {
        let page = format!(".TH A 1\na\n{}", part.repeat(20_000));
        let read = read_file("a.1", &page);
        assert_eq!(read.len(), 1, "{part}");
        read_file("a.1", page.replace(".TH", ".Dd"));
    }
}
