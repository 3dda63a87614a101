//! Files made to break their readers, and text made to act on terminals.

use std::{fmt::Write as _, fs, io::Write as _, process::Command, time::Instant};

use flate2::{Compression, FlushCompress, write::ZlibEncoder};

use crate::support::{Home, Run};

/// Returns a PDF file with these objects, the first of which is the catalogue.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    file.extend(table.bytes());
    let trailer =
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.bytes());
    file
}

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", content.len()).into_bytes();
    object.extend(content);
    object.extend(b"\nendstream");
    object
}

const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// Returns a file with one page, whose content is object 4 and whose form is object 6.
fn page(content: Vec<u8>, form: Vec<u8>) -> Vec<u8> {
    let resources = "<< /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>";
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources {resources} >>"
    );
    let pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    pdf(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        pages.into(),
        page.into(),
        content,
        FONT.into(),
        form,
    ])
}

fn text(words: &str) -> Vec<u8> {
    stream("", format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET").as_bytes())
}

/// Returns four gigabytes of spaces in some kilobytes: a stream deflated twice.
fn bomb() -> Vec<u8> {
    let mut block = Vec::new();
    let mut deflate = flate2::Compress::new(Compression::best(), true);
    let spaces = vec![b' '; 1 << 20];
    block.reserve(1 << 16);
    deflate.compress_vec(&spaces, &mut block, FlushCompress::Full).unwrap();
    // After a full flush each block is independent, so a block can be repeated any number of times.
    let header = block[..2].to_vec();
    let inner = [header, block[2..].repeat(4096)].concat();
    let mut outer = ZlibEncoder::new(Vec::new(), Compression::best());
    outer.write_all(&inner).unwrap();
    outer.finish().unwrap()
}

#[test]
fn a_file_that_breaks_its_reader_is_named_and_the_next_one_read() {
    let home = Home::new();
    let draws_itself =
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>";
    home.write("docs/form.pdf", page(stream("", b"/X Do"), stream(draws_itself, b"/X Do")));
    home.write("docs/itself.pdf", page(b"4 0 R".to_vec(), b"6 0 R".to_vec()));
    home.write("docs/bomb.pdf", page(stream("/Filter [/FlateDecode /FlateDecode]", &bomb()), text("")));
    home.write("docs/sound.pdf", page(text("The Norby yard was founded by Ida Holm."), text("")));
    home.write("docs/zebra.txt", "The Aurelia was built at the Norby yard.");
    assert!(Command::new("mkfifo").arg(home.path("docs/pipe.txt")).status().unwrap().success());
    let began = Instant::now();
    let ingest = ["ingest", "docs", "--file-seconds", "25"];
    let first = home.run(&ingest).expect(3);
    for name in ["form.pdf", "itself.pdf", "bomb.pdf", "pipe.txt"] {
        assert!(first.stderr.contains(&format!("docs/{name}: ")), "{name} is not named in {first:#?}");
    }
    assert!(first.stdout.contains("4 skipped, as reported above"), "{first:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["docs/sound.pdf", "docs/zebra.txt"]));
    let again = home.run(&ingest).expect(3);
    let said = |run: &Run| {
        let lines = run.stderr.lines().filter(|line| line.contains("docs/"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((said(&again).len(), said(&first)), (4, said(&again)));
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

/// Returns a ZIP archive of one file, which claims an unpacked size of nearly 4 GB.
fn zip(name: &str, packed: &[u8]) -> Vec<u8> {
    let long = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
    let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
    let sizes = [&[0; 4][..], &long(packed.len()), &[0xfe, 0xff, 0xff, 0xff]].concat();
    let head = |start: &[u8]| [start, &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0], &sizes, &name_length].concat();
    let file = [&head(b"PK\x03\x04"), &[0, 0][..], name.as_bytes(), packed].concat();
    let list = [&head(b"PK\x01\x02\x14\0"), &[0; 16][..], name.as_bytes()].concat();
    let end = [b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &long(list.len())[..], &long(file.len()), &[0, 0]].concat();
    [file, list, end].concat()
}

#[test]
fn office_files_that_unpack_without_end_or_are_encrypted_are_named() {
    let home = Home::new();
    let begins = |text: &str| {
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), Compression::none());
        packed.write_all(text.as_bytes()).unwrap();
        packed.flush().unwrap();
        packed.get_ref().clone()
    };
    let mut block = Vec::with_capacity(1 << 16);
    let mut deflate = flate2::Compress::new(Compression::best(), false);
    deflate.compress_vec(&vec![b' '; 1 << 20], &mut block, FlushCompress::Full).unwrap();
    let endless = |start: &str| [begins(start), block.repeat(4096)].concat();
    home.write("docs/bomb.pptx", zip("ppt/presentation.xml", &endless("<p:presentation><a:t>")));
    home.write("docs/bomb.docx", zip("word/document.xml", &endless("<w:p><w:t>")));
    home.write("docs/bomb.xlsx", zip("_rels/.rels", &endless("<Relationships>")));
    let locked: Vec<u8> = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".iter().copied().chain([0; 1016]).collect();
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    home.write("docs/locked.xlsx", [locked, name].concat());
    home.write("docs/zebra.txt", "The Aurelia was built at the Norby yard.");
    let run = home.run(&["ingest", "docs", "--file-seconds", "8"]).expect(3);
    for name in ["bomb.pptx", "bomb.docx", "bomb.xlsx"] {
        assert_eq!(run.stderr.matches(&format!("docs/{name}: ")).count(), 1, "{name} in {run:#?}");
    }
    assert!(run.stderr.contains("docs/locked.xlsx: encrypted with a password"), "{run:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["docs/zebra.txt"]));
}

/// Writes to the clipboard, reverses the line, and returns to its start.
const ACTS: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{202e}\r\u{9b}2J";

/// Whether any character acts on a terminal, apart from line ends and tabs.
fn acts(text: &str) -> bool {
    text.contains(|c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(&c)
    })
}

#[test]
fn no_text_of_others_acts_on_the_terminal() {
    let home = Home::new();
    let name = format!("note {}.md", ACTS.replace('/', ""));
    home.write(
        &format!("docs/{name}"),
        format!("# The Norby{ACTS} yard\n\nIda{ACTS} Holm founded the Norby yard."),
    );
    let record = serde_json::json!({ "id": format!("x{ACTS}"), "title": format!("Aurelia{ACTS}"),
        "text": format!("The Aurelia{ACTS} was built at the Norby yard."), "metadata": { "m": ACTS } });
    home.write("docs/records.jsonl", format!("{record}\n{{\"id\": \"{}\"\n", "\u{202e}"));
    home.write(&format!("docs/broken{ACTS}.md"), b"\xff\xff");
    let turn = serde_json::json!({ "session": format!("s{ACTS}"), "speaker": format!("Ida{ACTS}"),
        "text": format!("Ida Holm owns the Aurelia{ACTS}."),
        "facts": [{ "subject": format!("Ida{ACTS}"), "predicate": format!("owns{ACTS}"), "object": ACTS }] });
    home.write("turns.jsonl", format!("{turn}\n"));
    let acts_as_name = format!("nobody{ACTS}");
    for arguments in [
        &["ingest", "docs"][..],
        &["ingest", &acts_as_name],
        &["documents"],
        &["ask", "Who founded the Norby yard?", "--trace"],
        &["search", "Norby yard"],
        &["search", ACTS],
        &["context", "Norby yard"],
        &["remember", "--from", "turns.jsonl"],
        &["recall", "What does Ida own?", "--trace"],
        &["facts", "Ida", "--history"],
        &["facts", &acts_as_name],
        &["sessions"],
        &["forget", "--session", &acts_as_name],
        &["delete", &acts_as_name],
        &["verify"],
        &["stats", "--path", &acts_as_name],
        &["import", &acts_as_name],
        &["stats", "--workspace", &acts_as_name],
        &["stats", "--prefix", &acts_as_name],
        &["ingest", "--no-such-flag", &acts_as_name],
        &[&acts_as_name],
    ] {
        for json in [false, true] {
            let mut command = home.command(arguments);
            if json {
                command.arg("--json");
            }
            let run = Run::of(command.output().unwrap());
            assert!(!acts(&run.stdout) && !acts(&run.stderr), "{arguments:?} acts: {run:#?}");
            if json {
                run.json();
            }
        }
    }
    let shown = home.run(&["documents"]).expect(0).stdout;
    assert!(shown.contains("␛]52;c;ZXZpbA==␇<U+202E>␍<U+009B>2J"), "{shown}");
    fs::remove_dir_all(home.path("docs")).unwrap();
}

/// A file without an end or a line break leads to a message, not to exhausted memory.
#[test]
#[cfg(unix)]
fn a_line_without_an_end_is_refused() {
    let home = Home::new();
    for command in [["remember", "--from", "/dev/zero"].as_slice(), &["import", "/dev/zero"]] {
        home.run(command).expect(3).says("is longer than");
    }
}

/// A line break in a file name does not create another document in the list.
#[test]
#[cfg(unix)]
fn a_key_is_one_line() {
    let home = Home::new();
    home.write("pages/a\n     1  forged.txt", "The Aurelia was built at the Norby yard.");
    home.run(&["ingest", "pages"]).expect(0);
    let listed = home.run(&["documents"]).expect(0).stdout;
    assert_eq!(listed.lines().count(), 1, "{listed:?}");
    assert!(listed.contains("a\u{240a}     1  forged.txt"), "{listed:?}");
}
