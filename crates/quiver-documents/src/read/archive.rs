//! Documents that are ZIP archives of XML: Word's, `PowerPoint`'s and books. Only what a text needs of the format is
//! read.

use super::ReadProblem;
use flate2::read::DeflateDecoder;
use std::{io::Read as _, path::Path};

/// The readable part of an archive.
pub(super) struct Archive<'b> {
    bytes: &'b [u8],
    entries: Vec<Entry>,
    /// Number of bytes that may still be unpacked, since a small archive may contain an endless file.
    left: u64,
}

struct Entry {
    name: String,
    is_deflated: bool,
    length: usize,
    header: usize,
}

/// The length of the record that ends an archive, and the most that a comment after it has.
const END: usize = 22;
const COMMENT_MAX: usize = 0xffff;

impl<'b> Archive<'b> {
    /// Reads the list of files of an archive. Returns `None` if the bytes are not an archive, or damaged.
    pub(super) fn open(bytes: &'b [u8], bytes_max: u64) -> Option<Self> {
        let from = bytes.len().saturating_sub(END + COMMENT_MAX);
        let end = (from..=bytes.len().checked_sub(END)?)
            .rev()
            .find(|at| bytes[*at..].starts_with(b"PK\x05\x06"))?;
        let count = short(bytes, end + 10)?;
        let mut at = long(bytes, end + 16)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let header = bytes.get(at..at + 46).filter(|header| header.starts_with(b"PK\x01\x02"))?;
            let [name, extra, comment] = [28, 30, 32].map(|part| short(header, part).unwrap_or_default());
            entries.push(Entry {
                name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
                is_deflated: short(header, 10)? == 8,
                length: long(header, 20)?,
                header: long(header, 42)?,
            });
            at += 46 + name + extra + comment;
        }
        Some(Self { bytes, entries, left: bytes_max })
    }

    /// Unpacks a file as text. Returns `None` if it is missing or damaged, or exceeds the limit.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        let header = self.bytes.get(entry.header..).filter(|header| header.starts_with(b"PK\x03\x04"))?;
        let start = 30 + short(header, 26)? + short(header, 28)?;
        let packed = header.get(start..start.checked_add(entry.length)?)?;
        let mut unpacked = Vec::new();
        let limit = self.left.saturating_add(1);
        if entry.is_deflated {
            DeflateDecoder::new(packed).take(limit).read_to_end(&mut unpacked).ok()?;
        } else {
            packed.take(limit).read_to_end(&mut unpacked).ok()?;
        }
        self.left = self.left.checked_sub(unpacked.len() as u64)?;
        let text = unpacked.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&unpacked);
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)).ok()
}

/// Returns the problem of a file that is not a complete archive of its kind.
pub(super) fn broken(path: &Path, what: &str) -> ReadProblem {
    let mend = "open it in the program that wrote it and save it again, or convert it to text";
    ReadProblem::new(path, None, format!("not a complete {what}"), mend)
}

/// Returns the problem of an Office file that is not an archive: it is encrypted, or has the older format.
pub(super) fn locked(path: &Path, bytes: &[u8]) -> Option<ReadProblem> {
    if !bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return None;
    }
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if bytes.windows(name.len()).any(|window| window == name) {
        return Some(ReadProblem::encrypted(path));
    }
    let mend = "open it in the program that wrote it and save it in the format of its extension";
    Some(ReadProblem::new(path, None, "the file has the old binary format of Office", mend))
}
