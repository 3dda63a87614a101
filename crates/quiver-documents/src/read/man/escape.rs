//! Escapes of roff: `\fB`, `\-`, `\(bu`, `\[u00E9]`.

use std::str::Chars;

/// Names and arguments of escapes are short; what is longer is a text with a stray bracket.
const ARGUMENT_BYTES_MAX: usize = 256;

/// A text without its escapes, as it is read on a terminal. The flag tells whether it ends with `\c`: the next line
/// continues it without a space.
pub(super) fn plain(text: &str) -> (String, bool) {
    let mut read = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            read.push(if c == '\t' { ' ' } else { c });
            continue;
        }
        match rest.next() {
            // The rest of the line is a comment.
            Some('"' | '#') => return (read.trim_end().to_owned(), false),
            Some('c') => return (read, true),
            Some(kind) => escape(kind, &mut rest, &mut read),
            None => break,
        }
    }
    (read, false)
}

/// Reads the escape of one kind, with its argument.
fn escape(kind: char, rest: &mut Chars<'_>, read: &mut String) {
    match kind {
        'e' | 'E' | '\\' => read.push('\\'),
        // Marks of no width, breaks, and the braces of a condition.
        '&' | ')' | '/' | ',' | '%' | ':' | '|' | '^' | '!' | '{' | '}' | 'a' | 'd' | 'p' | 'r' | 'u'
        | 'z' => {}
        ' ' | '~' | '0' | 't' => read.push(' '),
        '(' => read.push_str(character(&take(rest, 2)).as_str()),
        '[' => match until(rest, ']') {
            Some(name) => read.push_str(character(name).as_str()),
            None => read.push('['),
        },
        'C' => read.push_str(character(delimited(rest)).as_str()),
        'N' => read.extend(delimited(rest).parse().ok().and_then(char::from_u32).filter(|c| !c.is_control())),
        '*' => read.push_str(string(&name(rest))),
        'f' | 'F' | 'm' | 'M' | 'g' | 'k' | 'V' | 'Y' => drop(name(rest)),
        'n' => {
            if rest.as_str().starts_with(['+', '-']) {
                rest.next();
            }
            name(rest);
        }
        's' => size(rest),
        // A move to the right is a space between what stands left and right of it.
        'h' => {
            let is_right = delimited(rest).starts_with(|c: char| c != '-');
            read.extend(is_right.then_some(' '));
        }
        'o' => read.extend(delimited(rest).chars().next().filter(|c| *c != '\\')),
        'v' | 'w' | 'l' | 'L' | 'b' | 'D' | 'A' | 'B' | 'H' | 'R' | 'S' | 'X' | 'x' | 'Z' => {
            delimited(rest);
        }
        other => read.push(other),
    }
}

fn take(rest: &mut Chars<'_>, count: usize) -> String {
    rest.by_ref().take(count).collect()
}

/// What stands before an end, which is near; nothing is taken where there is none.
fn until<'t>(rest: &mut Chars<'t>, end: char) -> Option<&'t str> {
    let text = rest.as_str();
    let near = &text[..text.floor_char_boundary(text.len().min(ARGUMENT_BYTES_MAX))];
    let (argument, _) = near.split_once(end)?;
    *rest = text[argument.len() + end.len_utf8()..].chars();
    Some(argument)
}

/// An argument between two marks of one kind, mostly `'`.
fn delimited<'t>(rest: &mut Chars<'t>) -> &'t str {
    let Some(mark) = rest.next() else { return "" };
    until(rest, mark).unwrap_or_default()
}

/// A name of one character, of two after `(`, or of any length in brackets.
fn name(rest: &mut Chars<'_>) -> String {
    match rest.next() {
        Some('(') => take(rest, 2),
        Some('[') => until(rest, ']').unwrap_or_default().to_owned(),
        Some(c) => c.to_string(),
        None => String::new(),
    }
}

/// Drops a size of type: `\s-1`, `\s0`, `\s12`, `\s(12`, `\s[12]`, `\s'12'`.
fn size(rest: &mut Chars<'_>) {
    let mut digits = 1;
    if rest.as_str().starts_with(['+', '-']) {
        rest.next();
    } else if rest.as_str().starts_with(['1', '2', '3']) {
        digits = 2;
    }
    if rest.as_str().starts_with(['(', '[']) {
        name(rest);
    } else if rest.as_str().starts_with('\'') {
        delimited(rest);
    } else {
        while digits > 0 && rest.as_str().starts_with(|c: char| c.is_ascii_digit()) {
            rest.next();
            digits -= 1;
        }
    }
}

