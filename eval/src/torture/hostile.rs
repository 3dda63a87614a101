//! Hostile inputs: a folder with two good documents and one attack on the reader.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::{Case, random::Random};

/// A word that occurs only outside the folder, in the target of a symbolic link.
const OUTSIDE: &str = "Zanzibarium";
const FOLDER: &str = "folder";

/// Ingests such a folder. The good documents must be indexed, the others indexed or reported, and nothing may
/// be printed raw to the terminal.
pub(super) fn run(case: &mut Case<'_>) -> Result<String> {
    let folder = case.here().join(FOLDER);
    fs::create_dir(&folder)?;
    let good = [case.random.name(), case.random.name()];
    for (number, name) in good.iter().enumerate() {
        let text = format!("{name} Bridge was built by Ida Holm in 1911.\n");
        fs::write(folder.join(format!("good-{number}.md")), text)?;
    }
    fs::write(case.here().join("outside.txt"), format!("{OUTSIDE} was founded by Ida Holm.\n"))?;
    let attack = case.random.below(ATTACKS.len());
    let (name, attack) = ATTACKS[attack];
    attack(&folder, &mut case.random).context(name)?;
    check(case, &good).context(name)?;
    Ok(name.to_owned())
}

fn check(case: &Case<'_>, good: &[String; 2]) -> Result<()> {
    let ingest = ["ingest", FOLDER, "--path", "new"];
    case.run(&[&ingest[..], &["--json"]].concat())?.expect(&[0, 3])?.json()?;
    let again = case.run(&ingest)?.expect(&[0, 3])?;
    let export = case.run(&["export", "--path", "new", "--output", "new.jsonl"])?.expect(&[0])?;
    ensure!(export.stdout.is_empty(), "{export} prints what it writes to a file");
    let exported = fs::read_to_string(case.here().join("new.jsonl"))?;
    for name in good {
        ensure!(exported.contains(name.as_str()), "the good document about {name} is not there: {again}");
    }
    ensure!(!exported.contains(OUTSIDE), "a link was followed out of the folder");
    case.run(&["documents", "--path", "new"])?.expect(&[0])?;
    case.run(&["ask", "Who built the bridge?", "--path", "new"])?.expect(&[0, 1])?;
    case.run(&["search", "Holm", "--path", "new", "--json"])?.expect(&[0, 1])?.json()?;
    // The export must be a backup that can be restored.
    case.run(&["import", "new.jsonl", "--path", "restored"])?.expect(&[0])?;
    let restored = case.run(&["export", "--path", "restored", "--output", "restored.jsonl"])?.expect(&[0])?;
    ensure!(
        fs::read(case.here().join("restored.jsonl"))? == fs::read(case.here().join("new.jsonl"))?,
        "{restored}: the import of an export is another database"
    );
    Ok(())
}

type Attack = fn(&Path, &mut Random) -> Result<()>;

