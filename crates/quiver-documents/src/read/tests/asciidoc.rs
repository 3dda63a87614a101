//! Tests of the reader of `AsciiDoc`.

use super::{only, problem};
use serde_json::json;

const SAMPLE: &str = r#"// How masts are built.
= The masts of {yard}
Ada Holm <ada@example.org>; Bo Lind
v1.2, 2026-03-01: With sails
:toc: left
:yard: Holm
:description: How masts are built, \
  and by whom
:keywords: mast, sail
:url-yard: https://yard.example
ifdef::env-github[]
:tip-caption: :bulb:
endif::[]

See link:https://chart.example[official chart], {url-yard}/plan[the *plan*^], https://yard.example and
mailto:ada@example.org[Ada]. Heights are in <<heights,the table>>, <<heights>> and xref:sails.adoc#jib[the jib]. +
Its icon is image:mast.png[a red mast].footnote:[Painted in *1912*.]

[[heights]]
== Heights [[old-id]]

.Ports in use
[%header,cols="1,2a,1"]
|===
| Mast | Parts | Height

| Main
| * oak
* pine
| 40 m

2+| Fore with `rope` | 30 m
.2+| Mizzen | a \| b | link:x.html[20 m]
| last | 10 m
|===

[cols="1h,1"]
|===
|Owner |Ada
// |Hidden |Bo
|Built |1912
|===

|===
|A |B

|1 |2
|===

=== Lists

* one
goes on
** two
+
A second paragraph of two.

** three

+
Another paragraph of one.
* [x] done
. first
. second
.. inner
+
----
= code <1>
----
<1> A title.

//-

--quiet, -q::
--silent::
  Says nothing.
jib::

The first sail.
stay:: A rope.
+
NOTE: It is long.

boom;; Wood.

Text:

 $ mast up
 # by hand

[source,rust]
----
let x: Vec<u8> = a << 2; <1>
include::more.rs[]
----
<1> Shifts.

[WARNING]
.Wind
====
Mind the wind.

Always.
====

[quote, Ada, Letters]
____
It stood.
____

TIP: Use _linen_.

////
= Not text
////
++++
<b>Raw</b> HTML
++++
image::plan.png[The plan]
toc::[]

== Words

Press kbd:[Ctrl+C] or btn:[OK], choose menu:File[Save > As]. [.term]#Bobbin# and *bold* and _so_ and `code`,
`+*literal*+`, +plain+, pass:[<u>*x*</u>], "`quoted`", H~2~O, the 19^th^, \*not bold*, \{yard}, {unknown}.
The ((index))(((hidden, term))) is man:ls[1], javadoc:org.Mast[] and {url-other}/x[elsewhere].

Plain: vector<int>, a * b * c, snake_case_name, 5 < 6, std::move(x), x::y, C++ and D++, a + b + c, i[0], f(x)[1].

ifdef::basebackend[It stays.]
\include::kept.txt[]
"#;

const READ: &str = r#"# The masts of Holm

