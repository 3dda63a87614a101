//! Presentations of `PowerPoint`: each slide is a section with its title, text, tables and speaker notes.

use super::{
    ReadProblem,
    archive::{Archive, broken, locked},
    fold,
    row::{Table, unmarked},
    xml::{Piece, attribute, first_text, pieces},
};
use crate::document::{Document, Format};
use std::{collections::HashMap, fmt::Write as _, path::Path};

const WHAT: &str = "PowerPoint presentation";

pub(super) fn document(path: &Path, bytes: &[u8], bytes_max: u64) -> Result<Document, ReadProblem> {
    let wrong = || locked(path, bytes).unwrap_or_else(|| broken(path, WHAT));
    let mut archive = Archive::open(bytes, bytes_max).ok_or_else(wrong)?;
    let presentation = archive.text("ppt/presentation.xml").ok_or_else(wrong)?;
    let links = Links::of(&mut archive, "ppt/presentation.xml");
    let (mut text, mut first_title) = (String::new(), None);
    for (number, id) in (1..).zip(slides(&presentation)) {
        let part = links.part(&id).ok_or_else(wrong)?;
        let slide = slide(&mut archive, &part).ok_or_else(wrong)?;
        first_title = first_title.or_else(|| Some(slide.title.clone()).filter(|title| !title.is_empty()));
        slide.write(number, &mut text);
    }
    let title = archive.text("docProps/core.xml").and_then(|core| first_text(&core, "dc:title"));
    // What the program writes there by itself: "PowerPoint Presentation", in its own language.
    let title = title.filter(|title| !title.contains("PowerPoint"));
    Ok(Document { title: title.or(first_title), text, format: Format::Sections, ..Document::default() })
}

/// The slides in the order in which they are shown, by the links to them.
fn slides(presentation: &str) -> Vec<String> {
    let mut slides = Vec::new();
    pieces(presentation, |piece| {
        if let Piece::Start("p:sldid", tag) = piece {
            slides.extend(attribute(tag, "r:id"));
        }
    });
    slides
}

fn slide(archive: &mut Archive<'_>, part: &str) -> Option<Slide> {
    let text = archive.text(part)?;
    let links = Links::of(archive, part);
    let mut reader = Reader::default();
    pieces(&text, |piece| reader.take(&piece));
    let mut slide = reader.slide;
    for id in reader.diagrams {
        let diagram = links.part(&id).and_then(|part| archive.text(&part));
        slide.paragraphs.extend(diagram.into_iter().flat_map(|diagram| paragraphs(&diagram)));
    }
    if let Some(notes) = links.kind("notesSlide").and_then(|part| archive.text(&part)) {
        let mut reader = Reader { is_notes: true, ..Reader::default() };
        pieces(&notes, |piece| reader.take(&piece));
        slide.notes = reader.slide.paragraphs;
    }
    Some(slide)
}

/// Where the links of a part lead.
#[derive(Default)]
struct Links {
    folder: String,
    targets: HashMap<String, String>,
    kinds: HashMap<String, String>,
}

impl Links {
    fn of(archive: &mut Archive<'_>, part: &str) -> Self {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut links = Self { folder: folder.to_owned(), ..Self::default() };
        let Some(text) = archive.text(&format!("{folder}/_rels/{name}.rels")) else { return links };
        pieces(&text, |piece| {
            if let Piece::Start("relationship", tag) = piece
                && let (Some(id), Some(target)) = (attribute(tag, "id"), attribute(tag, "target"))
            {
                let kind = attribute(tag, "type").unwrap_or_default();
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                links.kinds.entry(kind).or_insert_with(|| target.clone());
                links.targets.insert(id, target);
            }
        });
        links
    }

    fn part(&self, id: &str) -> Option<String> {
        Some(self.resolved(self.targets.get(id)?))
    }

    /// The first part of a kind.
    fn kind(&self, kind: &str) -> Option<String> {
        Some(self.resolved(self.kinds.get(kind)?))
    }

    fn resolved(&self, target: &str) -> String {
        if let Some(whole) = target.strip_prefix('/') {
            return whole.to_owned();
        }
        let mut path: Vec<&str> = self.folder.split('/').collect();
        for name in target.split('/') {
            match name {
                ".." => drop(path.pop()),
                "." => {}
                name => path.push(name),
            }
        }
        path.join("/")
    }
}

/// The paragraphs of a part that holds nothing but text, such as a diagram.
fn paragraphs(text: &str) -> Vec<String> {
    let (mut paragraphs, mut paragraph, mut is_text) = (Vec::new(), String::new(), false);
    pieces(text, |piece| match piece {
        Piece::Start("a:t", _) => is_text = true,
        Piece::End("a:t") => is_text = false,
        Piece::Text(part) if is_text => paragraph.push_str(part),
        Piece::Start("a:br", _) => paragraph.push(' '),
        Piece::End("a:p") => {
            let folded = fold(&std::mem::take(&mut paragraph));
            paragraphs.extend(Some(folded).filter(|folded| !folded.is_empty()));
        }
        _ => {}
    });
    paragraphs
}

/// What a slide says.
#[derive(Default)]
struct Slide {
    title: String,
    paragraphs: Vec<String>,
    notes: Vec<String>,
}

