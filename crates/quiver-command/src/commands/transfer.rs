//! `quiver export` and `quiver import`.

use std::{
    error::Error as _,
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Cursor, IsTerminal, Read as _, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use quiver::{
    Quiver,
    graph::Unreadable,
    memory::{GraphExportOptions, GraphFormat},
};
use quiver_forms::Moment;

use super::{count, wrong_in_line};
use crate::{
    Exit,
    arguments::{ExportArguments, ExportFormat, ImportArguments, OnError},
    database,
    exit::Failed,
    json,
    output::{Output, note},
    settings::Settings,
};

/// Maximum length of the first line of an export.
const HEADER_BYTES_MAX: u64 = 64 << 10;

pub(super) async fn export(
    arguments: &ExportArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let moments = &arguments.moments;
    if arguments.format == ExportFormat::Dump && (moments.as_of.is_some() || moments.known_at.is_some()) {
        let message =
            "a dump covers all times: --as-of and --known-at require --format cypher, graphml or jsonl";
        return Err(Failed::usage(message).into());
    }
    if output.is_json() && arguments.output.is_none() {
        let message =
            "an export is not a single JSON document: write it to a file with --output, or omit --json";
        return Err(Failed::usage(message).into());
    }
    // The temporary copy of a salvage is deleted at the end of this function.
    let (quiver, _copy) = if arguments.salvage {
        let (quiver, copy) = database::salvage(settings).await?;
        (quiver, Some(copy))
    } else {
        (database::open(settings).await?, None)
    };
    let unreadable = match &arguments.output {
        None => write(&quiver, arguments, &mut *output.writer()).await?,
        Some(path) => export_to(&quiver, arguments, path).await?,
    };
    if let (true, Some(path)) = (output.is_json(), &arguments.output) {
        let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len());
        let left_out = unreadable.iter().map(|left_out| left_out.why.clone()).collect();
        output.document(json::Exported { output: path.display().to_string(), bytes, left_out })?;
    }
    for left_out in &unreadable {
        note(&format!("omitted: {}", left_out.why));
    }
    Ok(if unreadable.is_empty() { Exit::Done } else { Exit::Negative })
}

/// Writes the export in the chosen format.
async fn write(
    quiver: &Quiver,
    arguments: &ExportArguments,
    writer: &mut (dyn Write + Send),
) -> quiver::Result<Vec<Unreadable>> {
    let format = match arguments.format {
        ExportFormat::Dump => {
            let export = quiver.export();
            let export = if arguments.vectors { export.vectors() } else { export };
            return export.write_to(writer).await;
        }
        ExportFormat::Cypher => GraphFormat::Cypher,
        ExportFormat::Graphml => GraphFormat::GraphMl,
        ExportFormat::Jsonl => GraphFormat::JsonLines,
    };
    let moment = |moment: Option<Moment>| moment.map(|moment| moment.0);
    let (as_of, known_at) = (moment(arguments.moments.as_of), moment(arguments.moments.known_at));
    let exported = quiver.export_graph(&GraphExportOptions { format, as_of, known_at }, writer).await?;
    if exported.relations == 0 {
        note(&why_empty(quiver, exported.entities, as_of.is_some() || known_at.is_some()).await?);
    }
    Ok(Vec::new())
}

/// Says why an export of the graph has no relations.
async fn why_empty(quiver: &Quiver, entities: usize, is_past: bool) -> quiver::Result<String> {
    let what = match entities {
        0 => "the export is empty".to_owned(),
        entities => format!("the export has {} and no relations", count(entities, "entity")),
    };
    let stats = quiver.stats().await?;
    let why = match (stats.relations, stats.passages) {
        (0, 0) if stats.entities == 0 => format!("the workspace {} is empty", stats.workspace),
        (0, _) => "the documents and turns state none that was read".to_owned(),
        (_, _) if is_past => "no fact held or was known at that moment".to_owned(),
        (_, _) => "no fact holds now; --as-of exports those of a past moment".to_owned(),
    };
    Ok(format!("{what}: {why}"))
}