See [official chart](https://chart.example), [the **plan**](https://yard.example/plan), https://yard.example and
[Ada](mailto:ada@example.org). Heights are in [the table](#heights), [Heights](#heights) and [the jib](sails.adoc#jib).  
Its icon is a red mast. (Painted in **1912**.)

## Heights

Ports in use

Mast: Main; Parts: oak, pine; Height: 40 m.

Mast: Fore with rope; Height: 30 m.

Mast: Mizzen; Parts: a | b; Height: 20 m.

Mast: Mizzen; Parts: last; Height: 10 m.

Owner: Ada.

Built: 1912.

A: 1; B: 2.

### Lists

- one
  goes on
  - two

    A second paragraph of two.

  - three

  Another paragraph of one.

- [x] done
  1. first
  2. second
     1. inner

        ```
        = code (1)
        ```

        1. A title.
- --quiet, -q, --silent: Says nothing.
- jib: The first sail.
- stay: A rope.

  Note: It is long.

  - boom: Wood.

Text:

```
$ mast up
# by hand
```

```rust
let x: Vec<u8> = a << 2; (1)
```

1. Shifts.

Wind

Warning: Mind the wind.

Always.

It stood.

— Ada, Letters

Tip: Use _linen_.

Raw HTML

The plan

## Words

Press Ctrl+C or OK, choose File > Save > As. Bobbin and **bold** and _so_ and `code`,
`*literal*`, plain, *x*, "quoted", H2O, the 19th, \*not bold*, {yard}, {unknown}.
The index is ls(1), org.Mast and elsewhere.

Plain: vector<int>, a * b * c, snake_case_name, 5 < 6, std::move(x), x::y, C++ and D++, a + b + c, i[0], f(x)[1].

It stays.
include::kept.txt[]
"#;

#[test]
fn asciidoc_is_read_as_markdown() {
    let document = only("masts.adoc", SAMPLE);
    assert_eq!(document.title.as_deref(), Some("The masts of Holm"));
    assert_eq!(document.time, Some(1_772_323_200_000));
    let metadata = json!({
        "author": "Ada Holm; Bo Lind", "date": "2026-03-01", "revnumber": "1.2",
        "description": "How masts are built, and by whom", "keywords": "mast, sail",
    });
    assert_eq!(serde_json::Value::from(document.metadata), metadata);
    assert_eq!(document.text, READ);
}

#[test]
fn marks_within_lines_of_asciidoc() {
    for (text, expected) in [
        (
            "two masts{empty}footnote:[One is *oak*.] and mastfootnote:a[Pine.]",
            "two masts (One is **oak**.) and mast (Pine.)",
        ),
        ("mailto:ada@x.org[Ask Ada,Masts,\"Dear Ada\"]", "[Ask Ada](mailto:ada@x.org)"),
        (
            "https://x.org[\"Oak, pine\",role=a] or https://x.org[window=_blank]",
            "[Oak, pine](https://x.org) or https://x.org",
        ),
        ("kbd:[Ctrl+\\]] and `+{empty}+` and \\{sail}", "Ctrl+] and `{empty}` and {sail}"),
        ("pass:[<u>red</u>] and +__init__+", "red and `__init__`"),
        ("image:a.svg[build,link=https://x.org] It is oak.", "build It is oak."),
        ("link:https://x.org and `link:a.html[oak]`", "https://x.org and [oak](a.html)"),
        ("javadoc:{url}/org.Mast[format=short] of {url-x}/a.html[]", "org.Mast of a.html"),
        ("[[[oak]]] Oak. [.a]##b##c, m^2^, **u**v", "[oak] Oak. bc, m^2, **u**v"),
        (
            "See <<ports>> and <<bad id>>.\n\n.Ports\n[#ports]\n[1]",
            "See [Ports](#ports) and <<bad id>>.\n\nPorts\n\n[1]",
        ),
        (
            "f :: Int, std::vector<std::string> v; a[i][j] << b >> c",
            "f :: Int, std::vector<std::string> v; a[i][j] << b >> c",
        ),
        (
            "~/masts, #1 and #2, 2 ^ 3, x = (a + (b)), $HOME {",
            "~/masts, #1 and #2, 2 ^ 3, x = (a + (b)), $HOME {",
        ),
        (
            "key:value[0] and array[1:2] and {a}[0] and @{u}",
            "key:value[0] and array[1:2] and {a}[0] and @{u}",
        ),
    ] {
        assert_eq!(only("a.adoc", text).text, format!("{expected}\n"), "{text}");
    }
}

#[test]
fn titles_of_asciidoc_may_be_underlined() {
    let document =
        only("mast.adoc", "mast-up(1)\n==========\n\nNAME\n----\nmast-up - raises\n\nSub\n~~~\nText\n");
    assert_eq!(document.title.as_deref(), Some("mast-up(1)"));
    assert_eq!(document.text, "# mast-up(1)\n\n## NAME\n\nmast-up - raises\n\n### Sub\n\nText\n");
    let page = "---\nlayout: post\nauthor: Bo\n---\n= Masts\nAda Holm\n\nForty metres.\n";
    let document = only("mast.adoc", page);
    assert_eq!(document.text, "# Masts\n\nForty metres.\n");
    assert_eq!(serde_json::Value::from(document.metadata), json!({"layout": "post", "author": "Bo"}));
    assert_eq!(
        only("a.adoc", "= Masts\nThey are forty metres high, and red.\n").text,
        "# Masts\n\nThey are forty metres high, and red.\n"
    );
}

#[test]
fn broken_asciidoc_is_read_as_far_as_it_goes() {
    let broken = "= Masts\n\n====\nopen *bold and `code, link:x[open, <<id, [.role]#x\n\n|===\n|a\n\n////\nstays\n\n+\n::\n* \n[source\n2+|\n\n----\n= code\n";
    assert_eq!(
        only("a.adoc", broken).text,
        "# Masts\n\nopen *bold and `code, [open, <<id, [.role](x)#x\n\n|a\n\nstays\n\n::\n*\n[source\n2+|\n\n```\n= code\n```\n"
    );
    assert!(problem("a.adoc", "////\n= Masts\n////\n:toc:\n").contains("no text"));
}

#[test]
fn no_cut_of_a_sample_ends_the_reader() {
    let document = |text: &str| crate::read::asciidoc::document(text);
    let lines: Vec<&str> = SAMPLE.lines().collect();
    // Numbers of a sequence that is the same in every run.
    let mut state = 1_u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % limit
    };
    for _ in 0..300 {
        let (start, end) = (next(SAMPLE.len()), next(SAMPLE.len()));
        let cut = SAMPLE.get(start.min(end)..start.max(end)).unwrap_or_default();
        document(cut);
        let shuffled: Vec<&str> = (0..40).map(|_| lines[next(lines.len())]).collect();
        document(&shuffled.join("\n"));
        let marks = [
            "*",
            "`",
            "[",
            "]",
            "|",
            "+",
            "é",
            "::",
            "<<",
            ">>",
            "\n",
            " ",
            "{yard}",
            "link:",
            "((",
            "\\",
            "#",
            "_",
            "https://x",
            "----\n",
            "|===\n",
            "a",
            ".",
        ];
        let mixed: String = (0..60).map(|_| marks[next(marks.len())]).collect();
        document(&mixed);
    }
}

#[test]
fn asciidoc_that_takes_long_on_purpose_is_read_in_no_time() {
    let parts = [
        "*a ",
        "`a ",
        "link:a[",
        "[",
        "<<a",
        "((",
        "{yard}",
        "|===\n",
        "====\n",
        "* a\n+\n",
        "a::\n",
        "a::\n\n",
        "+",
        "100*|",
        ".100+|a",
        "////\n",
        "--\n",
        "[[",
        "\"`",
        "footnote:[",
        "https://a[",
        "{a}[",
        "**",
        "#",
        "\\*",
        "_a ",
        "[.a]#b",
        "- a\n.. b\n",
        "|",
        "[a]\n",
        "<1> ",
        ":a: {a}{a}b\n",
        "~",
        "[NOTE]\n",
        "include::",
        ".a\n",
    ];
    for part in parts {
        let text = format!("= Masts\n:yard: {}\n\n{}", "Holm ".repeat(150), part.repeat(4000));
        let text = crate::read::asciidoc::document(&text).text;
        assert!(text.len() < 100 * part.len() * 4000, "{part}: {}", text.len());
    }
}
