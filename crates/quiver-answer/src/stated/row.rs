//! Rows of tables: the cell under the head that the question names, in the row whose first cell it names, if only in part:
//! "Who coaches the juniors?" in the row "Juniors (under 15)". And the reverse, the row with a value: "Which boat is at berth
//! 9?"

use std::collections::BTreeSet;

use quiver_language::{
    answering::{self, Answering},
    dimension::Dimension,
    measure::Measure,
    predicate::{self, Predicate},
    word::verbs,
};
use quiver_models::Lexical;

use super::{Stated, is_kind, is_same, label::fits};
use crate::{
    candidate::key,
    form::Asks,
    format::Format,
    lexicon::{says_day_or_month, says_money},
    objection::{asks_colour, says_colour},
    reading::{Piece, Reading, Said, says},
    unit::UnitKind,
    word::{Word, words},
};

/// What the only row states in which the question names a cell and the head of another, or a head and its cell.
pub(super) fn row(reading: &Reading) -> Option<Stated> {
    let form = &reading.form;
    let is_told =
        matches!(form.asks, Asks::Reason | Asks::Way | Asks::YesNo | Asks::Summary | Asks::Definition);
    let is_keywords =
        form.question_word.is_none() && form.asks == Asks::Description && form.request.is_none();
    let is_open = (form.question_word.is_some() || is_keywords) && form.either.is_none();
    if is_told || !is_open || form.is_list || form.is_negative {
        return None;
    }
    let is_row = |at: &usize| {
        let unit = &reading.pieces[*at].unit;
        unit.kind == UnitKind::Row && !unit.is_head
    };
    let mut found = (0..reading.pieces.len()).filter(is_row).filter_map(|at| {
        let piece = &reading.pieces[at];
        let text = under_head(reading, piece, 0)
            .or_else(|| under_head(reading, piece, 1).filter(|_| begins_with_number(piece)))
            .or_else(|| named_by_cells(reading, piece))
            .or_else(|| with_value(reading, piece))
            .or_else(|| with_role(reading, piece))?;
        let own = words(&Lexical::new(), &text);
        let has_format = reading.format.is_none_or(|format| format.is_in(form, &text, &own, false));
        let has_colour = !asks_colour(reading) || says_colour(&own);
        (fits(form, &text) && has_format && has_colour).then(|| Stated::cell(at, text))
    });
    let first = found.next()?;
    let text = |stated: &Stated| stated.cell.as_deref().map(key);
    found.all(|other| text(&other) == text(&first)).then_some(first)
}

/// The only item of a list whose label the question names, if what it says has the type asked for: "When is the cellar tour?",
/// "Cellar tour: Sunday at 11".
pub(super) fn item(reading: &Reading) -> Option<Stated> {
    let form = &reading.form;
    let is_open = form.question_word.is_some() && form.asks.is_typed() && form.either.is_none();
    if !is_open || form.is_list || form.is_negative {
        return None;
    }
    let asked = &form.words;
    let named = |piece: &Piece| named_in(asked, &label_of(piece).unwrap_or_default());
    let is_likely = |piece: &Piece| {
        let label = piece.unit.text.split_once(": ").filter(|_| piece.unit.kind == UnitKind::Item);
        label.is_some_and(|(label, _)| may_name(asked, label))
    };
    let items = reading.pieces.iter().enumerate().filter(|(_, piece)| is_likely(piece));
    let mut found = items.filter(|(_, piece)| {
        let Some((label, (_, value))) = label_of(piece).zip(piece.unit.text.split_once(": ")) else {
            return false;
        };
        let own = named(piece);
        let is_whole = label.iter().all(|word| own.iter().any(|at| says_name(&asked[*at], word)));
        let is_beside = |other: &&Piece| other.shares_heading(piece) && other.unit.text != piece.unit.text;
        // The whole label is asked for here, and only a part of a longer one there.
        let is_named_less = |piece: &Piece| {
            let other = named(piece);
            let is_part = label_of(piece).is_none_or(|label| other.len() < label.len());
            other.iter().all(|at| own.contains(at)) && (other.len() < own.len() || is_part)
        };
        let is_value = fits(form, value);
        let value = words(&Lexical::new(), value);
        let has_format =
            reading.format.is_none_or(|format| format.is_in(form, &piece.unit.text, &value, false));
        let said = reading.said(&value).and(piece.above);
        is_whole
            && reading.pieces.iter().filter(is_beside).all(is_named_less)
            && is_value
            && has_format
            && tells_type(form.asks, &value)
            && has_all(reading, said, |at| own.contains(&at) || Some(at) == form.kind && is_typed(reading))
    });
    let (at, piece) = found.next()?;
    found.all(|(_, other)| other.unit.text == piece.unit.text).then(|| Stated::whole(at))
}

