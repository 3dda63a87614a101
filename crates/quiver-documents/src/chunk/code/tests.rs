use super::{length, parts};
use crate::{
    chunk::{ChunkOptions, chunk},
    document::{Document, Format},
};

/// The titles of the parts, each with its first and its last line.
fn read(text: &str, ending: &str, tokens_max: usize) -> Vec<String> {
    let parts = parts(text, ending, tokens_max).into_iter();
    let read = parts.map(|part| {
        let mut lines = text[part.range].lines().map(str::trim);
        let first = lines.next().unwrap_or_default();
        format!("{}: {first} … {}", part.names.join(" › "), lines.next_back().unwrap_or(first))
    });
    read.collect()
}

/// Words that fill a body up.
fn body(indent: &str) -> String {
    format!("{indent}call(one, two, three, four, five, six, seven, eight);\n").repeat(3)
}

#[test]
fn definitions_stay_whole_with_their_comments_and_the_names_above_them() {
    let text = format!(
        "// Copyright Ada Holm.\n\n//! Reads headers.\n\nuse std::{{\n    io,\n}};\nmod parse;\n\n/// A reader.\n#[derive(Debug)]\npub(crate) struct Reader<'a> {{\n    \
         line: &'a str,\n}}\n\nimpl<'a> Iterator for Reader<'a> {{\n    type Item = &'a str;\n\n    /// The next header.\n    fn next(&mut self) -> Option<&'a str>\n    \
         where\n        Self: Sized,\n    {{\n        let s = r#\"\nfn not_one() {{}}\n\"#;\n{}    }}\n\n    // Skips.\n    fn skip_header(\n        &mut self,\n    ) {{\n{}    }}\n}}\n\n\
         /// Parses one.\npub async fn parse_http_header() {{\n{}}}\n",
        body("        "),
        body("        "),
        body("    ")
    );
    assert_eq!(
        read(&text, "rs", 60),
        [
            "Reader: //! Reads headers. … }",
            "Iterator for Reader: impl<'a> Iterator for Reader<'a> { … type Item = &'a str;",
            "Iterator for Reader › next: /// The next header. … }",
            "Iterator for Reader › skip_header: // Skips. … }",
            "parse_http_header: /// Parses one. … }",
        ]
    );
    let whole = read(&text, "rs", 10_000);
    assert_eq!(whole, [": //! Reads headers. … }"]);
}

#[test]
fn small_neighbours_share_a_passage_that_names_them() {
    let text = "fn first_one() {}\n\nfn second_one() {}\n\n".to_owned()
        + &format!("fn long() {{\n{}}}\n", body("    ").repeat(2));
    assert_eq!(
        read(&text, "rs", 56),
        ["first_one, second_one: fn first_one() {} … fn second_one() {}", "long: fn long() { … }"]
    );
}

#[test]
fn python_is_cut_by_its_indentation() {
    let body = body("        ").replace(';', "");
    let text = format!(
        "\"\"\"Masts.\"\"\"\nimport os\nfrom a import (\n    b,\n)\n\n@dataclass\nclass Mast(Base):\n    \"\"\"A mast.\n\nclass no:\n    \"\"\"\n\n    height = 40\n\n    \
         @property\n    def tall(self):\n{body}\n    async def raise_mast(\n        self,\n    ):\n{body}\n\ndef main():\n{body}\n\nif __name__ == \"__main__\":\n    main()\n"
    );
    assert_eq!(
        read(&text, "py", 45),
        [
            ": \"\"\"Masts.\"\"\" … )",
            "Mast: @dataclass … height = 40",
            "Mast › tall: @property … call(one, two, three, four, five, six, seven, eight)",
            "Mast › raise_mast: async def raise_mast( … call(one, two, three, four, five, six, seven, eight)",
            "main: def main(): … call(one, two, three, four, five, six, seven, eight)",
            ": if __name__ == \"__main__\": … main()",
        ]
    );
}

