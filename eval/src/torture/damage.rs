//! Damaged files: changes one file of a database while it is closed.

use std::{
    fs::{self, OpenOptions},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};

use super::{
    Case,
    random::Random,
    sample::{DATABASE, QUESTION},
};

/// Damages one file. Afterwards, every read must be complete or report the damage.
pub(super) fn run(case: &mut Case<'_>) -> Result<String> {
    let database = case.here().join(DATABASE);
    let mut files = Vec::new();
    list(&database, &mut files)?;
    files.sort();
    let file = case.random.pick(&files).clone();
    let name = file.strip_prefix(&database)?.display().to_string();
    let damage = damage(&mut case.random, &file).with_context(|| name.clone())?;
    let what = format!("{damage} in {name}");
    let asked = case.run(&["ask", QUESTION, "--path", DATABASE])?.expect(&[0, 1, 4]).context(what.clone())?;
    let export = case.run(&["export", "--path", DATABASE])?.expect(&[0, 1, 3, 4]).context(what.clone())?;
    let verify = case.run(&["verify", "--path", DATABASE])?.expect(&[0, 1, 4]).context(what.clone())?;
    let is_whole = export.stdout == case.sample.export;
    ensure!(is_whole || export.code != Some(0), "{what}: another export, and exit code 0: {export}");
    ensure!(
        is_whole || verify.code != Some(0),
        "{what}: the export is another one, and verify finds nothing"
    );
    for output in [&asked, &export, &verify] {
        ensure!(
            output.code != Some(4) || output.stderr.contains(DATABASE),
            "{what}: {output} names no place"
        );
    }
    Ok(match export.code {
        Some(0) => "does no harm",
        _ if export.stdout.is_empty() => "is reported, nothing is read",
        _ => "is reported, the rest is read",
    }
    .to_owned())
}

fn list(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else if entry.metadata()?.len() > 0 {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Damages a file and returns a description.
fn damage(random: &mut Random, path: &Path) -> Result<String> {
    let length = fs::metadata(path)?.len();
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    // Half of the damage hits the start of the file, because long files are mostly empty.
    let reach = if random.below(2) == 0 { length.min(512) } else { length };
    let place = random.next() % reach;
    match random.below(5) {
        0 | 1 => {
            let mut byte = [0];
            file.seek(SeekFrom::Start(place))?;
            file.read_exact(&mut byte)?;
            let bit = random.below(8);
            byte[0] ^= 1 << bit;
            file.seek(SeekFrom::Start(place))?;
            file.write_all(&byte)?;
            Ok(format!("bit {bit} of byte {place} of {length} flipped"))
        }
        2 => {
            file.set_len(place)?;
            Ok(format!("cut to {place} of {length} bytes"))
        }
        3 => {
            file.set_len(place)?;
            file.set_len(length)?;
            Ok(format!("zeros from byte {place} of {length}"))
        }
        _ => {
            fs::remove_file(path)?;
            Ok("deleted".to_owned())
        }
    }
}