/// Whether a name may have a word of the question: a cheap test before its words are read.
fn may_name(asked: &[Word], name: &str) -> bool {
    let name = name.to_lowercase();
    let begins = |word: &Word| word.lower.trim_end_matches('s').chars().take(PREFIX).collect::<String>();
    let is_one_word = !name.is_empty() && !name.contains(' ');
    asked.iter().any(|word| !word.is_function && name.contains(&begins(word)))
        || is_one_word && (0..asked.len()).any(|at| measures(asked, at, &name))
}

/// Number of letters that the forms of a word have in common.
const PREFIX: usize = 2;

/// The content words of an item's label.
fn label_of(piece: &Piece) -> Option<Vec<Word>> {
    let (label, _) = piece.unit.text.split_once(": ").filter(|_| piece.unit.kind == UnitKind::Item)?;
    Some(content(label)).filter(|label| (1..=LABEL_MAX).contains(&label.len()))
}

/// Maximum number of content words of a label.
const LABEL_MAX: usize = 6;

/// Whether words have the type asked for: a number, a day, a name.
fn tells_type(asks: Asks, words: &[Word]) -> bool {
    match asks {
        Asks::Count | Asks::Quantity => words.iter().any(Word::is_number),
        Asks::Date => words.iter().any(|word| word.is_number() || says_day_or_month(&word.lower)),
        Asks::Person | Asks::Organisation => {
            words.first().is_some_and(|word| word.is_capital && !word.is_function)
        }
        _ => false,
    }
}

/// The cell under the head that the question names, if it names the row by the cell of a column better than any other of its
/// table.
fn under_head(reading: &Reading, piece: &Piece, name: usize) -> Option<String> {
    let asked = &reading.form.words;
    if !piece.unit.cells.get(name).is_some_and(|(_, name)| may_name(asked, name)) {
        return None;
    }
    let name_of = |row: &Piece| row.unit.cells.get(name).map(|(_, name)| content(name)).unwrap_or_default();
    let named = named_in(asked, &name_of(piece));
    let is_other = |other: &&Piece| !std::ptr::eq(*other, piece) && is_of_table(other, piece);
    // "One wash" is "wash".
    let length = |row: &Piece| name_of(row).iter().filter(|word| word.lower != "one").count();
    let is_whole = length(piece) <= named.len();
    let is_named_less = |other: &Piece| {
        let theirs = named_in(asked, &name_of(other));
        // "Washing machines" beside "One wash".
        let is_part = is_whole && theirs.len() < length(other);
        (theirs.len() < named.len() || is_part) && theirs.iter().all(|at| named.contains(at))
    };
    if named.is_empty() || !reading.pieces.iter().filter(is_other).all(is_named_less) {
        return None;
    }
    told_in_column(reading, piece, &[name], &named)
}

/// The cell under the head that the question names, if the question has the whole text of other cells, and no other row of the
/// table has as many: "south pier adult return" in the row "South pier", "Adult".
fn named_by_cells(reading: &Reading, piece: &Piece) -> Option<String> {
    let asked = &reading.form.words;
    let named_by = |row: &Piece, column: usize| {
        let name = row
            .unit
            .cells
            .get(column)
            .filter(|(_, cell)| may_name(asked, cell))
            .map(|(_, cell)| content(cell));
        let name =
            name.filter(|name| name.iter().all(|word| asked.iter().any(|asked| says_name(asked, word))));
        name.map(|name| named_in(asked, &name)).unwrap_or_default()
    };
    let columns: Vec<usize> =
        (0..piece.unit.cells.len()).filter(|column| !named_by(piece, *column).is_empty()).collect();
    let named_in_row = |row: &Piece| -> BTreeSet<usize> {
        columns.iter().flat_map(|column| named_by(row, *column)).collect()
    };
    let named = named_in_row(piece);
    let is_other = |other: &&Piece| !std::ptr::eq(*other, piece) && is_of_table(other, piece);
    let is_named_less = |other: &Piece| {
        let theirs = named_in_row(other);
        theirs.is_subset(&named) && theirs.len() < named.len()
    };
    // "Monkey rail", with "Rook" under "Fits", is no row about the Rook.
    let is_named = columns.len() > 1 || columns == [usize::from(begins_with_number(piece))];
    if !is_named || !reading.pieces.iter().filter(is_other).all(is_named_less) {
        return None;
    }
    told_in_column(reading, piece, &columns, &Vec::from_iter(named))
}