impl Slide {
    /// Writes a slide, if it says anything. Slides count all the same.
    fn write(&self, number: usize, text: &mut String) {
        if self.title.is_empty() && self.paragraphs.is_empty() && self.notes.is_empty() {
            return;
        }
        let colon = if self.title.is_empty() { "" } else { ": " };
        let _ = write!(text, "# Slide {number}{colon}{}\n\n", self.title);
        let mut is_item = false;
        for paragraph in &self.paragraphs {
            let begins_item = paragraph.trim_start().starts_with("- ");
            // The items of a list stand together.
            if is_item && !begins_item {
                text.push('\n');
            }
            text.push_str(paragraph);
            text.push_str(if begins_item { "\n" } else { "\n\n" });
            is_item = begins_item;
        }
        if is_item {
            text.push('\n');
        }
        for (at, note) in self.notes.iter().enumerate() {
            text.push_str(if at == 0 { "Notes: " } else { "" });
            text.extend([&unmarked(note), "\n\n"]);
        }
    }
}

/// The role of a shape on a slide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Text,
    Title,
    /// The text of a slide, mostly a list.
    Body,
    /// The date, the footer, the number of the slide, or its picture.
    Furniture,
}

#[derive(Default)]
struct Reader {
    is_notes: bool,
    slide: Slide,
    role: Role,
    shape: Vec<(usize, String)>,
    paragraph: String,
    level: usize,
    is_text: bool,
    /// How many alternatives are open that older programs show in the place of others.
    fallbacks: usize,
    rows: Vec<Vec<String>>,
    in_table: bool,
    diagrams: Vec<String>,
}

impl Reader {
    fn take(&mut self, piece: &Piece<'_>) {
        match *piece {
            Piece::Start("mc:fallback", _) => self.fallbacks += 1,
            Piece::End("mc:fallback") => self.fallbacks = self.fallbacks.saturating_sub(1),
            _ if self.fallbacks > 0 => {}
            Piece::Start("p:sp", _) => self.role = Role::Text,
            Piece::Start("p:ph", tag) => self.role = role(attribute(tag, "type").as_deref()),
            Piece::End("p:sp") => self.end_shape(),
            Piece::Start("a:ppr", tag) => {
                self.level = attribute(tag, "lvl").and_then(|level| level.parse().ok()).unwrap_or(0);
            }
            Piece::Start("a:p", _) => self.level = 0,
            Piece::Start("a:t", _) => self.is_text = true,
            Piece::End("a:t") => self.is_text = false,
            Piece::Text(text) if self.is_text => self.paragraph.push_str(text),
            Piece::Start("a:br" | "a:tab", _) => self.paragraph.push(' '),
            Piece::End("a:p") => self.end_paragraph(),
            Piece::Start("a:tbl", _) => self.in_table = true,
            Piece::Start("a:tr", _) => self.rows.push(Vec::new()),
            Piece::Start("a:tc", tag) => {
                // A cell that goes on from the row above has its value.
                let goes_on = attribute(tag, "vmerge").is_some_and(|is| is == "1" || is == "true");
                let column = self.rows.last().map_or(0, Vec::len);
                let above = self.rows.iter().rev().nth(1).and_then(|row| row.get(column));
                let cell = above.filter(|_| goes_on).cloned().unwrap_or_default();
                self.rows.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            Piece::End("a:tbl") => {
                self.in_table = false;
                let rows = Table::of_rows(std::mem::take(&mut self.rows)).paragraphs();
                let rows = rows.split("\n\n").filter(|row| !row.is_empty());
                self.slide.paragraphs.extend(rows.map(unmarked));
            }
            Piece::Start("dgm:relids", tag) => self.diagrams.extend(attribute(tag, "r:dm")),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = fold(&std::mem::take(&mut self.paragraph));
        if paragraph.is_empty() {
            return;
        }
        if !self.in_table {
            self.shape.push((self.level.min(8), paragraph));
        } else if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(&paragraph);
        }
    }

    fn end_shape(&mut self) {
        let shape = std::mem::take(&mut self.shape);
        let is_list = self.role == Role::Body && shape.len() > 1 && !self.is_notes;
        let is_wanted = match self.role {
            Role::Furniture => false,
            Role::Title | Role::Text => !self.is_notes,
            Role::Body => true,
        };
        if !is_wanted {
            return;
        }
        if self.role == Role::Title && self.slide.title.is_empty() {
            let lines: Vec<String> = shape.into_iter().map(|(_, paragraph)| paragraph).collect();
            self.slide.title = lines.join(" ");
            return;
        }
        let written = shape.into_iter().map(|(level, paragraph)| {
            if is_list { format!("{}- {paragraph}", "  ".repeat(level)) } else { unmarked(&paragraph) }
        });
        self.slide.paragraphs.extend(written);
    }
}

fn role(placeholder: Option<&str>) -> Role {
    match placeholder {
        Some("title" | "ctrTitle") => Role::Title,
        Some("dt" | "ftr" | "hdr" | "sldNum" | "sldImg") => Role::Furniture,
        None | Some("body" | "obj") => Role::Body,
        Some(_) => Role::Text,
    }
}