#[test]
fn the_common_languages_are_known_by_their_words() {
    let inner = body("        ");
    let outer = body("    ");
    let deep = body("            ");
    let cases = [
        (
            "go",
            format!(
                "package a\n\nimport \"fmt\"\n\n// Get gets.\nfunc (c *Client) Get() {{\n{outer}}}\n\ntype Mast struct {{\n{outer}}}\n"
            ),
            "Client.Get|Mast",
        ),
        (
            "ts",
            format!(
                "import {{ a }} from 'a';\n\nexport default class Mast<T> extends Base {{\n  async raise(at: number): Promise<void> {{\n{outer}  }}\n\n  get tall() {{\n{outer}  }}\n}}\n\nexport const useMast = async (a: A) => {{\n{outer}}};\n\nexport interface Rig {{\n{outer}}}\n"
            ),
            "Mast › raise|Mast › tall|useMast|Rig",
        ),
        (
            "java",
            format!(
                "package a.b;\nimport a.C;\n\n@Entity\npublic final class Mast implements A {{\n    @Override\n    public List<String> names(int a,\n            int b) throws X {{\n{inner}    }}\n\n    Mast() {{\n{inner}    }}\n}}\n"
            ),
            "Mast › names|Mast › Mast",
        ),
        (
            "cs",
            format!(
                "using System;\n\nnamespace Yard\n{{\n    public class Mast\n    {{\n        public int Raise(int at)\n        {{\n{deep}        }}\n\n        private static Task<int> Lower() {{\n{deep}        }}\n    }}\n}}\n"
            ),
            "Yard › Mast › Raise|Yard › Mast › Lower",
        ),
        (
            "c",
            format!(
                "#include <a.h>\n\n/* Raises. */\nstatic int\nraise_mast(struct mast *m)\n{{\n{outer}}}\n\nstruct mast {{\n{outer}}};\n\nint lower(void);\n\nvoid *lower(void)\n{{\n{outer}}}\n"
            ),
            "raise_mast|mast||lower",
        ),
        (
            "cpp",
            format!(
                "namespace yard {{\n\ntemplate <typename T>\nclass Mast : public Base {{\n public:\n  explicit Mast(int a) : a_(a) {{\n{outer}  }}\n\n  void raise() const override {{\n{outer}  }}\n}};\n\nint Mast::lower() {{\n{outer}}}\n\n}}  // namespace yard\n"
            ),
            "|Mast › Mast|Mast › raise|Mast::lower|",
        ),
        (
            "rb",
            format!(
                "require 'a'\n\nmodule Yard\n  class Mast < Base\n    # Raises.\n    def raise!\n{inner}    end\n\n    def self.lower\n{inner}    end\n  end\nend\n"
            ),
            "Yard › Mast › raise!|Yard › Mast › self.lower",
        ),
        (
            "kt",
            format!(
                "package a\n\nsealed class Mast {{\n    override suspend fun raise(at: Int): Int {{\n{inner}    }}\n\n    companion object Of {{\n{inner}    }}\n}}\n"
            ),
            "Mast › raise|Mast › Of",
        ),
        (
            "php",
            format!(
                "<?php\nnamespace A\\B;\n\nfinal class Mast\n{{\n    public function raise(): void\n    {{\n{inner}    }}\n\n    private static function lower() {{\n{inner}    }}\n}}\n"
            ),
            "|Mast › raise|Mast › lower",
        ),
        ("sh", format!("set -e\n\nraise() {{\n{outer}}}\n\nfunction lower {{\n{outer}}}\n"), "|raise|lower"),
        (
            "swift",
            format!(
                "import A\n\nextension Mast: Rig {{\n    @discardableResult\n    func raise() -> Int {{\n{inner}    }}\n\n    init(a: Int) {{\n{inner}    }}\n}}\n"
            ),
            "Mast › raise|Mast › init",
        ),
        (
            "ex",
            format!(
                "defmodule Yard.Mast do\n  @doc \"\"\"\n  Raises.\n  \"\"\"\n  def raise(a) do\n{outer}  end\n\n  defp lower(a), do: a\n\n  def strike(a) do\n{outer}  end\nend\n"
            ),
            "Yard.Mast › raise|Yard.Mast › lower|Yard.Mast › strike",
        ),
        (
            "tf",
            format!("resource \"aws_mast\" \"tall\" {{\n{outer}}}\n\nvariable \"height\" {{\n{outer}}}\n"),
            "aws_mast.tall|height",
        ),
    ];
    for (ending, text, expected) in cases {
        let names: Vec<String> =
            parts(&text, ending, 34).into_iter().map(|part| part.names.join(" › ")).collect();
        assert_eq!(names.join("|"), expected, "{ending}:\n{text}");
    }
}

#[test]
fn whatever_the_text_it_is_cut_and_nothing_breaks() {
    for text in [
        "",
        "\n\n",
        "}",
        "{\n{\n{",
        "impl",
        "class",
        "fn\n\tfn\n fn",
        "r#\"",
        "/*",
        "'''",
        "func (",
        "template<",
        "@",
        "fn ß() {\n  ü\n}",
        "def é(:\n  x",
        "class A:\nclass B:\n  def",
        "resource",
        "type =",
        "#[",
        "function* () {",
        "impl<<<",
        "const x = <T,>(a) => b",
    ] {
        let long = format!("{text}\n").repeat(200);
        for ending in [
            "rs", "py", "go", "ts", "java", "cs", "c", "kt", "swift", "dart", "php", "rb", "ex", "lua", "jl",
            "sh", "r", "tf", "none",
        ] {
            for text in [text, &long] {
                let mut last = 0;
                for part in parts(text, ending, 20) {
                    assert!(
                        part.range.start >= last && part.range.end > part.range.start,
                        "{ending}: {text:?}"
                    );
                    last = part.range.end;
                }
            }
        }
    }
}

#[test]
fn passages_of_code_carry_their_place_and_are_no_longer_than_allowed() {
    let long = format!("    let words = \"{}\";\n", "one two three ".repeat(10)).repeat(200);
    let text = format!("fn long() {{\n{long}}}\n\nfn short() {{\n{}}}\n", body("    ").repeat(20));
    let document = Document { format: Format::Code, ..Document::new("docs:src/a.rs", &text) };
    let chunks = chunk(&document.with_title("src/a.rs"), &ChunkOptions::default());
    assert!(chunks.len() > 10);
    assert!(chunks.iter().all(|chunk| length(&chunk.text, 350) <= 350 && chunk.format == Format::Code));
    let (last, before) = chunks.split_last().expect("there are some");
    assert!(before[..before.len() - 1].iter().all(|chunk| chunk.title.as_deref() == Some("src/a.rs › long")));
    assert_eq!(last.title.as_deref(), Some("src/a.rs › short"));
    assert!(chunks.iter().map(|chunk| chunk.position).eq(0..u32::try_from(chunks.len()).expect("a few")));
}

#[test]
fn a_long_file_takes_no_time() {
    let text = format!(
        "impl A {{\n{}}}\n",
        format!("    fn one() {{\n{}    }}\n\n", body("        ")).repeat(20_000)
    );
    let began = std::time::Instant::now();
    assert!(parts(&text, "rs", 350).len() > 4_000);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