/// The cell under the head that the question names beside the words that name the row in other columns.
fn told_in_column(reading: &Reading, piece: &Piece, names: &[usize], named: &[usize]) -> Option<String> {
    let asked = &reading.form.words;
    let heads = (0..piece.heads.len())
        .filter(|at| !names.contains(at))
        .filter_map(|at| Some((at, head_of(asked, piece, at, named)?)));
    let heads: Vec<(usize, Vec<usize>)> = heads.collect();
    let heads = if heads.is_empty() { priced(reading, piece).into_iter().collect() } else { heads };
    // "Half day" beside "Day"
    let (column, head) = heads.iter().max_by_key(|(_, head)| head.len())?;
    let is_part = |(_, other): &&(usize, Vec<usize>)| {
        other.len() < head.len() && other.iter().all(|at| head.contains(at))
    };
    if heads.iter().filter(|(at, _)| at != column).any(|other| !is_part(&other)) {
        return None;
    }
    let text = with_unit(&piece.unit.cells[*column]);
    let is_of_kind = |at: usize| match reading.form.kind {
        Some(kind) => at == kind && is_typed(reading),
        None => {
            reading.form.question_word.is_none() && at + 1 == asked.len() && is_of_sort(&asked[at], &text)
        }
    };
    // "*How big* is the deposit", "south pier *adult* ticket" under "Ticket".
    let is_measured =
        |at: usize| reading.form.asks == Asks::Quantity && at > 0 && asked[at - 1].lower == "how";
    let is_head_of_name = |at: usize| {
        let mut words = names.iter().filter_map(|column| piece.heads.get(*column)).flatten();
        names.len() > 1 && words.any(|word| is_same(word, &asked[at]))
    };
    let is_told = |at: usize| {
        named.contains(&at) || head.contains(&at) || is_of_kind(at) || is_measured(at) || is_head_of_name(at)
    };
    tells_rest(reading, piece, is_told).then_some(text)
}

/// A cell with the unit that its head ends with, if it is a number: "80 EUR" of "`deposit_eur`: 80".
fn with_unit((head, cell): &(String, String)) -> String {
    match unit_of(head) {
        Some((_, unit)) if cell.parse::<f64>().is_ok() => {
            let is_currency =
                unit.len() == 3 && Measure::of_unit(unit).iter().any(|measure| measure.name() == "money");
            let unit = if is_currency { unit.to_uppercase() } else { unit.to_owned() };
            format!("{cell} {unit}")
        }
        _ => cell.clone(),
    }
}

/// The name and the unit of a head that is written as in a program: "deposit" and "eur" of `deposit_eur`.
fn unit_of(head: &str) -> Option<(&str, &str)> {
    let (name, unit) = head.rsplit_once('_')?;
    let is_unit = unit.len() > 1 && !Measure::of_unit(unit).is_empty();
    is_unit.then(|| (name.strip_suffix("_per").unwrap_or(name), unit))
}

/// Whether the first cell of a row is a number or a time, so that the second one may be its name.
fn begins_with_number(piece: &Piece) -> bool {
    let first = piece.unit.cells.first();
    first.is_some_and(|(_, cell)| {
        words(&Lexical::new(), cell).iter().all(|word| word.is_numeric() || word.is_function)
    })
}

