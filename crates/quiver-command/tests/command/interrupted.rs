//! An interrupted ingest, and the same ingest again.

#[cfg(unix)]
use std::process::Child;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::support::{Home, generated};

/// How often an ingest is killed, and by how many tests.
const KILLS: u32 = 21;
const PARTS: usize = 3;

const INGEST: [&str; 6] = ["ingest", "people.jsonl", "--batch", "16", "--path", "data"];

/// Generates documents and ingests them undisturbed. Returns how long that took, and the export.
fn undisturbed(home: &Home, documents: usize) -> (Duration, String) {
    home.write("people.jsonl", generated(documents, 5));
    let began = Instant::now();
    home.run(&INGEST).expect(0);
    let duration = began.elapsed();
    let export = home.export("data");
    fs::remove_dir_all(home.path("data")).unwrap();
    (duration, export)
}

/// Waits until a batch of passages is being written, or the process has ended.
#[cfg(unix)]
fn wait_for_writes(home: &Home, child: &mut Child) {
    let has_written =
        || fs::metadata(home.path("data/quiver_passages.journal")).is_ok_and(|file| file.len() > 4096);
    while !has_written() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_at_any_point_the_same_ingest_gives_the_same_export() {
    kill_and_repeat(0);
}

#[test]
fn killed_at_other_points_the_same_ingest_gives_the_same_export() {
    kill_and_repeat(1);
}

#[test]
fn killed_at_further_points_the_same_ingest_gives_the_same_export() {
    kill_and_repeat(2);
}

/// Kills ingests of several batches at random moments, and repeats each. The tests share the moments, since they run
/// beside each other.
fn kill_and_repeat(part: u32) {
    let home = Home::new();
    let (duration, expected) = undisturbed(&home, 60);
    let mut random = fastrand::Rng::with_seed(6 + u64::from(part));
    let mut killed = 0;
    for kill in (part..KILLS).step_by(PARTS) {
        // One random moment in each of these parts of the total time.
        let delay = duration.mul_f64((f64::from(kill) + random.f64()) / f64::from(KILLS));
        let mut child = home.command(&INGEST).spawn().unwrap();
        thread::sleep(delay);
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL leaves no chance to clean up.
        child.wait().unwrap();
        home.run(&INGEST).expect(0);
        let export = home.export("data");
        assert!(export == expected, "killed after {delay:?} of {duration:?}, the export is another one");
        home.run(&["verify", "--path", "data"]).expect(0);
        fs::remove_dir_all(home.path("data")).unwrap();
    }
    let few = format!("within {duration:?} only {killed} processes were still at work");
    assert!(killed * PARTS * 3 >= KILLS as usize, "{few}");
}

#[test]
#[cfg(unix)]
fn asked_to_stop_it_ends_after_the_prepared_batches_and_goes_on_later() {
    use std::process::Command;

    use crate::support::Run;

    // A fast machine may be done with few documents before it can be asked to stop.
    let was_stopped = [200, 800, 3200].into_iter().any(|documents| {
        let home = Home::new();
        let (_, expected) = undisturbed(&home, documents);
        let mut child = home.command(&INGEST).spawn().unwrap();
        wait_for_writes(&home, &mut child);
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let run = Run::of(child.wait_with_output().unwrap());
        let was_stopped = sent.is_ok_and(|status| status.success()) && run.code != Some(0);
        if was_stopped {
            let run = run.expect(130).says("stopping once the prepared batches are written");
            let run = run.says("the same command resumes");
            assert!(run.stdout.contains("documents added"), "{run:#?}");
        }
        home.run(&INGEST).expect(0);
        assert!(home.export("data") == expected, "the exports differ");
        was_stopped
    });
    assert!(was_stopped, "each ingest was over before it could be asked to stop");
}

#[test]
#[cfg(unix)]
fn a_remember_that_is_asked_to_stop_ends_after_the_batch_under_way_and_goes_on_later() {
    use std::process::Command;

    use crate::support::Run;

    const REMEMBER: [&str; 5] = ["remember", "--from", "turns.jsonl", "--path", "data"];
    let home = Home::new();
    let turns: String = (0..640)
        .map(|number| {
            let text = format!("Service{number} is owned by Team{}.", number % 7);
            let line = serde_json::json!({
                "session": "plan", "turn": number, "speaker": "Ada", "time": "2026-03-02", "text": text,
            });
            format!("{line}\n")
        })
        .collect();
    home.write("turns.jsonl", turns);
    home.run(&REMEMBER).expect(0);
    let expected = home.export("data");
    let mut stopped = 0;
    // On other systems it is unknown whether hangups are ignored.
    let signals =
        ["-INT", "-TERM", "-HUP"].into_iter().filter(|one| *one != "-HUP" || cfg!(target_os = "linux"));
    for signal in signals {
        fs::remove_dir_all(home.path("data")).unwrap();
        let mut child = home.command(&[&REMEMBER[..], &["--json"]].concat()).spawn().unwrap();
        wait_for_writes(&home, &mut child);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let run = Run::of(child.wait_with_output().unwrap());
        if sent.success() && run.code != Some(0) {
            let run = run.expect(130).says("stopping after the current batch");
            let told = run.json();
            assert_eq!(told["stopped"], true);
            let told = told["turns"].as_array().unwrap().len();
            assert!(told > 0 && told < 640 && told.is_multiple_of(64), "{told} turns were told");
            // Exactly what was acknowledged exists.
            let left = home.run(&["sessions", "--json", "--path", "data"]).expect(0).json();
            assert_eq!(left["sessions"][0]["turns"], told, "{left}");
            home.run(&["verify", "--path", "data"]).expect(0);
            stopped += 1;
        }
        home.run(&REMEMBER).expect(0);
        assert!(home.export("data") == expected, "after {signal} the exports differ");
    }
    assert!(stopped > 0, "all were over before they could be asked to stop");
}
