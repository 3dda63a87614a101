use super::{
    DefinitionForm::{self, Called, CalledBefore},
    asked_for, defined_in,
};

fn defined(text: &str) -> Vec<&str> {
    defined_in(text).into_iter().map(|definition| &text[definition.name]).collect()
}

fn asked(question: &str) -> Option<&str> {
    asked_for(question).map(|range| &question[range])
}

#[test]
fn what_a_sentence_defines_is_its_subject() {
    for (text, subject) in [
        ("Linkerd is a _service mesh_ for Kubernetes.", "Linkerd"),
        ("A chart is a collection of files.", "chart"),
        ("Warp, or W for short, is a tool that moves data.", "Warp"),
        ("Gene Hackman was an American actor and novelist.", "Gene Hackman"),
        ("# Volumes\n\nEphemeral volumes are used for scratch space.", "Ephemeral volumes"),
        ("Warp is the kernel of the Warp Cloud.", "Warp"),
        ("- `serve` is a command that starts it.", "serve"),
        ("## What is a pod?\n\nSmall. They are many.", "pod"),
        ("In Warp, bobbins are a way to store and name yarn.", "bobbins"),
        ("In Warp Cloud, a bobbin is a spool with a name.", "bobbin"),
        ("- Warp: The threads that are held in tension.", "Warp"),
        ("Terms:\n\n* **heddle** - a cord with an eye in its middle\n", "heddle"),
        ("**Reed (R)**: a comb that beats the weft. It is made of steel.", "Reed"),
    ] {
        assert_eq!(defined(text), [subject], "{text}");
    }
}

#[test]
fn an_abbreviation_in_brackets_is_defined_with_its_name() {
    for (text, names) in [
        ("The **Message Bus** (MB) is the component that carries events.", ["Message Bus", "MB"]),
        ("A [Life Event (LE)](https://example.com/le) is a change in your situation.", ["Life Event", "LE"]),
        ("A part that carries events between others is called the Message Bus (MB).", ["Message Bus", "MB"]),
    ] {
        assert_eq!(defined(text), names, "{text}");
    }
    assert_eq!(defined("A loom (wooden) is a machine that weaves cloth."), ["loom"]);
}

#[test]
fn rows_of_a_table_of_terms_define_their_first_cells() {
    let table = "Words:\n\n| Term | Definition | Since |\n| --- | :---: | --- |\n| **cask** | what is built | 1 |\n\
                 | Message Bus (MB) | carries events | 2 |\n\n| keg | none |\n";
    assert_eq!(defined(table), ["cask", "Message Bus"]);
    let written_out = "Words\n\nterm: cask; description: what is built; since: 1.\n\nterm: keg; since: 2.";
    assert_eq!(defined(written_out), ["cask"]);
}