/// The character of a name: the usual ones, those with an accent, and those named by their code, `u00E9`. One that is
/// not known is left out.
fn character(name: &str) -> String {
    let known = match name {
        "aq" | "fm" => "'",
        "oq" => "‘",
        "cq" => "’",
        "dq" => "\"",
        "lq" => "“",
        "rq" => "”",
        "Bq" => "„",
        "bq" => "‚",
        "Fo" => "«",
        "Fc" => "»",
        "fo" => "‹",
        "fc" => "›",
        "aa" => "´",
        "ga" => "`",
        "ha" | "^" => "^",
        "ti" | "~" => "~",
        "rs" => "\\",
        "sl" => "/",
        "ul" | "ru" => "_",
        "ba" | "bv" | "br" | "or" => "|",
        "at" => "@",
        "sh" => "#",
        "Do" => "$",
        "lB" => "[",
        "rB" => "]",
        "lC" => "{",
        "rC" => "}",
        "la" => "⟨",
        "ra" => "⟩",
        "bu" => "•",
        "ci" => "○",
        "sq" => "□",
        "OK" => "✓",
        "em" => "—",
        "en" => "–",
        "hy" | "mi" | "-" | "*W" => "-",
        "pl" => "+",
        "eq" => "=",
        "**" => "*",
        "+-" => "±",
        "mu" | "tmu" => "×",
        "di" => "÷",
        "!=" => "≠",
        "<=" => "≤",
        ">=" => "≥",
        "~=" | "~~" => "≈",
        "==" => "≡",
        "if" => "∞",
        "->" => "→",
        "<-" => "←",
        "<>" => "↔",
        "ua" => "↑",
        "da" => "↓",
        "rA" => "⇒",
        "lA" => "⇐",
        "co" => "©",
        "rg" => "®",
        "tm" => "™",
        "de" => "°",
        "sc" => "§",
        "ps" => "¶",
        "dg" => "†",
        "dd" => "‡",
        "ct" => "¢",
        "Po" => "£",
        "Ye" => "¥",
        "Eu" | "eu" => "€",
        "r!" => "¡",
        "r?" => "¿",
        "12" => "½",
        "14" => "¼",
        "34" => "¾",
        "S1" => "¹",
        "S2" => "²",
        "S3" => "³",
        "pc" | "md" => "·",
        "*a" => "α",
        "*b" => "β",
        "*m" | "mc" => "µ",
        "*p" => "π",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let codes = name.strip_prefix('u').filter(|code| !code.is_empty());
    let coded = codes.and_then(|code| {
        let of = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        code.split('_').map(|code| of(code).filter(|c| !c.is_control())).collect::<Option<String>>()
    });
    coded.or_else(|| accented(name)).unwrap_or_default()
}

/// A letter with the accent that its name begins with: `'e` is é.
fn accented(name: &str) -> Option<String> {
    const ACCENTED: &[(char, &str, &str)] = &[
        ('\'', "aeiouyAEIOUYcnsz", "áéíóúýÁÉÍÓÚÝćńśź"),
        ('`', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
        ('^', "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
        (':', "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
        ('~', "anoANO", "ãñõÃÑÕ"),
        (',', "cC", "çÇ"),
        ('/', "oOlL", "øØłŁ"),
        ('v', "cszCSZ", "čšžČŠŽ"),
        ('o', "aA", "åÅ"),
    ];
    let mut marks = name.chars();
    let (accent, letter) = (marks.next()?, marks.next()?);
    let (_, plain, with) = ACCENTED.iter().find(|(mark, ..)| *mark == accent)?;
    let found = plain.chars().position(|other| other == letter)?;
    with.chars().nth(found).filter(|_| marks.next().is_none()).map(String::from)
}

/// The strings that pages and their makers define; others are left out.
fn string(name: &str) -> &'static str {
    match name {
        "Aq" => "'",
        "lq" | "rq" | "L\"" | "R\"" | "q" => "\"",
        "--" => "--",
        "PI" => "π",
        "Ba" => "|",
        "Lt" => "<",
        "Gt" => ">",
        "Am" => "&",
        "Le" => "≤",
        "Ge" => "≥",
        "R" => "®",
        "Tm" => "™",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn escapes_are_read_as_on_a_terminal() {
        for (text, expected) in [
            (r"\fBNote:\fP \-\-files\-cache", "Note: --files-cache"),
            (r"\f[CR]a\f[]\f(CWb\fR\s-1c\s0\s+2d\s12e", "abcde"),
            (r"\&.profile \e \\ a\ b\~c\0d", ".profile \\ \\ a b c d"),
            (r"\(dqa\(dq \(aqb\(aq \[bu] \(em \(co \[u00E9] \['e] \(:u", "\"a\" 'b' • — © é é ü"),
            (r#"\*(L"a\*(R" it\*(Aqs \*[unknown]x\*R"#, "\"a\" it's x®"),
            (r"\h'-04'\(bu\h'+03'text \n(.gx\n+y\v'1'z", "• text xz"),
            (r#"kept \" a comment"#, "kept"),
            (r"\N'65' \C'bu' \o'ab'\zc", "A • ac"),
        ] {
            assert_eq!(plain(text), (expected.to_owned(), false), "{text}");
        }
        assert_eq!(plain(r"joined\c"), ("joined".to_owned(), true));
    }

    #[test]
    fn broken_escapes_end_with_their_line() {
        for text in [r"a\", r"a\f", r"a\f(", r"a\(", r"a\h", r"a\h'", r"a\s", r"a\*", r"a\n+", r"a\[u110000]"]
        {
            assert_eq!(plain(text).0, "a", "{text}");
        }
        assert_eq!(plain(r"a\[b c").0, "a[b c");
        assert_eq!(plain(r"\(é").0, "");
    }
}
