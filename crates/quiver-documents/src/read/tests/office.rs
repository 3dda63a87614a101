//! Presentations and workbooks.

use super::{archive, folder, only, problem};
use crate::{
    document::Format,
    read::{ReadOptions, read},
};

/// What Office writes in the place of an archive when a file has a password: a container with the name of its stream.
fn encrypted() -> Vec<u8> {
    let name = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes);
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".iter().copied().chain([0; 504]).chain(name).collect()
}

/// Links of a part, by their ids.
fn links(targets: &[(&str, &str, &str)]) -> String {
    let link = |(id, kind, target): &(&str, &str, &str)| {
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/>"
        )
    };
    let links: String = targets.iter().map(link).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{links}</Relationships>"
    )
}

fn shape(placeholder: &str, paragraphs: &[&str]) -> String {
    let paragraph = |text: &&str| format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>");
    let text: String = paragraphs.iter().map(paragraph).collect();
    format!("<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>")
}

fn slide(shapes: &[String]) -> String {
    format!("<?xml version=\"1.0\"?><p:sld><p:cSld><p:spTree>{}</p:spTree></p:cSld></p:sld>", shapes.concat())
}

#[test]
fn slides_are_sections_with_their_tables_and_notes() {
    let cell = |attributes: &str, text: &str| {
        format!("<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>")
    };
    let row = |cells: [String; 2]| format!("<a:tr>{}</a:tr>", cells.concat());
    let table = format!(
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{}{}{}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        row([cell("", "Service"), cell("", "Port")]),
        row([cell("rowSpan=\"2\"", "gateway"), cell("", "8443")]),
        row([cell("vMerge=\"1\"", ""), cell("", "9443")]),
    );
    let title = "<p:ph type=\"title\"/>";
    let second = slide(&[
        shape(title, &["Ports &amp;", "services"]),
        shape("<p:ph idx=\"1\"/>", &["The gateway listens.", "# of ports: 2"]),
        table,
        shape("", &["# a box of its own"]),
        shape("<p:ph type=\"sldNum\"/>", &["2"]),
        "<mc:AlternateContent><mc:Fallback><a:p><a:r><a:t>no</a:t></a:r></a:p></mc:Fallback></mc:AlternateContent>".to_owned(),
        "<p:graphicFrame><dgm:relIds r:dm=\"rId9\"/></p:graphicFrame>".to_owned(),
    ]);
    let notes = slide(&[
        shape("<p:ph type=\"sldImg\"/>", &[]),
        shape("<p:ph type=\"body\"/>", &["Ask Ida Holm.", "Then go on."]),
        shape("<p:ph type=\"sldNum\"/>", &["2"]),
    ]);
    let diagram = "<dgm:dataModel><a:p><a:r><a:t>Plan, then build</a:t></a:r></a:p></dgm:dataModel>";
    let slides = "<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId3\"/><p:sldId id=\"257\" r:id=\"rId2\"/>\
        <p:sldId id=\"258\" r:id=\"rId4\"/></p:sldIdLst></p:presentation>";
    let files = [
        ("ppt/presentation.xml", slides.to_owned()),
        (
            "ppt/_rels/presentation.xml.rels",
            links(&[
                ("rId2", "slide", "slides/slide1.xml"),
                ("rId3", "slide", "/ppt/slides/slide2.xml"),
                ("rId4", "slide", "slides/slide3.xml"),
            ]),
        ),
        ("ppt/slides/slide1.xml", second),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            links(&[
                ("rId1", "notesSlide", "../notesSlides/notesSlide1.xml"),
                ("rId9", "diagramData", "../diagrams/data1.xml"),
            ]),
        ),
        ("ppt/slides/slide2.xml", slide(&[shape("<p:ph type=\"ctrTitle\"/>", &["The Norby yard"])])),
        ("ppt/slides/slide3.xml", slide(&[])),
        ("ppt/notesSlides/notesSlide1.xml", notes),
        ("ppt/diagrams/data1.xml", diagram.to_owned()),
        ("docProps/core.xml", "<x><dc:title>PowerPoint-Präsentation</dc:title></x>".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let whole = archive(&files);
    let document = only("deck.pptx", &whole);
    assert_eq!(document.title.as_deref(), Some("The Norby yard"));
    assert_eq!(document.format, Format::Sections);
    assert_eq!(
        document.text,
        "# Slide 1: The Norby yard\n\n# Slide 2: Ports & services\n\n- The gateway listens.\n- # of ports: 2\n\n\
         Service: gateway; Port: 8443.\n\nService: gateway; Port: 9443.\n\n\\# a box of its own\n\nPlan, then build\n\n\
         Notes: Ask Ida Holm.\n\nThen go on.\n\n"
    );
    for broken in [&whole[..whole.len() / 2], b"no archive", &archive(&files[1..])] {
        assert!(problem("deck.pptx", broken).contains("not a complete PowerPoint presentation"));
    }
    // A slide that is listed and is not there.
    assert!(problem("deck.pptx", archive(&files[..2])).contains("not a complete PowerPoint presentation"));
}

#[test]
fn encrypted_files_and_older_formats_say_so() {
    for name in ["a.docx", "a.pptx"] {
        assert!(problem(name, encrypted()).contains("encrypted with a password; save it without one"));
        assert!(problem(name, &encrypted()[..512]).contains("the old binary format of Office"));
    }
    #[cfg(feature = "spreadsheets")]
    assert!(problem("a.xlsx", encrypted()).contains("encrypted with a password; save it without one"));
}

#[test]
fn workbooks_are_not_read_without_being_asked_for() {
    let folder = folder("a.xlsx", "x");
    let read: super::Read = read(folder.path(), &ReadOptions::default()).collect();
    assert!(read[0].as_ref().is_err_and(|problem| problem.what.contains("xlsx files are not read unless")));
}

#[cfg(feature = "spreadsheets")]
mod workbooks {
    use super::{archive, links, only, problem};
    use crate::document::Format;
    use std::fmt::Write as _;

    /// A cell: its text, or a number with a style of [`STYLES`].
    enum Value {
        Text(&'static str),
        Number(&'static str, usize),
        None,
    }
    use Value::{None, Number, Text};

    /// General, a date, a date with its time, a time, a share, a duration.
    const STYLES: &str = "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
        <numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm\"/></numFmts>\
        <cellXfs count=\"6\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/><xf numFmtId=\"20\"/>\
        <xf numFmtId=\"10\"/><xf numFmtId=\"46\"/></cellXfs></styleSheet>";

    fn sheet(rows: &[&[Value]], merged: &[&str]) -> String {
        let mut text =
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>"
                .to_owned();
        for (number, row) in (1..).zip(rows) {
            write!(text, "<row r=\"{number}\">").expect("strings take everything");
            for (column, value) in ('A'..='Z').zip(*row) {
                let cell = match value {
                    Text(text) => {
                        format!("<c r=\"{column}{number}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
                    }
                    Number(value, style) => {
                        format!("<c r=\"{column}{number}\" s=\"{style}\"><v>{value}</v></c>")
                    }
                    None => String::new(),
                };
                text.push_str(&cell);
            }
            text.push_str("</row>");
        }
        text.push_str("</sheetData>");
        if !merged.is_empty() {
            let areas: String = merged.iter().map(|area| format!("<mergeCell ref=\"{area}\"/>")).collect();
            write!(text, "<mergeCells>{areas}</mergeCells>").expect("strings take everything");
        }
        text + "</worksheet>"
    }

    /// A workbook of these sheets; a name that begins with a dash is that of a hidden one.
    fn workbook(sheets: &[(&str, String)]) -> Vec<u8> {
        let (mut list, mut targets) = (String::new(), Vec::new());
        let parts: Vec<(String, String, String)> = (1..=sheets.len())
            .map(|number| {
                (
                    format!("rId{number}"),
                    format!("worksheets/sheet{number}.xml"),
                    format!("xl/worksheets/sheet{number}.xml"),
                )
            })
            .collect();
        for (number, ((name, _), (id, target, _))) in (1..).zip(sheets.iter().zip(&parts)) {
            let (name, state) = name.strip_prefix('-').map_or((*name, ""), |name| (name, "state=\"hidden\""));
            write!(list, "<sheet name=\"{name}\" sheetId=\"{number}\" {state} r:id=\"{id}\"/>")
                .expect("strings take everything");
            targets.push((id.as_str(), "worksheet", target.as_str()));
        }
        let book = format!(
            "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
             xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>{list}</sheets></workbook>"
        );
        let root = links(&[("rId1", "officeDocument", "xl/workbook.xml")]);
        let links = links(&targets);
        let core = "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
            xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>The yard</dc:title></cp:coreProperties>";
        let mut files = vec![
            ("_rels/.rels", &*root),
            ("xl/workbook.xml", &*book),
            ("xl/_rels/workbook.xml.rels", &*links),
            ("xl/styles.xml", STYLES),
            ("docProps/core.xml", core),
        ];
        files.extend(
            parts.iter().zip(sheets).map(|((_, _, part), (_, sheet))| (part.as_str(), sheet.as_str())),
        );
        archive(&files)
    }

    fn text(rows: &[&[Value]], merged: &[&str]) -> String {
        let text = only("a.xlsx", workbook(&[("S", sheet(rows, merged))])).text;
        text.strip_prefix("# S\n\n").expect("the name of the sheet").to_owned()
    }

    #[test]
    fn rows_of_sheets_carry_their_heads_and_dates_are_dates() {
        let ships: &[&[Value]] = &[
            &[
                Text("Ship"),
                Text("Launched"),
                Text("Trial"),
                Text("At"),
                Text("Share"),
                Text("Length"),
                Text("Took"),
            ],
            &[
                Text("Aurelia"),
                Number("46082", 1),
                Number("46082.395833333", 2),
                Number("0.5625", 3),
                Number("0.255", 4),
                Number("44.300000000000004", 0),
                Number("1.5", 5),
            ],
            &[Text("Norby"), None, Number("46083", 2)],
        ];
        let book = workbook(&[
            ("Ships", sheet(ships, &[])),
            ("Empty", sheet(&[], &[])),
            ("-Lists", sheet(&[&[Text("no")]], &[])),
        ]);
        let document = only("yard.xlsx", &book);
        assert_eq!((document.title.as_deref(), document.format), (Some("The yard"), Format::Sections));
        assert_eq!(
            document.text,
            "# Ships\n\nShip: Aurelia; Launched: 2026-03-01; Trial: 2026-03-01 09:30; At: 13:30; Share: 25.5%; Length: 44.3; \
             Took: 36:00:00.\n\nShip: Norby; Trial: 2026-03-02.\n\n"
        );
        assert_eq!(only("yard.xlsm", &book).text, document.text);
        for broken in [&book[..book.len() / 2], b"no archive"] {
            assert!(problem("yard.xlsx", broken).contains("not a complete Excel workbook"));
        }
        assert!(problem("yard.xlsx", workbook(&[("Empty", sheet(&[], &[]))])).contains("no text"));
    }

    #[test]
    fn titles_stand_above_their_tables_and_merged_cells_are_said_in_each_row() {
        let rows: &[&[Value]] = &[
            &[Text("Costs of the yard")],
            &[Text("in thousands")],
            &[],
            &[Text("Region"), Text("2025"), None, Text("2026")],
            &[None, Text("Q1"), Text("Q2"), Text("Q1")],
            &[Text("North"), Number("1", 0), Number("2", 0), Number("3", 0)],
            &[None, Number("4", 0), Number("5", 0), Number("6", 0)],
            &[Text("Abroad")],
            &[Text("South"), Number("7", 0)],
            &[],
            &[Text("Seen by Ida Holm.")],
        ];
        let merged = &["A1:D1", "B4:C4", "A4:A5", "A6:A7", "A8:D8"];
        assert_eq!(
            text(rows, merged),
            "## Costs of the yard\n\nin thousands\n\nRegion: North; 2025 Q1: 1; 2025 Q2: 2; 2026 Q1: 3.\n\n\
             Region: North; 2025 Q1: 4; 2025 Q2: 5; 2026 Q1: 6.\n\n### Abroad\n\nRegion: South; 2025 Q1: 7.\n\n\
             Seen by Ida Holm.\n\n"
        );
    }

    #[test]
    fn several_tables_of_a_sheet_have_their_own_heads_and_empty_rows_part_none() {
        let rows: &[&[Value]] = &[
            &[Text("Service"), Text("Port")],
            &[Text("gateway"), Number("8443", 0)],
            &[],
            &[Text("cache"), Number("6379", 0)],
            &[Text("store"), Number("5432", 0)],
            &[],
            &[Text("Name"), Text("Since"), Text("# of teams")],
            &[Text("Ada"), Number("2020", 0), Number("3", 0)],
            &[],
            &[Text("Owner"), Text("Ida Holm")],
            &[Text("Built"), Number("46082", 1)],
            &[Text("Berths"), Number("4", 0)],
        ];
        assert_eq!(
            text(rows, &[]),
            "Service: gateway; Port: 8443.\n\nService: cache; Port: 6379.\n\nService: store; Port: 5432.\n\n\
             Name: Ada; Since: 2020; # of teams: 3.\n\nOwner: Ida Holm.\n\nBuilt: 2026-03-01.\n\nBerths: 4.\n\n"
        );
        assert_eq!(text(&[&[Text("only")], &[Text("a list")]], &[]), "only\n\na list\n\n");
    }

    #[test]
    fn sheets_of_libreoffice_are_read_alike() {
        let content = "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
            xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\">\
            <office:body><office:spreadsheet><table:table table:name=\"Ships\"><table:table-row>\
            <table:table-cell office:value-type=\"string\"><text:p>Ship</text:p></table:table-cell>\
            <table:table-cell office:value-type=\"string\"><text:p>Launched</text:p></table:table-cell>\
            <table:table-cell office:value-type=\"string\"><text:p>At</text:p></table:table-cell></table:table-row><table:table-row>\
            <table:table-cell office:value-type=\"string\"><text:p>Aurelia</text:p></table:table-cell>\
            <table:table-cell office:value-type=\"date\" office:date-value=\"2026-03-01\"><text:p>1.3.26</text:p></table:table-cell>\
            <table:table-cell office:value-type=\"time\" office:time-value=\"PT09H30M00S\"><text:p>9:30</text:p></table:table-cell>\
            </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>";
        let kind = "application/vnd.oasis.opendocument.spreadsheet";
        let manifest = |inside: &str| {
            format!(
                "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"><manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\">{inside}</manifest:file-entry></manifest:manifest>"
            )
        };
        let book = |inside: &str| {
            archive(&[
                ("mimetype", kind),
                ("content.xml", content),
                ("META-INF/manifest.xml", &manifest(inside)),
            ])
        };
        assert_eq!(
            only("yard.ods", book("")).text,
            "# Ships\n\nShip: Aurelia; Launched: 2026-03-01; At: 09:30.\n\n"
        );
        let whole = book("");
        assert!(
            problem("yard.ods", &whole[..whole.len() / 2])
                .contains("not a complete OpenDocument spreadsheet")
        );
        let locked = book("<manifest:encryption-data/>");
        assert!(problem("yard.ods", locked).contains("encrypted with a password"));
        assert!(
            problem("yard.ods", book("<manifest:encryption-data></manifest:encryption-data>"))
                .contains("encrypted with a password")
        );
    }
}
