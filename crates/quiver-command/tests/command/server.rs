//! The command on a server: the one that `QUIVER_TEST_QDRANT_URL` names, where there is one.

use std::env;

use crate::support::{Home, generated};

#[test]
fn a_server_s_database_is_what_a_directory_s_is() {
    let Ok(url) = env::var("QUIVER_TEST_QDRANT_URL") else {
        println!("skipped: QUIVER_TEST_QDRANT_URL names no server");
        return;
    };
    let home = Home::new();
    home.write("people.jsonl", generated(40, 7));
    // Another run may have left something on a server that stays.
    let prefix = format!("command_{}", std::process::id());
    let on_server =
        |arguments: &[&str]| home.run(&[arguments, &["--url", &url, "--prefix", &prefix]].concat());
    on_server(&["ingest", "people.jsonl"]).expect(0);
    home.run(&["ingest", "people.jsonl"]).expect(0);
    assert!(
        on_server(&["export", "--vectors"]).expect(0).stdout == home.export("quiver-data"),
        "the exports differ"
    );
    let question = ["ask", "Where does the house of the first stand?"];
    assert_eq!(on_server(&question).stdout, home.run(&question).stdout);
    on_server(&["verify"]).expect(0);
    assert_eq!(on_server(&["stats", "--json"]).expect(0).json()["backend"], "server");
    on_server(&["delete", "person-0"]).expect(0);
    on_server(&["verify"]).expect(0);
}