async fn export_to(quiver: &Quiver, arguments: &ExportArguments, path: &Path) -> Result<Vec<Unreadable>> {
    let unwritable = || format!("{} can't be written", path.display());
    // Special files such as /dev/null are written to, not replaced.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(path).with_context(unwritable)?;
        return Ok(write(quiver, arguments, &mut BufWriter::new(file)).await?);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // Restricted by the umask.
    }
    let mut file = BufWriter::new(builder.tempfile_in(directory).with_context(unwritable)?);
    let unreadable = write(quiver, arguments, &mut file).await?;
    file.flush().with_context(unwritable)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error).with_context(unwritable)?;
    file.as_file().sync_all().with_context(unwritable)?;
    file.persist(path).map_err(|error| error.error).with_context(unwritable)?;
    Ok(unreadable)
}

pub(super) async fn import(
    arguments: &ImportArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let mut reader = open(arguments.file.as_ref())?;
    let header = header(&mut reader, arguments.file.as_ref())?;
    // A file that is not an export leaves no database behind.
    let trial = Quiver::builder().memory().workspace(settings.workspace.clone()).open().await?;
    trial.import(header.as_slice()).await.map_err(|error| no_export(error, arguments.file.as_ref()))?;
    let reader = Cursor::new(header).chain(reader);
    let quiver = database::open_or_create(settings).await?;
    let mut skipped = Vec::new();
    let mut import = quiver.import(reader);
    if arguments.on_error == OnError::Skip {
        import = import.skip_invalid(|error| {
            note(&format!("skipped: {error}"));
            skipped.push(error.to_string());
        });
    }
    let report = import.await?;
    let exit = if report.lines_skipped == 0 { Exit::Done } else { Exit::Input };
    if output.is_json() {
        output.document(json::Imported::of(report, skipped))?;
        return Ok(exit);
    }
    output.line(format_args!(
        "{}, {} and {} read",
        count(report.entities, "entity"),
        count(report.relations, "relation"),
        count(report.passages, "passage")
    ))?;
    if report.encoded > 0 {
        output.line(format_args!("recomputed the vectors of {}", count(report.encoded, "record")))?;
    }
    Ok(exit)
}

/// Says that a file is not an export.
fn no_export(error: quiver::Error, file: Option<&PathBuf>) -> anyhow::Error {
    let Some(wrong) = error.source().and_then(|source| source.downcast_ref::<serde_json::Error>()) else {
        return error.into();
    };
    let why = wrong_in_line(wrong);
    let name = file.map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    Failed::input(format!(
        "{name}, line 1: {why}; this is not an export of `quiver export`, whose first line is {{\"quiver_dump\": …}}; \
         `quiver ingest` reads documents, `quiver load` tables, and `quiver remember --from` turns"
    ))
    .into()
}

/// Reads the first line.
fn header(reader: &mut dyn BufRead, file: Option<&PathBuf>) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    let read = reader.take(HEADER_BYTES_MAX + 1).read_until(b'\n', &mut line);
    let name = || file.map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    read.map_err(|error| Failed::input(format!("{} can't be read: {error}", name())))?;
    if line.len() as u64 > HEADER_BYTES_MAX {
        let message =
            format!("line 1 of the export is longer than {HEADER_BYTES_MAX} bytes; is it an export?");
        return Err(Failed::input(message).into());
    }
    Ok(line)
}

fn open(file: Option<&PathBuf>) -> Result<Box<dyn BufRead + Send>> {
    match file.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let file = File::open(path)
                .map_err(|error| Failed::input(format!("{} can't be read: {error}", path.display())))?;
            Ok(Box::new(BufReader::new(file)))
        }
        None => {
            if io::stdin().is_terminal() {
                note("reading an export from standard input; Ctrl-D ends it");
            }
            Ok(Box::new(BufReader::new(io::stdin())))
        }
    }
}