/// Whether a text is of the sort that the last of several keywords names: "boiler service *date*".
fn is_of_sort(keyword: &Word, text: &str) -> bool {
    match keyword.lower.as_str() {
        "date" | "day" | "time" => says_day_or_month(text) || text.contains(|c: char| c.is_ascii_digit()),
        "number" => text.contains(|c: char| c.is_ascii_digit()),
        "name" => text.starts_with(char::is_uppercase),
        word if answering::says(word, Answering::Price) => says_money(text),
        _ => false,
    }
}

/// The only column with prices, if the question asks for one.
fn priced(reading: &Reading, piece: &Piece) -> Option<(usize, Vec<usize>)> {
    if reading.format != Some(Format::Price) {
        return None;
    }
    let mut columns = (1..piece.unit.cells.len()).filter(|at| says_money(&piece.unit.cells[*at].1));
    let column = columns.next()?;
    columns.next().is_none().then(|| (column, Vec::new()))
}

/// The first cell of a row with a value that the question names with its head: "Which boat is at *berth 9*?"
fn with_value(reading: &Reading, piece: &Piece) -> Option<String> {
    let (form, asked) = (&reading.form, &reading.form.words);
    let mut told: Vec<usize> = Vec::new();
    for (at, (_, cell)) in piece.unit.cells.iter().enumerate().skip(1) {
        if !says(&reading.asked, &without_brackets(cell).to_lowercase()) {
            continue;
        }
        let value = content(cell);
        let from = (0..asked.len()).find(|from| {
            !value.is_empty()
                && asked[*from..].len() >= value.len()
                && value.iter().zip(&asked[*from..]).all(|(value, asked)| value.lower == asked.lower)
        });
        let head = head_of(asked, piece, at, &[]);
        if let (Some(from), Some(head)) = (from, head) {
            told.extend(from..from + value.len());
            told.extend(head);
        }
    }
    let head = piece.heads.first().filter(|_| !told.is_empty())?;
    let is_name = |word: &Word| answering::says(&word.lower, Answering::Naming);
    let is_of_kind = match form.kind {
        Some(kind) => {
            let agrees = |word: &Word| is_same(&asked[kind], word);
            let above = format!("{} {}", reading.pages[piece.source].title, piece.unit.heading);
            head.iter().any(agrees)
                || head.iter().any(is_name) && words(&Lexical::new(), &above).iter().any(agrees)
        }
        None => form.asks == Asks::Person,
    };
    let is_told = |at: usize| told.contains(&at) || Some(at) == form.kind;
    (is_of_kind && tells_rest(reading, piece, is_told)).then(|| piece.unit.cells[0].1.clone())
}

/// The only name of a person in a row whose role, a whole cell, the question names: "Who is the *costume designer*?"
fn with_role(reading: &Reading, piece: &Piece) -> Option<String> {
    let (form, asked) = (&reading.form, &reading.form.words);
    if form.asks != Asks::Person || form.question_word != Some(0) {
        return None;
    }
    let cells = || piece.unit.cells.iter().enumerate();
    let (role, told) = cells().find_map(|(at, (_, cell))| {
        let role = content(cell);
        let told = named_in(asked, &role);
        (!role.is_empty() && told.len() == role.len()).then_some((at, told))
    })?;
    let mut names = cells().filter(|(at, (_, cell))| *at != role && is_full_name(cell));
    let (_, (_, name)) = names.next()?;
    // "Who was mate before Una?" does not ask for Una.
    let is_new = names.next().is_none() && named_in(asked, &content(name)).is_empty();
    (is_new && tells_rest(reading, piece, |at| told.contains(&at))).then(|| name.clone())
}

/// Whether a cell has nothing but the first and the last name of a person.
fn is_full_name(cell: &str) -> bool {
    let words = words(&Lexical::new(), cell);
    (2..=NAME_MAX).contains(&words.len())
        && words.iter().all(|word| word.is_capital && !word.is_function && !word.is_numeric())
}

/// Maximum number of words in the name of a person.
const NAME_MAX: usize = 3;

/// The words of a cell that count, without those in brackets.
pub(crate) fn content(cell: &str) -> Vec<Word> {
    let words = words(&Lexical::new(), without_brackets(cell)).into_iter();
    words.filter(|word| !word.is_function).collect()
}

fn without_brackets(cell: &str) -> &str {
    cell.split(" (").next().unwrap_or(cell)
}