const ATTACKS: [(&str, Attack); 17] = [
    ("a FIFO", |folder, _| {
        let made = Command::new("mkfifo").arg(folder.join("pipe.txt")).status()?;
        ensure!(made.success(), "mkfifo failed");
        Ok(())
    }),
    ("a link to an endless device", |folder, _| Ok(symlink("/dev/zero", folder.join("zero.txt"))?)),
    ("a link out of the folder", |folder, _| Ok(symlink("../outside.txt", folder.join("link.txt"))?)),
    ("links in circles", |folder, _| {
        symlink("b.txt", folder.join("a.txt"))?;
        symlink("a.txt", folder.join("b.txt"))?;
        symlink(".", folder.join("here"))?;
        Ok(symlink("..", folder.join("up"))?)
    }),
    ("deep JSON", |folder, random| {
        let depth = 100 + random.below(40_000);
        let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        fs::write(folder.join("deep.json"), &deep)?;
        let line = format!("{{\"id\": \"d\", \"text\": \"Deep.\", \"metadata\": {{\"a\": {deep}}}}}\n");
        Ok(fs::write(folder.join("deep.jsonl"), line)?)
    }),
    ("deep metadata", |folder, random| {
        let depth = 110 + random.below(30);
        let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let line = format!("{{\"id\": \"d\", \"text\": \"Bo runs the yard.\", \"metadata\": {deep}}}\n");
        Ok(fs::write(folder.join("deep.jsonl"), line)?)
    }),
    ("deep HTML", |folder, random| {
        let depth = 1000 + random.below(60_000);
        Ok(fs::write(
            folder.join("deep.html"),
            format!("{}The yard.{}", "<div>".repeat(depth), "</div>".repeat(depth)),
        )?)
    }),
    ("escape sequences", |folder, random| {
        let escape =
            *random.pick(&["\u{1b}]52;c;aGk=\u{7}", "\u{1b}[2J", "\u{202e}", "\u{9b}31m", "\u{2066}"]);
        let text = format!("Bridge{escape} Works was founded by Ida{escape} Holm in 1911.\n");
        fs::write(folder.join("plain.txt"), &text)?;
        fs::write(folder.join("broken.jsonl"), format!("{{\"text\": \"{escape}\", {escape}\n"))?;
        fs::write(folder.join(format!("name{escape}.txt")), &text)?;
        let line = json!({ "id": format!("id{escape}"), "title": format!("Holm{escape}"), "text": text });
        Ok(fs::write(folder.join("lines.jsonl"), format!("{line}\n"))?)
    }),
    ("a PDF that refers to itself", |folder, random| {
        let content = *random.pick(&["4 0 R", "[4 0 R]", "<< /Length 4 0 R >>\nstream\n\nendstream"]);
        Ok(fs::write(folder.join("self.pdf"), pdf(content, "/Contents 4 0 R"))?)
    }),
    ("a PDF that draws itself", |folder, _| {
        let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >> \
                    /Length 5 >>\nstream\n/F Do\nendstream";
        Ok(fs::write(
            folder.join("form.pdf"),
            pdf(form, "/Contents 4 0 R /Resources << /XObject << /F 4 0 R >> >>"),
        )?)
    }),
    ("a PDF with flipped bytes", |folder, random| {
        let text = "<< /Length 41 >>\nstream\nBT /F1 12 Tf (The yard of Ida Holm.) Tj ET   \nendstream";
        let mut bytes = pdf(text, "/Contents 4 0 R").into_bytes();
        for _ in 0..=random.below(20) {
            let place = random.below(bytes.len());
            bytes[place] = random.next().to_le_bytes()[0];
        }
        Ok(fs::write(folder.join("bytes.pdf"), bytes)?)
    }),
    ("a long line", |folder, random| {
        let length = 200_000 + random.below(800_000);
        let letters: String =
            (0..length).map(|_| char::from(b'a' + random.next().to_le_bytes()[0] % 26)).collect();
        Ok(fs::write(folder.join("line.txt"), letters)?)
    }),
    ("a picture in Markdown", |folder, random| {
        let length = 50_000 + random.below(200_000);
        let digits: String =
            (0..length).map(|_| char::from(b'A' + random.next().to_le_bytes()[0] % 26)).collect();
        let text = format!("# Yard\n\n![plan](data:image/png;base64,{digits})\n\nThe yard is in Bergen.\n");
        Ok(fs::write(folder.join("picture.md"), text)?)
    }),
    ("bytes that are no text", |folder, random| {
        let bytes: Vec<u8> = (0..5000).map(|_| random.next().to_le_bytes()[0]).collect();
        for name in ["bytes.txt", "bytes.md", "bytes.html", "bytes.json", "bytes.jsonl"] {
            fs::write(folder.join(name), &bytes)?;
        }
        Ok(fs::write(folder.join("zeros.txt"), [0; 5000])?)
    }),
    ("numbers beyond 64 bits", |folder, _| {
        let lines = "{\"id\": 18446744073709551617, \"text\": \"Bo runs the yard.\"}\n\
                     {\"id\": 18446744073709551618, \"text\": \"Cy runs the mine.\"}\n\
                     {\"id\": 1e400, \"text\": \"Di runs the port.\"}\n{\"id\": -0.0, \"text\": \"Ed.\"}\n";
        Ok(fs::write(folder.join("numbers.jsonl"), lines)?)
    }),
    ("file names that are no text", |folder, _| {
        for (name, text) in
            [(&b"a\xff.txt"[..], "Bo runs the yard.\n"), (b"a\xfe.txt", "Cy runs the mine.\n")]
        {
            fs::write(folder.join(OsStr::from_bytes(name)), text)?;
        }
        Ok(())
    }),
    ("nothing to read", |folder, _| {
        fs::write(folder.join("empty.txt"), "")?;
        fs::write(folder.join("dots.txt"), "...\n")?;
        fs::write(folder.join("empty.jsonl"), "\n\n")?;
        Ok(fs::create_dir(folder.join("directory.pdf"))?)
    }),
];

/// Creates a PDF of one page with the given fourth object.
fn pdf(object: &str, page: &str) -> String {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] {page} >>"),
        object.to_owned(),
    ];
    let mut text = "%PDF-1.4\n".to_owned();
    let mut table = "xref\n0 5\n0000000000 65535 f \n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        table.extend([format!("{:010} 00000 n \n", text.len())]);
        text.extend([format!("{} 0 obj\n{object}\nendobj\n", number + 1)]);
    }
    let start = text.len();
    format!("{text}{table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n")
}
