//! Unusable databases, and the messages about them.

use std::{
    fs,
    io::Write as _,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{Home, Run, copy, files, generated};

#[test]
fn a_directory_without_a_database_is_not_made_one_by_asking() {
    let home = Home::new();
    for arguments in
        [&["ask", "why"][..], &["documents"], &["stats"], &["verify"], &["export"], &["delete", "x"]]
    {
        home.run(arguments).expect(4).says("there is no database in quiver-data").says("quiver ingest");
    }
    assert!(!home.path("quiver-data").exists());
    home.write("file", "no directory");
    home.run(&["stats", "--path", "file"]).expect(4).says("file is a file");
    home.run(&["ingest", "file", "--path", "file/data"])
        .expect(4)
        .says("no database can be made in file/data");
}

#[test]
fn a_directory_with_other_files_is_not_made_a_database() {
    let home = Home::with_documents();
    home.run(&["export", "--output", "all.jsonl"]).expect(0);
    home.write("nodes.csv", "name\nAda\n");
    home.write("own/note.txt", "Ida Holm founded the Norby yard.");
    // Not files of a database.
    home.write("own/package.json", "{}");
    home.write("own/Cargo.lock", "");
    for arguments in [
        &["stats"][..],
        &["ask", "why"],
        &["verify"],
        &["export"],
        &["ingest", "ships"],
        &["ingest", "ships", "--dry-run"],
        &["remember", "Ida Holm owns the Aurelia."],
        &["load", "nodes.csv", "--label", "Person", "--key", "name"],
        &["query", "CREATE (:Person {name: 'Ada'})"],
        &["import", "all.jsonl"],
        &["demo"],
        &["backup", "copy"],
        #[cfg(feature = "serve")]
        &["keys", "create", "me"],
    ] {
        let run = home.run(&[arguments, &["--path", "own"]].concat()).expect(4);
        run.says("own is not a database: it contains Cargo.lock, note.txt, package.json")
            .says("empty or new");
    }
    home.run(&["backup", "own"]).expect(4).says("own is not a database");
    assert_eq!(files(&home.path("own")).len(), 3);
}

#[test]
fn a_directory_that_is_empty_or_has_another_database_can_get_one() {
    let home = Home::with_documents();
    fs::create_dir(home.path("empty")).unwrap();
    fs::create_dir(home.path("empty/lost+found")).unwrap();
    for arguments in [&["stats"][..], &["ask", "why"], &["documents"]] {
        home.run(&[arguments, &["--path", "empty"]].concat()).expect(4).says("there is no database in empty");
    }
    home.run(&["ingest", "ships", "--dry-run", "--path", "empty"]).expect(0);
    assert!(files(&home.path("empty")).is_empty());
    home.run(&["ingest", "ships", "--path", "empty"]).expect(0);
    home.run(&["ingest", "ships", "--path", "empty", "--prefix", "other"]).expect(0);
    home.run(&["stats", "--path", "empty", "--prefix", "third"]).expect(4).says("only other, quiver");
    // A database whose creation was interrupted.
    home.write("begun/quiver.lock", "");
    home.run(&["ingest", "ships", "--path", "begun"]).expect(0);
    #[cfg(feature = "serve")]
    {
        home.run(&["keys", "create", "me", "--path", "keyed"]).expect(0);
        home.run(&["ingest", "ships", "--path", "keyed"]).expect(0);
    }
}

#[test]
fn a_database_that_another_process_holds_is_named_with_its_holder() {
    let home = Home::with_documents();
    let export = home.run(&["export"]).expect(0).stdout;
    // It opens the database after the first line, then waits for input that never comes.
    let mut holder = home.command(&["import"]).stdin(Stdio::piped()).spawn().unwrap();
    let header = export.lines().next().unwrap();
    let mut stdin = holder.stdin.take().unwrap();
    stdin.write_all(format!("{header}\n").as_bytes()).unwrap();
    let (began, id) = (Instant::now(), holder.id().to_string());
    while fs::read_to_string(home.path("quiver-data/quiver.lock")).unwrap() != id {
        assert!(began.elapsed() < Duration::from_mins(1), "it never claims the database");
        thread::sleep(Duration::from_millis(20));
    }
    home.run(&["stats", "--wait", "0"]).expect(4).says("quiver-data").says(&format!("process {id}"));
    home.run(&["ingest", "ships", "--wait", "0"]).expect(4).says(&format!("process {id}"));
    holder.kill().unwrap();
    holder.wait().unwrap();
    // The lock ends with the process, however it ends.
    home.run(&["stats"]).expect(0);
}

#[test]
#[cfg(feature = "http")]
fn a_database_of_another_embedder_names_both() {
    let home = Home::with_documents();
    let embedder = format!("http:http://{}/v1#small", embeddings_endpoint());
    let run = home.run(&["stats", "--embedder", &embedder]).expect(4);
    run.says("small").says("export");
    home.run(&["ingest", "ships", "--path", "dense", "--embedder", &embedder]).expect(0);
    home.run(&["ask", "Who founded the Norby yard?", "--path", "dense", "--embedder", &embedder]).expect(0);
    home.run(&["stats", "--path", "dense"]).expect(4).says("small").says("export");
    // The remedy that the message names.
    home.run(&["export", "--output", "all.jsonl"]).expect(0);
    home.run(&["import", "all.jsonl", "--path", "migrated", "--embedder", &embedder]).expect(0);
    home.run(&["ask", "Who founded the Norby yard?", "--path", "migrated", "--embedder", &embedder])
        .expect(0);
}

/// Starts an endpoint that embeds a text as three numbers made from its bytes.
#[cfg(feature = "http")]
fn embeddings_endpoint() -> std::net::SocketAddr {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0_u8; length];
            reader.read_exact(&mut body).unwrap();
            let request: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let embed = |(index, text): (usize, &serde_json::Value)| {
                let text = text.as_str().unwrap();
                let sum = |skip: usize| text.bytes().skip(skip).step_by(3).map(f64::from).sum::<f64>() + 1.0;
                serde_json::json!({ "index": index, "object": "embedding", "embedding": [sum(0), sum(1), sum(2)] })
            };
            let data: Vec<_> = request["input"].as_array().unwrap().iter().enumerate().map(embed).collect();
            let reply = serde_json::json!({ "object": "list", "model": "small", "data": data }).to_string();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
            write!(reader.get_mut(), "{head}Content-Length: {}\r\n\r\n{reply}", reply.len()).unwrap();
        }
    });
    address
}