/// The question words that are among those of a name, or that ask for what it measures.
fn named_in(asked: &[Word], name: &[Word]) -> Vec<usize> {
    let is_measured = |at: usize| matches!(name, [only] if measures(asked, at, &only.lower));
    let is_named = |at: &usize| {
        !asked[*at].is_function && name.iter().any(|word| says_name(&asked[*at], word)) || is_measured(*at)
    };
    (0..asked.len()).filter(is_named).collect()
}

/// Whether a lower-case noun names the dimension that a question word asks for: "weight" for "how *heavy*" and "how much does it *weigh*".
fn measures(asked: &[Word], at: usize, noun: &str) -> bool {
    let says = |dimensions: &[Dimension]| {
        let mut nouns = dimensions.iter().filter(|one| one.is_high).flat_map(|one| one.nouns());
        nouns.any(|name| name == noun && !matches!(name, "time" | "work" | "effort"))
    };
    let word = asked[at].lower.as_str();
    let is_asked = at > 0 && asked[at - 1].lower == "how";
    let asks = asked.iter().any(|word| word.lower == "how" || word.lower == "what");
    is_asked && comparatives(word).iter().any(|more| says(Dimension::of_comparative(more)))
        || asks && verbs(word).any(|base| says(Dimension::of_verb(base)))
}

/// The possible comparatives of an adjective: "heavier", "wider", "longer", "bigger".
fn comparatives(adjective: &str) -> Vec<String> {
    let mut forms = vec![format!("{adjective}er"), format!("{adjective}r")];
    forms.extend(adjective.strip_suffix('y').map(|stem| format!("{stem}ier")));
    forms.extend(adjective.chars().next_back().map(|last| format!("{adjective}{last}er")));
    forms
}

/// Whether a question word is a word of a name, or its plural: "the under 12s".
fn says_name(asked: &Word, word: &Word) -> bool {
    is_same(word, asked) || word.is_numeric() && asked.lower.strip_suffix('s') == Some(&word.lower)
}

/// The question words that name the head of a column, if all its words are among them, those in brackets aside. A verb may
/// stand for the noun for who does it: "owns" for "Owner".
fn head_of(asked: &[Word], piece: &Piece, column: usize, named: &[usize]) -> Option<Vec<usize>> {
    let (head, _) = piece.unit.cells.get(column)?;
    if let Some(said) = question_words(asked, head) {
        return Some(said);
    }
    let head = content(&unit_of(head).map_or(head.as_str(), |(name, _)| name).replace('_', " "));
    let is_open = |at: &usize| !asked[*at].is_function && !named.contains(at);
    let is_only = head.len() == 1;
    let says = |word: &Word| {
        (0..asked.len()).filter(is_open).find(|at| {
            is_same(word, &asked[*at])
                || is_agent(word, &asked[*at])
                || is_only && measures(asked, *at, &word.lower)
        })
    };
    let said: Option<Vec<usize>> = head.iter().map(says).collect();
    said.filter(|said| !said.is_empty())
}

/// The words with which the question asks, if they are the head of a column: "who", "how often".
fn question_words(asked: &[Word], head: &str) -> Option<Vec<usize>> {
    let head = words(&Lexical::new(), head);
    let at = asked
        .iter()
        .position(|word| matches!(word.lower.as_str(), "who" | "when" | "where" | "how" | "why"))?;
    let is_head = !head.is_empty()
        && asked.len() >= at + head.len()
        && head.iter().zip(&asked[at..]).all(|(head, asked)| head.lower == asked.lower);
    is_head.then(|| (at..at + head.len()).collect())
}

/// Whether a noun is for somebody who does what a verb says: "owner" of "owns".
fn is_agent(noun: &Word, verb: &Word) -> bool {
    let stems = ["er", "or", "r"].into_iter().filter_map(|ending| noun.lower.strip_suffix(ending));
    let mut bases = verbs(&verb.lower);
    let stems: Vec<&str> = stems.collect();
    bases.any(|base| stems.contains(&base))
}

/// Whether two rows belong to the same table.
fn is_of_table<'p>(one: &'p Piece, other: &'p Piece) -> bool {
    let heads = |piece: &'p Piece| piece.unit.cells.iter().map(|(head, _)| head);
    one.unit.kind == UnitKind::Row && one.shares_heading(other) && heads(one).eq(heads(other))
}

