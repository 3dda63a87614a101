//! Classifies characters by script.

use unicode_normalization::char::is_combining_mark;

/// The script of a word, in the classes that tokenisation distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Script {
    /// Letters of scripts with spaces between words.
    Spaced,
    /// Chinese characters.
    Han,
    /// The Japanese syllabary for endings and particles.
    Hiragana,
    /// The Japanese syllabary for foreign words.
    Katakana,
    /// Thai and other scripts without spaces between words.
    Unspaced,
    /// Korean.
    Hangul,
}

impl Script {
    /// Returns the script of a character.
    pub fn of(c: char) -> Self {
        match c {
            'ー' | '\u{30a0}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}' => Self::Katakana,
            '\u{3040}'..='\u{309f}' => Self::Hiragana,
            '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' => Self::Hangul,
            c if is_ideographic(c) => Self::Han,
            c if is_unspaced(c) => Self::Unspaced,
            _ => Self::Spaced,
        }
    }
}

/// Returns whether a character is Han or kana. Each corresponds to about one word or syllable.
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// Returns whether a letter belongs to a script without spaces between words: Thai, Lao, Burmese, Khmer, Tibetan.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Returns whether a character occurs inside words: accents and vowel signs, joiners, apostrophes.
fn is_inner_mark(c: char) -> bool {
    matches!(c, '\'' | '’' | '\u{200c}' | '\u{200d}') || is_combining_mark(c)
}

/// Counts the words of a text. Each ideograph counts as one word. A long run of letters counts once per 16 letters,
/// or per 4 letters in scripts without spaces.
pub fn count_words(text: &str) -> usize {
    let (mut count, mut run) = (0, 0);
    for c in text.chars() {
        if is_ideographic(c) {
            (count, run) = (count + 1, 0);
        } else if c.is_alphanumeric() {
            let letters_max = if is_unspaced(c) { 4 } else { 16 };
            count += usize::from(run % letters_max == 0);
            run += 1;
        } else if !is_inner_mark(c) {
            run = 0;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_is_told_by_its_characters() {
        let scripts = [
            ('a', Script::Spaced),
            ('ж', Script::Spaced),
            ('東', Script::Han),
            ('の', Script::Hiragana),
            ('カ', Script::Katakana),
            ('한', Script::Hangul),
            ('ภ', Script::Unspaced),
        ];
        for (c, script) in scripts {
            assert_eq!(Script::of(c), script, "{c}");
        }
    }

    #[test]
    fn words_and_ideographs_are_counted() {
        assert_eq!(count_words("It isn't far, is it?"), 5);
        assert_eq!(count_words("東京都 is big"), 5);
        assert_eq!(count_words(&"a".repeat(33)), 3);
        assert_eq!(count_words(" - "), 0);
    }
}
