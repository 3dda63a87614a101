//! `quiver ask --html`: one file that shows an answer.

use std::fs;

use serde_json::Value;

use crate::support::Home;

#[test]
fn a_recorded_answer_is_one_file_whose_documents_end_no_element_and_begin_none() {
    let home = Home::new();
    let hostile = "The Aurelia </script><script>alert(1)</script> was built at the Norby yard <!-- in 1911.";
    home.write("ships/Aurelia.txt", format!("{hostile}\n"));
    home.run(&["ingest", "ships"]).expect(0);
    let question = "Where was the Aurelia built?";
    let run =
        home.run(&["ask", question, "--html", "answer.html", "--json", "--confidence-min", "0"]).expect(0);
    assert_eq!(run.json().get("trace"), None, "what is printed is as long as without the file");
    let file = fs::read_to_string(home.path("answer.html")).unwrap();
    assert_eq!(file.matches("<script").count(), 2, "the page has its script and the recorded answer");
    assert_eq!(file.matches("</script").count(), 2);
    assert_eq!(file.matches("<!--").count(), 0);
    assert!(!file.contains(" src=") && !file.contains("http-equiv=\"refresh"), "it loads nothing");
    assert!(file.contains("content=\"default-src 'none'; script-src 'sha256-"));
    let recorded = file.split_once("id=\"recorded\">").unwrap().1.split_once("</script>").unwrap().0;
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    assert_eq!(recorded["question"], question);
    assert!(recorded["passages"][0]["text"].as_str().unwrap().contains(hostile));
    assert_eq!(recorded["trace"]["explanation"]["names"][0]["entity"], "Aurelia");
}

#[test]
fn a_file_that_can_not_be_written_is_named() {
    let home = Home::with_documents();
    let run = home.run(&["ask", "Where was the Aurelia built?", "--html", "nowhere/answer.html"]).expect(5);
    assert!(run.stderr.contains("nowhere/answer.html can't be written"), "{run:#?}");
}