/// Whether the kind that the question names is told by the type of the answer: "What *year* was it built?"
fn is_typed(reading: &Reading) -> bool {
    let has_format = reading.format.is_some() || asks_colour(reading);
    has_format || matches!(reading.form.asks, Asks::Date | Asks::Person | Asks::Quantity)
}

/// Whether the title, the headings and the cells of a row have all other words of the question. Heads don't count: they say
/// nothing of this row.
pub(super) fn tells_rest(reading: &Reading, piece: &Piece, is_told: impl Fn(usize) -> bool) -> bool {
    let cells = piece.unit.cells.iter().map(|(_, cell)| words(&Lexical::new(), cell));
    let first_head = piece.heads.first().into_iter().flatten().cloned();
    let said = reading.said(&cells.flatten().chain(first_head).collect::<Vec<_>>()).and(piece.above);
    has_all(reading, said, is_told)
}

/// Whether all words of the question are said or told, apart from those that only ask.
fn has_all(reading: &Reading, said: Said, is_told: impl Fn(usize) -> bool) -> bool {
    let asks_price = reading.format == Some(Format::Price);
    let is_price = |word: &Word| asks_price && answering::says(&word.lower, Answering::Price);
    let is_light = |word: &Word| verbs(&word.lower).any(|base| predicate::says(base, Predicate::Light));
    reading.wanted.iter().enumerate().all(|(bit, wanted)| {
        let word = &reading.form.words[wanted.word];
        is_told(wanted.word)
            || said.exact >> bit & 1 == 1
            || is_kind(word)
            || is_light(word)
            || is_price(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Even;

    fn row_for(question: &str, text: &str) -> Option<String> {
        row(&Reading::of_passage(question, Some("The ships of the line"), text, &Even))?.cell
    }

    const SHIPS: &str = "| Name | Owner | Built | Berths | Quay | Trip | Long trip (6 h) |\n\
        |---|---|---|---|---|---|---|\n\
        | Petrel (tug) | Ida Low | 1994 | 6 | 9 | €40 | €90 |\n\
        | Storm Petrel | Ola Rees | 2003 | 8 | 4 | €55 | €110 |\n\
        | Knots 1 to 3 | Ida Low | 2011 | 2 | 12 | €10 | – |\n\n\
        ## Painting\n\n| What | How often | Who |\n|---|---|---|\n| Keel | every year | Ola Rees |\n\
        | Mast of the tug | every third year | Ida Low |\n\n\
        ## The watches\n\n| Time | Watch | Keeper |\n|---|---|---|\n| 4:00 to 8:00 | Morning watch | Lis Ward |\n\
        | 16:00 to 20:00 | Dog watch | Una Holt |\n\n\
        ## The crew\n\n| Ship | Name | Job |\n|---|---|---|\n| Petrel | Una Holt | First mate |\n\
        | Knots | Abe Moor | Ship's cook |\n| Petrel | Lis Ward | Second mate |\n\n\
        ## The fares\n\n| | East pier | West pier |\n|---|---|---|\n| One crossing | €4 | €5 |\n\
        | Crossing times | 9 to 5 | 8 to 6 |\n\n\
        ## Rafts\n\n| Raft | Guests |\n|---|---|\n| 6 | 10 |\n| 7 | 12 |\n\n\
        ## The ferry\n\n| Guest | Price | Place |\n|---|---|---|\n| Adult | €9 | cabin |\n| Dog (with a lead) | €3 | deck |\n";

    #[test]
    fn a_row_named_in_part_gives_the_cell_under_the_head() {
        for (question, answer) in [
            ("Who owns the Storm Petrel?", "Ola Rees"),
            ("What year was the Storm Petrel built?", "2003"),
            ("How many berths does the Knot have?", "2"),
            ("What does the Storm Petrel cost for a long trip?", "€110"),
            ("Which ship is at quay 9?", "Petrel (tug)"),
            ("What does a dog pay on the ferry?", "€3"),
            ("storm petrel owner name", "Ola Rees"),
            ("How many guests do the 7s take?", "12"),
            ("Who paints the mast?", "Ida Low"),
            ("How often is the keel painted?", "every year"),
            ("What does a crossing cost at the West pier?", "€5"),
            ("Who's the first mate?", "Una Holt"),
            ("Who keeps the dog watch?", "Una Holt"),
            ("What time is the morning watch?", "4:00 to 8:00"),
            ("Who is the ship's cook on the Knots?", "Abe Moor"),
        ] {
            assert_eq!(row_for(question, SHIPS).as_deref(), Some(answer), "{question}");
        }
    }

    #[test]
    fn cells_name_a_row_together_and_a_head_may_have_a_unit() {
        let text = "| route | ticket | single_gbp | return_gbp | wait_days |\n|---|---|---|---|---|\n\
            | South pier | Adult | 6.80 | 12.40 | 2 |\n| South pier | Child | 3.40 | 6.20 | 2 |\n\
            | North pier | Adult | 5.10 | 9.30 | 4 |\n";
        for (question, answer) in [
            ("return ticket adult south pier price", Some("12.40 GBP")),
            ("How much is a single to the North pier for an adult?", Some("5.10 GBP")),
            ("How big is the return for a child to the South pier?", Some("6.20 GBP")),
            ("How long is the wait of an adult at the North pier?", Some("4 days")),
            ("How much is a single to the South pier?", None),
            ("How much is a single to the North pier for a child?", None),
            ("return ticket senior south pier price", None),
        ] {
            assert_eq!(row_for(question, text).as_deref(), answer, "{question}");
        }
    }

    #[test]
    fn a_head_or_a_row_may_name_the_dimension_asked_for() {
        let text = "## Boats\n\n| Boat | Weight | Length | Start |\n|---|---|---|---|\n\
            | Tern | 41 kg | 5 m | 9:00 |\n| Gull | 52 kg | 6 m | 10:00 |\n\n\
            ## Sails\n\n| | Jib | Genoa |\n|---|---|---|\n| Width | 2 m | 3 m |\n| Time | 9:00 | 10:00 |\n";
        for (question, answer) in [
            ("How heavy is the Tern?", Some("41 kg")),
            ("How much does the Gull weigh?", Some("52 kg")),
            ("How long is the Gull?", Some("6 m")),
            ("How wide is the Genoa?", Some("3 m")),
            ("How wide is the Gull?", None),
            ("How deep is the Jib?", None),
        ] {
            assert_eq!(row_for(question, text).as_deref(), answer, "{question}");
        }
    }

    #[test]
    fn an_item_with_the_label_asked_for_has_the_answer() {
        let text = "## Tours\n\n- Cellar tour: Sunday at 11\n- Loft tour: in summer\n- Long cellar tour: Monday at 9\n\n\
            ## Prizes\n\n- Loft: Ida Low\n";
        let item_for = |question: &str| {
            let reading = Reading::of_passage(question, None, text, &Even);
            item(&reading).map(|stated| reading.pieces[stated.pieces.start].unit.text.clone())
        };
        assert_eq!(
            item_for("When's the long cellar tour?").as_deref(),
            Some("Long cellar tour: Monday at 9")
        );
        assert_eq!(item_for("When is the cellar tour?").as_deref(), Some("Cellar tour: Sunday at 11"));
        assert_eq!(item_for("When is the loft tour?"), None, "no day");
        assert_eq!(item_for("When is the cellar tour for schools?"), None, "schools are not mentioned");
        assert_eq!(item_for("Who guides the loft?"), None, "another relation");
    }

    #[test]
    fn a_row_that_does_not_say_all_gives_nothing() {
        for question in [
            // Two rows say as much.
            "What year was the ship built?",
            // The head is of something else, or of more.
            "Who painted the Storm Petrel?",
            "How many berths does the Storm Petrel have on deck 2?",
            "Who is the owner manager of the Storm Petrel?",
            "storm petrel owner address",
            // No row has it.
            "Which ship is at quay 7?",
            "What does the Knot cost for a night?",
            "Who sold the mast?",
            "Who's the mate?",
            "Who was first mate before Una?",
            "Who is the ship's cook on the Petrel?",
        ] {
            assert_eq!(row_for(question, SHIPS), None, "{question}");
        }
    }
}