#[test]
fn what_tells_something_else_defines_nothing() {
    for text in [
        "| Option | Description |\n| --- | --- |\n| retries | how often it is tried |",
        "| Term | Begins |\n| --- | --- |\n| Michaelmas | October |",
        "It is a tool that moves data.",
        "A macro is the natural fit for a program that knows its input.",
        "Mail is a way to reach us at night.",
        "In Appendix A, a chart is a table with two columns.",
        "In this example, the chart is a collection of files.",
        "Macros are a somewhat unpleasant corner of the language.",
        "Warp is a powerful tool, and it is crucial to understand its dangers.",
        "There is a tool that moves data.",
        "Linkerd is great for all of us.",
        "This flag is the default of all new clusters.",
        "The owner of the chart is a team of five.",
        "If the chart is a collection of files, unpack it.",
        "Is this a chart? What is a chart of the sort that we like?",
        "The chart is the best that there is.",
        "A chart was used by them for all that they did.",
        "`Middleware` is the resource for a middleware of a router.",
        "No text.",
        "- Note: this is how it was done.",
        "- 1 Dec: it was closed for the winter season",
        "- It said: a loom is the best of all machines",
    ] {
        assert_eq!(defined(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn questions_ask_for_a_definition_in_several_ways() {
    for (question, wanted) in [
        ("What is Linkerd?", Some("Linkerd")),
        ("what's a chart", Some("chart")),
        ("What are service profiles in Linkerd?", Some("service profiles")),
        ("Who was Gene Hackman?", Some("Gene Hackman")),
        ("Who are The Who?", Some("Who")),
        ("What does the tap extension do?", Some("tap extension")),
        ("What is a tracker used for?", Some("tracker")),
        ("What is meant by drift?", Some("drift")),
        ("What is the purpose of the proxy?", Some("proxy")),
        ("Explain what a lock file is.", Some("lock file")),
        ("What is C++?", Some("C++")),
        ("what is a loom, our supplier keeps naming it", Some("loom")),
        ("What is the capital of France?", None),
        ("What is it?", None),
        ("What is", None),
        ("What is the name that they gave it?", None),
        ("How is a chart made?", None),
        ("Which chart is a collection?", None),
        ("", None),
    ] {
        assert_eq!(asked(question), wanted, "{question}");
    }
}

#[test]
fn what_a_sentence_defines_without_an_article_is_its_subject() {
    for (text, subject) in [
        ("Bookmarks are pointers that move with a commit.", "Bookmarks"),
        ("Revsets are expressions which select commits.", "Revsets"),
        ("Tags are short, fixed names for commits.", "Tags"),
        ("Guests are people who stay for a night.", "Guests"),
        ("Baggage is contextual information that travels along.", "Baggage"),
        ("A ticket is any piece of paper that opens the gate.", "ticket"),
        ("A mixin is something that adds methods to a type.", "mixin"),
        ("The working copy is where the files are.", "working copy"),
        ("The operation log is how every change is kept.", "operation log"),
        ("The term _macro_ refers to a family of features.", "macro"),
        ("Shadowing means that a later name hides an earlier one.", "Shadowing"),
        ("A conflict is when two sides change one line.", "conflict"),
    ] {
        assert_eq!(defined(text), [subject], "{text}");
    }
}

#[test]
fn what_tells_a_deed_or_a_state_defines_nothing() {
    for text in [
        "Bookmarks are moved with every commit that follows.",
        "Bookmarks are similar to the branches of Git.",
        "Users are given names that nobody else has.",
        "Workers are sending messages that nobody reads.",
        "Values are stored using keys that never change.",
        "Results are deleted 30 days after the run.",
        "Statistics are reported (medians with ranges) for all.",
        "The files are scripts that run at night.",
        "Hotels are members of the group of hotels.",
        "Shown are pictures of the three machines.",
        "The flag is experimental, which means that it may change.",
        "A new version is available that mends it.",
        "A commit is created that has the same files.",
        "The paper is reporting that prices fall.",
        "Postgres is one of the most popular databases of all.",
        "Cargo is designed so that you can extend it.",
        "The collector is designed to be easy to extend.",
        "The library is used by many tools of that kind.",
        "The operation was a full success for all of us.",
        "The message means that the file is not there.",
        "Please refer to the list of all files.",
        "It means that the file is not there.",
        "Effective means to achieve this are not known.",
        "Note: This function is a helper for other functions.",
    ] {
        assert_eq!(defined(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn what_something_is_called_is_defined_by_what_is_called_so() {
    let named = |text: &str| -> Vec<(String, DefinitionForm)> {
        defined_in(text).into_iter().map(|found| (text[found.name].to_owned(), found.form)).collect()
    };
    for (text, name, form) in [
        ("The act of lending out a value is called borrowing.", "borrowing", Called),
        ("An entry in a time series is called an _observation_.", "observation", Called),
        ("A merge that has changes of its own is also known as an evil merge.", "evil merge", Called),
        ("Files that nobody tracks are sometimes referred to as \"strays\".", "strays", Called),
        ("When two sides change one line, this is called a conflict.", "conflict", Called),
        ("This is called shadowing.", "shadowing", CalledBefore),
        ("Expressions in this language are called revsets.", "revsets", CalledBefore),
        ("This process is known as gap filling.", "gap filling", CalledBefore),
    ] {
        assert_eq!(named(text), [(name.to_owned(), form)], "{text}");
    }
    for text in [
        "The hooks of a release are called before the upgrade.",
        "The function with two arguments is called twice.",
        "The destructor of every value is called automatically.",
        "A method of the trait is called by the runtime.",
        "The entry point of the program is called main and takes nothing.",
        "If the file in the root is called main.rs it is read first.",
        "It is called the Little Fork because a larger one is near.",
        "She came to live in what is now called Norrland.",
        "Nobody knows why the parts of a clause are called arms.",
        "The second one is called key.",
        "My dog with the long ears is called Rex.",
        "The growth of the protein, which is known as an inhibitor, stops.",
        "The book, which is commonly known as \"Strunk & White\", is old.",
    ] {
        assert_eq!(named(text), [], "{text}");
    }
}
