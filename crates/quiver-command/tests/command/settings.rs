//! Settings: their sources, and errors in them.

use crate::support::{Home, Run};

#[test]
fn flags_overrule_variables_and_these_the_file() {
    let home = Home::new();
    home.write("ship.md", "# Aurelia\n\nThe Aurelia was built at the Norby yard.\n");
    home.write(".config/quiver/quiver.toml", "workspace = \"of-user\"\nprefix = \"of_user\"\n");
    home.write("quiver.toml", "path = \"of-file\"\nworkspace = \"of-file\"\n");
    let workspace = |run: Run| run.expect(0).json()["workspace"].as_str().unwrap().to_owned();
    home.run(&["ingest", "ship.md"]).expect(0);
    assert!(home.path("of-file").is_dir());
    assert_eq!(workspace(home.run(&["stats", "--json"])), "of-file");
    let mut command = home.command(&["stats", "--json"]);
    command.env("QUIVER_WORKSPACE", "of-variable");
    assert_eq!(workspace(Run::of(command.output().unwrap())), "of-variable");
    command.args(["--workspace", "of-flag"]);
    assert_eq!(workspace(Run::of(command.output().unwrap())), "of-flag");
    home.write("other.toml", "path = \"of-file\"\nworkspace = \"of-other\"\nprefix = \"of_user\"\n");
    assert_eq!(workspace(home.run(&["stats", "--json", "--config", "other.toml"])), "of-other");
}

#[test]
fn wrong_settings_are_named_with_their_place() {
    let home = Home::new();
    home.write("quiver.toml", "# mine\nworkpace = \"x\"\n");
    home.run(&["stats"])
        .expect(2)
        .says("quiver.toml:2: there is no setting \"workpace\"; did you mean workspace?");
    home.write("quiver.toml", "passages = \"many\"\n");
    home.run(&["stats"]).expect(2).says("quiver.toml:1: passages: invalid type").says("a whole number");
    home.write("quiver.toml", "hops = 2\npassages = -1\n");
    home.run(&["stats"]).expect(2).says(
        "quiver.toml:2: passages: invalid value: integer `-1`, expected a whole number that is not negative",
    );
    home.write("quiver.toml", "passages = \n");
    home.run(&["stats"]).expect(2).says("quiver.toml:1: ");
    home.write("quiver.toml", "");
    home.run(&["stats", "--config", "nowhere.toml"])
        .expect(2)
        .says("nowhere.toml: the settings can't be read");
    home.run(&["stats", "--pth", "x"]).expect(2).says("--path");
    home.run(&["stats", "--path", "x", "--url", "http://y"]).expect(2).says("cannot be used with");
    home.run(&["ask", "why", "--passages", "0"]).expect(2).says("passages must be at least 1");
    for flag in ["--passages", "--hops"] {
        home.run(&["ask", "why", flag, "-1"]).expect(2).says("give a whole number that is not negative");
    }
    home.run(&["ask", " "]).expect(2).says("the question is empty");
    home.run(&["stats", "--embedder", "lexicon"]).expect(2).says("fastembed:");
    home.run(&["stats", "--workspace", ""]).expect(2).says("workspace");
    let mut command = home.command(&["documents", "--path", "nowhere"]);
    let run = Run::of(command.env("QUIVER_WORKPACE", "x").output().unwrap());
    run.expect(4).says("the variable QUIVER_WORKPACE is not a setting; did you mean QUIVER_WORKSPACE?");
    let mut command = home.command(&["documents", "--path", "nowhere"]);
    let run = Run::of(command.env("QUIVER_FOO", "x").output().unwrap());
    let run = run.expect(4).says("the variable QUIVER_FOO is not a setting; the nearest is QUIVER_");
    assert_eq!(run.stderr.matches("QUIVER_").count(), 2, "{run:#?}");
}

#[test]
fn a_key_is_never_printed() {
    let home = Home::new();
    home.write("quiver.toml", "api_key = \"hush-hush\"\nurl = \"http://127.0.0.1:1\"\ntimeout_s = 1\n");
    let mut command = home.command(&["stats", "--json"]);
    let run = Run::of(command.env("RUST_LOG", "trace").output().unwrap());
    assert_ne!(run.code, Some(0));
    assert!(!format!("{run:?}").contains("hush-hush"), "{run:#?}");
}
