//! A database in a directory: a folder is read, asked about, changed, and read again, which costs only what changed.

use std::{error::Error, fs, path::Path};

use quiver::{
    Quiver, Receipt,
    read::{ReadOptions, read},
};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let folder = home.path().join("notes");
    fs::create_dir(&folder)?;
    fs::write(folder.join("ship.md"), "# Aurelia\n\nThe Aurelia was built at the Norby yard in 1911.")?;
    fs::write(folder.join("yard.md"), "# Norby yard\n\nThe Norby yard was founded by Ida Holm.")?;
    fs::write(folder.join("broken.jsonl"), "{\"text\": \"The Aurelia had two masts.\"}\n{\"text\": \n")?;

    let database = home.path().join("quiver-data");
    {
        let quiver = Quiver::open(&database).await?;
        println!("first:  {:?}", ingest(&quiver, &folder).await?);
    }

    // The directory keeps everything. One process at a time may have it open.
    let quiver = Quiver::open(&database).await?;
    fs::write(folder.join("yard.md"), "# Norby yard\n\nThe Norby yard was founded by Ida Holm in Bergen.")?;
    println!("second: {:?}", ingest(&quiver, &folder).await?);

    let answer = quiver.ask("Who founded the yard where the Aurelia was built?").await?;
    println!("{}", answer.text.as_deref().unwrap_or("no answer"));
    for citation in &answer.citations {
        println!("  {}: “{}”", citation.title, citation.sentence);
    }

    quiver.delete("notes:ship.md").await?;
    for document in quiver.documents().await? {
        println!("left: {}", document.key);
    }
    Ok(())
}

/// Ingests what can be read, and says what can't.
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn ingest(quiver: &Quiver, folder: &Path) -> quiver::Result<Receipt> {
    let mut documents = Vec::new();
    // Keys are absolute paths unless a source gives them a name: `notes:ship.md`.
    let options =
        ReadOptions { source: Some("notes".parse().expect("a name of letters")), ..ReadOptions::default() };
    for document in read(folder, &options) {
        match document {
            Ok(document) => documents.push(document),
            Err(problem) => println!("skipped: {problem}"),
        }
    }
    quiver.ingest(documents).await
}
