//! The stored form of IDs in indexed fields: 23 characters instead of the 36 of a UUID. Points refer to each other by
//! such lists, and each reference is stored three times: in the payload, and twice in the index of the field.

use uuid::Uuid;

/// The first character of a packed ID. It is stored as one byte, in JSON too.
const MARK: char = '\u{7f}';
/// Number of characters after the mark.
const LENGTH: usize = 22;
/// Six bits each.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";

/// Packs a UUID in its usual form; another text that would be read as a packed ID gets one more mark. Returns `None` if
/// the text is stored as it is.
pub(super) fn pack(text: &str) -> Option<String> {
    if let Some(id) = as_id(text) {
        return Some(packed(id));
    }
    is_marked(text).then(|| format!("{MARK}{text}"))
}

/// Packs a UUID in its usual form. Other texts of an older database, and those that are packed, stay as they are.
pub(super) fn pack_id(text: &str) -> Option<String> {
    as_id(text).map(packed)
}

/// Undoes [`pack`]. Returns `None` if the text is stored as it is.
pub(super) fn unpack(text: &str) -> Option<String> {
    let rest = text.strip_prefix(MARK).filter(|_| is_marked(text))?;
    if rest.starts_with(MARK) {
        return Some(rest.to_owned());
    }
    Some(Uuid::from_u128(number(rest)?).to_string())
}

/// Encodes a number as text with as many of the digits as are needed for its bits.
pub(super) fn digits(number: u128, bits: usize) -> String {
    let count = bits.div_ceil(6);
    let digit = |place: usize| DIGITS[(number >> (6 * (count - 1 - place)) & 63) as usize] as char;
    (0..count).map(digit).collect()
}

/// Decodes [`digits`].
pub(super) fn number(digits: &str) -> Option<u128> {
    digits.bytes().try_fold(0_u128, |number, digit| {
        if number >> (u128::BITS - 6) != 0 {
            return None;
        }
        Some(number << 6 | u128::from(value_of(digit)?))
    })
}

fn value_of(digit: u8) -> Option<u8> {
    Some(match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'Z' => digit - b'A' + 10,
        b'_' => 36,
        b'a'..=b'z' => digit - b'a' + 37,
        b'~' => 63,
        _ => return None,
    })
}

fn packed(id: Uuid) -> String {
    format!("{MARK}{}", digits(id.as_u128(), 128))
}

/// Reads a UUID in the one form that packing gives back.
fn as_id(text: &str) -> Option<Uuid> {
    let is_usual = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    if text.len() != 36 || !text.bytes().enumerate().all(is_usual) {
        return None;
    }
    Uuid::try_parse(text).ok()
}

/// Whether a text is a packed ID, or such a one after more marks.
fn is_marked(text: &str) -> bool {
    let rest = text.trim_start_matches(MARK);
    rest.len() < text.len() && rest.len() == LENGTH && number(rest).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_back_as_it_was() {
        let id = "7ef5e338-ce4b-5814-8d32-7ae6ad8c80b6";
        let short = pack(id).expect("an ID is packed");
        assert_eq!(short.len(), 23);
        assert_eq!(unpack(&short).as_deref(), Some(id));
        let others = [
            String::new(),
            "document.md".to_owned(),
            id.to_uppercase(),
            id.replace('-', ""),
            short.clone(),
            format!("{MARK}{short}"),
            format!("{MARK}{MARK}{short}"),
            format!("{MARK}{MARK}"),
            format!("{MARK}{}", "~".repeat(22)),
            format!("{MARK}{}", "é".repeat(11)),
            "0".repeat(22),
        ];
        for text in &others {
            let stored = pack(text).unwrap_or_else(|| text.clone());
            assert_eq!(unpack(&stored).as_ref().unwrap_or(&stored), text, "{text:?} as {stored:?}");
        }
        let stored: std::collections::HashSet<_> =
            others.iter().map(|text| pack(text).unwrap_or_else(|| text.clone())).chain([short]).collect();
        assert_eq!(stored.len(), others.len() + 1, "different texts have different stored forms");
    }

    #[test]
    fn packing_the_ids_of_an_older_database_twice_changes_nothing_more() {
        let id = Uuid::max().to_string();
        let once = pack_id(&id).expect("an ID is packed");
        assert_eq!(pack_id(&once), None);
        assert_eq!(unpack(&once), Some(id));
        assert_eq!(
            pack_id(&Uuid::nil().to_string()).and_then(|nil| unpack(&nil)),
            Some(Uuid::nil().to_string())
        );
    }

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 63, 64, u128::from(u64::MAX), u128::MAX] {
            assert_eq!(number(&digits(value, 128)), Some(value));
        }
        assert_eq!(digits(u128::from(u64::MAX), 64).len(), 11);
        for (value, digit) in DIGITS.iter().enumerate() {
            assert_eq!(value_of(*digit).map(usize::from), Some(value));
        }
        assert_eq!(number(&"~".repeat(22)), None, "more than 128 bits");
    }
}