#[test]
#[cfg(feature = "http")]
fn an_embedder_that_can_t_be_reached_is_named() {
    let home = Home::with_documents();
    let run = home.run(&["stats", "--embedder", "http:http://127.0.0.1:1/v1#small"]).expect(4);
    run.says("127.0.0.1:1");
}

#[test]
#[cfg(feature = "server")]
fn a_server_that_can_t_be_reached_is_named_soon() {
    let home = Home::new();
    home.write("quiver.toml", "timeout_s = 2\n");
    let began = Instant::now();
    home.run(&["stats", "--url", "http://127.0.0.1:1"]).expect(4).says(
        "can't connect to http://127.0.0.1:1: the connection was refused; check the address, and whether a Qdrant server",
    );
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    home.run(&["stats", "--url", "no address"]).expect_one_of(&[2, 4]);
}

#[test]
fn a_damaged_database_is_an_error_or_whole_and_never_a_panic() {
    let home = Home::new();
    home.write("people.jsonl", generated(60, 2));
    home.run(&["ingest", "people.jsonl"]).expect(0);
    let whole = home.path("quiver-data");
    let export = home.export("quiver-data");
    let all: Vec<_> =
        files(&whole).into_iter().filter(|path| fs::metadata(path).unwrap().len() > 0).collect();
    assert!(all.len() > 3, "{all:?}");
    let mut random = fastrand::Rng::with_seed(3);
    let (mut reported, mut unharmed) = (0, 0);
    for round in 0..12 {
        let damaged = home.path("damaged");
        copy(&whole, &damaged);
        let path = &all[random.usize(..all.len())];
        let path = damaged.join(path.strip_prefix(&whole).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        if round % 2 == 0 {
            bytes.truncate(bytes.len() / 2);
        } else {
            let from = random.usize(..bytes.len());
            bytes[from..].iter_mut().take(64).for_each(|byte| *byte = random.u8(..));
        }
        fs::write(&path, bytes).unwrap();
        let run = home.run(&["export", "--vectors", "--path", "damaged"]);
        match run.code {
            // Some bytes are never read.
            Some(0) if run.stdout == export => unharmed += 1,
            // What can be read differs, so verification has to find it.
            Some(0) => {
                let run = home.run(&["verify", "--path", "damaged"]);
                println!("{}: {run:?}", path.display());
                assert_ne!(
                    run.code,
                    Some(0),
                    "{}: the export differs, and verify finds nothing",
                    path.display()
                );
                reported += 1;
            }
            // What can't be read is left out, and said.
            Some(1) => {
                assert!(run.stderr.contains("omitted: the database in damaged"), "{run:#?}");
                reported += 1;
            }
            Some(4) => {
                assert!(run.stderr.contains("damaged"), "it names the directory: {run:#?}");
                reported += 1;
            }
            _ => panic!("{}: {run:#?}", path.display()),
        }
        fs::remove_dir_all(&damaged).unwrap();
    }
    println!("{reported} damages reported, {unharmed} without effect");
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn a_full_disk_is_an_error_and_the_same_ingest_goes_on() {
    let home = Home::new();
    let mount = home.path("small");
    fs::create_dir(&mount).unwrap();
    let _mounted = Mounted::new(&mount, "64m").expect("root mounts a small file system");
    home.write("people.jsonl", generated(500, 4));
    home.run(&["ingest", "people.jsonl", "--path", "roomy"]).expect(0);
    // Too small from the start, then filled by something else halfway through the ingest.
    let ingest = ["ingest", "people.jsonl", "--batch", "64", "--path", "small/data"];
    let filler = home.write("small/filler", vec![0_u8; 40 << 20]);
    let run = home.run(&ingest).expect(4).says("small/data");
    println!("{}", run.stderr);
    fs::remove_file(&filler).unwrap();
    let mut child = home.command(&ingest).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    fs::write(&filler, vec![0_u8; 60 << 20]).unwrap_or_default();
    let status = child.wait().unwrap();
    println!("filled while it was at work, it ended with {status}");
    fs::remove_file(&filler).unwrap();
    assert!(mount_command(&["-o", "remount,size=1g"], &mount), "it grows");
    home.run(&ingest).expect(0);
    assert!(home.export("small/data") == home.export("roomy"), "the exports differ");
    home.run(&["verify", "--path", "small/data"]).expect(0);
}

struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(path: &'a Path, size: &str) -> Option<Self> {
        let size = format!("size={size}");
        mount_command(&["-t", "tmpfs", "-o", &size, "tmpfs"], path).then(|| Self(path))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

fn mount_command(arguments: &[&str], path: &Path) -> bool {
    let mut command = Command::new("mount");
    command.args(arguments).arg(path).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn without_a_model_nothing_tries_the_network() {
    let home = Home::with_documents();
    // Any HTTP request would arrive here.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let arguments: [&[&str]; 4] =
        [&["demo"], &["ingest", "ships"], &["ask", "Who founded the Norby yard?"], &["stats"]];
    for arguments in arguments {
        let mut command = home.command(arguments);
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, &address);
        }
        Run::of(command.output().unwrap()).expect_one_of(&[0, 1]);
    }
    assert!(listener.accept().is_err(), "somebody came");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "needs root: it runs a process without a network"]
fn a_question_needs_no_network() {
    let home = Home::with_documents();
    home.run(&["ingest", "ships"]).expect(0);
    let ask = [env!("CARGO_BIN_EXE_quiver"), "ask", "Who founded the Norby yard?"];
    let output = Command::new("unshare").arg("--net").args(ask).current_dir(home.path("")).output().unwrap();
    Run::of(output).expect(0);
}
