//! Objections to a sentence that is about another thing.

use std::ops::Range;

use quiver_language::{
    Class, Language,
    mention::MentionKind,
    word::{is_adjective, is_verb},
};

use super::{
    super::{
        form::{Asks, Role, is_auxiliary},
        format::is_weekday,
        lexicon::{is_colour, is_ordinal, number, ordinal},
        reading::{Named, Piece, Reading, Said, Wanted, has_token, says, tokens},
        stated::{content, is_identifier},
        unit::UnitKind,
        word::{Word, words_of},
    },
    Objection,
};

/// Minimum share of the relation words that a sentence must contain.
pub(super) const RELATION_LEAST: f32 = 0.75;

/// Minimum weight, relative to the question's heaviest word, for a word to distinguish one thing from
/// another.
pub(super) const TELLING_LEAST: f32 = 0.7;

/// The same for a word of a name.
pub(super) const NAME_LEAST: f32 = 0.5;

/// Reasons for doubt, as shares of the question's weight. Learned weights decide how much each counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubts {
    /// Share of the relation words that the sentence itself contains.
    pub(crate) relation: f32,
    /// Share of the names, numbers and rarest words that the path covers.
    pub(crate) things: f32,
    /// The heaviest word that the path does not cover, relative to the heaviest word of all.
    pub(crate) unsaid: f32,
}

impl Doubts {
    pub(crate) fn of(reading: &Reading, piece: &Piece) -> Self {
        let chained = piece.chained[piece.chained.len() - 1];
        let share = |said: Said, is: &dyn Fn(&Wanted) -> bool| {
            let (mut sum, mut whole) = (0.0, 0.0);
            for (bit, wanted) in reading.wanted.iter().enumerate().filter(|(_, wanted)| is(wanted)) {
                whole += wanted.weight;
                sum += if said.has(bit) { wanted.weight } else { 0.0 };
            }
            if whole > 0.0 { sum / whole } else { 1.0 }
        };
        let most = reading.wanted.iter().map(|wanted| wanted.weight).fold(f32::MIN_POSITIVE, f32::max);
        let is_telling = |wanted: &Wanted| wanted.role != Role::Kind && wanted.weight >= TELLING_LEAST * most;
        let is_figure = |wanted: &Wanted| reading.form.words[wanted.word].is_numeric();
        let has_outer = reading.has_role(Role::Outer);
        let is_relation = |wanted: &Wanted| {
            wanted.role == Role::Outer
                || !has_outer && wanted.role == Role::Kind && !reading.form.asks.is_typed()
        };
        let unsaid = reading
            .wanted
            .iter()
            .enumerate()
            .filter(|(bit, wanted)| wanted.role != Role::Kind && !chained.has(*bit));
        Self {
            relation: share(piece.own, &is_relation),
            things: share(chained, &|wanted| {
                wanted.role == Role::Name || is_figure(wanted) || is_telling(wanted)
            }),
            unsaid: unsaid.map(|(_, wanted)| wanted.weight).fold(0.0, f32::max) / most,
        }
    }

    /// The doubt to report, if any.
    pub(crate) fn objection(self) -> Option<Objection> {
        if self.things < 1.0 {
            return Some(Objection::OtherThing);
        }
        (self.relation < RELATION_LEAST).then_some(Objection::OtherRelation)
    }
}

/// Whether neither a piece nor what leads to it says a word of a name in the question, or a whole name of several words, that
/// weighs this much relative to the heaviest word of all.
pub(super) fn leaves_name_open(reading: &Reading, piece: &Piece, weight_least: f32) -> bool {
    // A section that another page leads to is about something else.
    let chained = if reading.is_in_section(piece) {
        piece.with_context
    } else {
        piece.chained[piece.chained.len() - 1]
    };
    let most = reading.wanted.iter().map(|wanted| wanted.weight).fold(0.0, f32::max);
    let is_open = |name: u64| {
        let words = || reading.wanted.iter().enumerate().filter(|(bit, _)| name >> bit & 1 == 1);
        let weight: f32 = words().map(|(_, wanted)| wanted.weight).sum();
        weight >= weight_least * most && !words().any(|(bit, _)| chained.has(bit))
    };
    let is_word_open = |(bit, wanted): (usize, &Wanted)| wanted.role == Role::Name && is_open(1 << bit);
    reading.wanted.iter().enumerate().any(is_word_open) || names(reading).any(is_open)
}

/// Whether another page is about what the question names, and only the sentence before this one mentions it: "Use the
/// Vega loom for wool. The widest cloth is 90 cm." on a page about another loom.
pub(super) fn is_of_other_page(reading: &Reading, piece: &Piece) -> bool {
    let is_about = |name: u64| {
        let mut others = reading.pages.iter().enumerate().filter(|(page, _)| *page != piece.source);
        others.any(|(_, page)| page.title_said.exact & name == name)
    };
    let (own, around) = (piece.own.exact | piece.own.near, piece.with_context.near);
    names(reading).any(|name| {
        let open = name & !own;
        open != 0 && open & around == open && is_about(name)
    })
}

/// Whether a page under headings is about something with a name of its own, and nothing around the piece has a name of the
/// question, however common that is: "Club profile: Wharfside" for "How much is the membership at Priory?"
pub(super) fn is_of_other_name(reading: &Reading, piece: &Piece) -> bool {
    let said = piece.with_context.exact | piece.with_context.near;
    let mut asked = names(reading).peekable();
    // Words that the passages never write without a capital.
    let is_name = |word: &Word| {
        let written = reading.pieces.iter().flat_map(|piece| piece.words.iter().skip(1));
        let mut uses = written.filter(|other| other.lower == word.lower).peekable();
        word.is_capital && !word.is_function && uses.peek().is_some() && uses.all(|other| other.is_capital)
    };
    let is_other = |word: &&Word| !reading.form.has_form(word) && is_name(word);
    reading.is_in_section(piece)
        && asked.peek().is_some()
        && asked.all(|name| name & said == 0)
        && reading.pages[piece.source].subject_words.iter().any(|word| is_other(&word))
}

/// Whether a piece has a name of the question without its adjective, although some piece has all of it: "Brenn" for "Little
/// Brenn".
pub(super) fn drops_adjective(reading: &Reading, piece: &Piece) -> bool {
    let bit_of = |word: usize| reading.wanted.iter().position(|wanted| wanted.word == word);
    let drops = |name: &Range<usize>| {
        let words = &reading.form.words[name.clone()];
        let Some(adjective) = bit_of(name.start).filter(|_| words.len() > 1) else { return false };
        let mut rest = name.clone().skip(1).map(bit_of);
        let whole = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        is_adjective(&words[0].lower)
            && !piece.with_context.has(adjective)
            && rest.all(|bit| bit.is_some_and(|bit| piece.own.has(bit)))
            && reading.pieces.iter().any(|other| says(&other.lower, &whole))
    };
    reading.form.names.iter().any(drops)
}

/// Whether the question gives a rank below the first, and neither a piece nor what it stands under has it: "the winners" for
/// "Who came *second*?"
pub(super) fn lacks_rank(reading: &Reading, piece: &Piece) -> bool {
    let words = &reading.form.words;
    // "Per second", "30 seconds".
    let is_unit = |at: usize| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        before.is_some_and(|word| {
            word.is_number() || matches!(word.lower.as_str(), "a" | "per" | "each" | "every")
        })
    };
    let rank = |at: usize| ordinal(&words[at].lower).filter(|rank| *rank > 1 && !is_unit(at));
    let is_said = |rank: usize| {
        let above = words_of(&format!("{} {}", piece.unit.heading, reading.pages[piece.source].title));
        let own = piece.words.iter().map(|word| &word.lower);
        own.chain(&above).any(|word| ordinal(word) == Some(rank) || word.parse() == Ok(rank))
    };
    (0..words.len()).filter_map(rank).any(|rank| !is_said(rank))
}

/// Whether a piece is from the page about a namesake of what the question names ("Upper Tarn Hut" for "Lower Tarn Hut"), and
/// the page of that says all that is asked, or nothing that leads from it to the namesake says more of the question.
pub(super) fn is_of_namesake(reading: &Reading, piece: &Piece) -> bool {
    let page = &reading.pages[piece.source];
    let is_namesake = |name: u64| {
        let shared = page.title_said.exact & name;
        shared != 0 && shared != name && piece.own.exact & name != name
    };
    let has_other_word =
        || page.subject_words.iter().any(|word| !word.is_function && !reading.form.has_form(word));
    let leads = |from: usize, name: u64| {
        let own = reading.pieces[from].own;
        (own.exact | own.near) & !(name | piece.own.exact | piece.own.near) != 0
    };
    let is_led = |name: u64| piece.from.is_some_and(|from| leads(from, name));
    let is_beside = |name: u64| {
        let is_about = |page: &usize| reading.pages[*page].title_said.exact & name == name;
        let mut about = (0..reading.pages.len()).filter(is_about);
        about.any(|page| reading.tells_all(page) || !is_led(name))
    };
    names(reading).any(|name| is_namesake(name) && has_other_word() && is_beside(name))
}

/// The names in the question, each as bits of its words.
fn names(reading: &Reading) -> impl Iterator<Item = u64> {
    let bits = |name: &Range<usize>| {
        let wanted = reading.wanted.iter().enumerate();
        wanted.filter(|(_, wanted)| name.contains(&wanted.word)).fold(0_u64, |bits, (bit, _)| bits | 1 << bit)
    };
    reading.form.names.iter().map(bits).filter(|name| *name != 0)
}

/// Whether a sentence under headings has words of a name only apart from each other: "the *team* that lives further *away*"
/// for "Team Away Day".
pub(super) fn scatters_name(reading: &Reading, piece: &Piece) -> bool {
    let says = |word: &Word, wanted: &Wanted| !word.is_function && reading.agreement(wanted, word) >= 1.0;
    let scatters = |name: &Range<usize>| {
        let wanted = reading.wanted.iter().enumerate();
        let parts: Vec<(usize, &Wanted)> = wanted.filter(|(_, wanted)| name.contains(&wanted.word)).collect();
        let is_part = |word: &Word| parts.iter().any(|(_, wanted)| says(word, wanted));
        let said = parts.iter().filter(|(_, wanted)| piece.words.iter().any(|word| says(word, wanted)));
        parts.len() > 2
            && !parts.iter().any(|(bit, _)| piece.above.has(*bit))
            && said.count() > 1
            && !piece.words.windows(2).any(|pair| pair.iter().all(is_part))
    };
    reading.is_in_section(piece) && reading.form.names.iter().any(scatters)
}

/// Whether a row needs a path to say what another one says by itself: two tickets have the same owner, and the question
/// names one of them.
pub(super) fn is_said_alone_elsewhere(reading: &Reading, piece: &Piece) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let all = chained.exact | chained.near;
    let own = piece.with_context.exact | piece.with_context.near;
    let is_row = |piece: &Piece| piece.unit.kind == UnitKind::Row;
    let says_all = |other: &Piece| is_row(other) && other.with_context.exact & all == all;
    is_row(piece) && all != own && reading.pieces.iter().any(says_all)
}

/// Whether neither a piece of a document nor what leads to it says the year in the question, or it does not say it itself
/// and tells of another year, as the title of its page or its heading may.
pub(super) fn leaves_year_open(reading: &Reading, piece: &Piece) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let page = &reading.pages[piece.source];
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let above = [page.title.as_str(), piece.unit.heading.as_str()];
    // "In 2024 the cup was won by Ida", but not "since 2019"
    let tells_another = |year: &str| {
        let is_another = |at: usize| {
            let before = at.checked_sub(1).map_or("", |before| piece.words[before].lower.as_str());
            is_year(&piece.words[at].lower) && !matches!(before, "since" | "from" | "until" | "by")
        };
        !piece.words.iter().any(|word| word.lower == year) && (0..piece.words.len()).any(is_another)
    };
    let is_of_another = || above.into_iter().flat_map(tokens).any(is_year);
    // The year of "the 1995 film" tells which film, and not when.
    let says_when = |at: usize| {
        let before = at.checked_sub(1).map_or("", |before| reading.form.words[before].lower.as_str());
        matches!(before, "in" | "during" | "for" | "of")
    };
    page.turn.is_none()
        && reading.wanted.iter().enumerate().any(|(bit, wanted)| {
            let year = reading.form.words[wanted.word].lower.as_str();
            is_year(year)
                && (!chained.has(bit)
                    || !piece.own.has(bit) && is_of_another()
                    || says_when(wanted.word) && tells_another(year))
        })
}

/// Whether another section of the same passage is about what the question names: its heading has a word of the question
/// that this piece and its headings lack, and that is a name, or that section says all else that this piece does.
pub(super) fn is_of_other_section(reading: &Reading, piece: &Piece) -> bool {
    if is_of_other_item(reading, piece) {
        return true;
    }
    let heading = &piece.unit.heading;
    let title = reading.pages[piece.source].title_said.exact;
    reading.pieces.iter().any(|other| {
        if other.source != piece.source || other.unit.heading.starts_with(heading.as_str()) {
            return false;
        }
        if piece.asked_heading.is_none()
            && other.asked_heading.as_ref().is_some_and(|name| !says(&piece.lower, name))
        {
            return true;
        }
        let has_all = other.own.exact & piece.own.exact == piece.own.exact;
        reading.wanted.iter().enumerate().any(|(bit, wanted)| {
            let is_in_heading = (other.above.exact & !title) >> bit & 1 == 1;
            is_in_heading && !piece.with_context.has(bit) && (has_all || wanted.role == Role::Name)
        })
    })
}

/// Whether a sentence belongs to a labelled item, and the question has the label of another one of the list.
fn is_of_other_item(reading: &Reading, piece: &Piece) -> bool {
    let Some(own) = &piece.label else { return false };
    let beside = reading.pieces.iter().filter(|other| other.shares_heading(piece));
    let labels = beside.filter_map(|other| other.label.as_ref());
    let mut asked = labels.filter(|label| says(&reading.asked, label)).peekable();
    asked.peek().is_some() && !says(&reading.asked, own) && asked.all(|label| !says(&piece.lower, label))
}

/// Whether a row begins with another identifier than the one asked about: a row about `ShowLog` for "What does
/// `HideLog` do?"
pub(super) fn is_of_other_row(reading: &Reading, piece: &Piece) -> bool {
    let is_key = |text: &str| !text.contains(' ') && is_identifier(text);
    let Some((_, first)) = piece.unit.cells.first().filter(|(_, first)| is_key(first)) else { return false };
    // "two-factor" and "e-mail" are ordinary words.
    let is_ordinary = |text: &str| !text.contains(|c: char| c == '_' || c.is_uppercase() || c.is_numeric());
    let mut asked = tokens(&reading.question).filter(|token| is_key(token) && !is_ordinary(token));
    !has_token(&reading.question, first) && asked.any(|token| !reading.shows_token(piece, token))
}

/// Whether a row of a table has one part of what the question names, and another row is named by the other: "Family" and "Year
/// ticket" for "a year ticket for a family".
pub(super) fn is_half_of_rows(reading: &Reading, piece: &Piece) -> bool {
    let is_row = |row: &Piece| row.unit.kind == UnitKind::Row && !row.unit.is_head;
    if !is_row(piece) {
        return false;
    }
    let name_of = |row: &Piece| row.unit.cells.first().map(|(_, name)| content(name)).unwrap_or_default();
    let kinds = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Kind);
    let kinds = kinds.fold(0, |all, (bit, _)| all | 1 << bit);
    let named = |row: &[Word]| reading.said(row).exact & !kinds;
    let own = named(&name_of(piece));
    let is_other = |other: &Piece| {
        if !is_row(other) || !other.shares_heading(piece) || own & !other.own.exact == 0 {
            return false;
        }
        let name = name_of(other);
        let more = named(&name) & !piece.with_context.exact;
        more != 0 && name.iter().all(|word| reading.form.has_form(word))
    };
    own != 0 && reading.pieces.iter().any(is_other)
}

/// Maximum number of words of an item that is a label with its value.
const LABELLED_MAX: usize = 8;

/// Whether a short item says only a part of what the question says that one beside it says: "Shared index = port 8983" beside
/// "Shared database = port 5432" for the port of the shared database.
pub(super) fn is_beside_fuller(reading: &Reading, piece: &Piece) -> bool {
    let own = piece.own.exact | piece.own.near;
    let is_labelled = |piece: &Piece| {
        piece.unit.kind == UnitKind::Item
            && piece.words.len() <= LABELLED_MAX
            && piece.unit.text.contains([':', '='])
    };
    let is_fuller = |other: &Piece| {
        let more = other.own.exact & !own;
        let tells = |bit: usize| more >> bit & 1 == 1 && reading.wanted[bit].role != Role::Kind;
        other.shares_heading(piece) && other.own.exact & own == own && (0..reading.wanted.len()).any(tells)
    };
    is_labelled(piece) && reading.pieces.iter().any(|other| is_labelled(other) && is_fuller(other))
}

/// Whether a sentence says of another name what the question asks about its own, however common that one is: "Ben hands in his
/// thesis" for "When does *Ann* hand in her thesis?", "It pays for Ben" for "What pays for *Ann*?"
pub(super) fn is_of_rival(reading: &Reading, piece: &Piece) -> bool {
    let (asked, words) = (&reading.form.words, &piece.words);
    let is_said = |name: &Range<usize>| {
        let is_in = |(_, wanted): &(usize, &Wanted)| name.contains(&wanted.word);
        let mut bits = reading.wanted.iter().enumerate().filter(is_in).peekable();
        // A section that another page leads to is about something else.
        let said =
            if reading.is_in_section(piece) { piece.own } else { piece.chained[piece.chained.len() - 1] };
        bits.peek().is_none() || bits.any(|(bit, _)| said.has(bit))
    };
    let is_other = |named: &&Named| named.kind == MentionKind::Name && !says(&reading.asked, &named.key);
    let does = |name: &Range<usize>| {
        // "When *will Ann hand* it in?", "When is the *Ann Lane* shop *shut*?"
        let is_after_auxiliary = name.start.checked_sub(1).is_some_and(|at| is_auxiliary(&asked[at].lower));
        let after = asked[name.end..].iter().filter(|word| !word.is_function).take(VERB_AFTER_MAX);
        let is_deed = |(order, word): &(usize, &Word)| {
            !word.is_capital && (is_after_auxiliary && *order == 0 || is_verb(&word.lower))
        };
        let of_other =
            |at: usize| piece.named.iter().filter(is_other).any(|other| other.range.end <= words[at].start);
        // "Where was the leader *of Ann* born?" asks for the leader's birth.
        let class = |word: &Word| Language::English.class(&word.lower);
        let before = asked[..name.start].iter().rev().find(|word| class(word) != Some(Class::Determiner));
        let is_subject = before.is_none_or(|before| class(before) != Some(Class::Preposition));
        let mut verbs = after.enumerate().filter(|deed| is_subject && is_deed(deed));
        verbs.any(|(_, verb)| (0..words.len()).any(|at| verb.is_form_of(&words[at]) && of_other(at)))
    };
    let follows = |name: &Range<usize>| {
        let before = |back: usize| name.start.checked_sub(back).map(|at| &asked[at]);
        let joint = before(1).filter(|word| word.is_function).map(|word| word.lower.as_str());
        let Some(head) = before(if joint.is_some() { 2 } else { 1 }).filter(|word| !word.is_function) else {
            return false;
        };
        let other_after = |at: usize| {
            let next = words.get(at + 1).filter(|next| joint.is_none_or(|joint| next.lower == joint));
            let from = next.map(|_| at + 1 + usize::from(joint.is_some()));
            let start = from.and_then(|from| words.get(from)).map(|word| word.start);
            start.is_some_and(|start| {
                piece.named.iter().filter(is_other).any(|other| other.range.start == start)
            })
        };
        (0..words.len()).any(|at| head.is_form_of(&words[at]) && other_after(at))
    };
    // "*Ben's* tank holds 18 litres" for "How much does *Ann's* tank hold?"
    let has = |name: &Range<usize>| {
        let owned = asked[name.end..].iter().find(|word| !word.is_function);
        let is_owner = |at: usize| {
            let other = &words[at];
            let mut after = words[at + 1..].iter().take(OWNED_AFTER_MAX);
            other.is_possessive
                && other.is_capital
                && !reading.form.has(other)
                && after.any(|word| owned.is_some_and(|owned| owned.is_form_of(word)))
        };
        let owner = &asked[name.end - 1];
        // The heading may name both.
        let is_named = || words.iter().any(|word| word.is_form_of(owner));
        owner.is_possessive && !is_named() && (0..words.len()).any(is_owner)
    };
    let says_of_other = |name: &Range<usize>| !is_said(name) && (does(name) || follows(name)) || has(name);
    reading.form.names.iter().any(says_of_other)
}

/// Maximum number of words from an owner to what is owned: "Ben's *old fuel* tank".
const OWNED_AFTER_MAX: usize = 3;

/// Whether a sentence begins with another case than the one that the question is about, which a sentence beside it begins with:
/// "For dyed wool, …" for "How long does combed wool take?" beside "For combed wool, …"
pub(super) fn is_of_other_case(reading: &Reading, piece: &Piece) -> bool {
    let is_asked =
        |piece: &Piece| case_of(piece).map(|words| words.iter().all(|word| reading.form.has_form(word)));
    let is_rival = |other: &Piece| other.shares_heading(piece) && is_asked(other) == Some(true);
    is_asked(piece) == Some(false) && reading.pieces.iter().any(is_rival)
}

/// The content words between "for" or the like at the beginning of a sentence and the comma after them.
fn case_of(piece: &Piece) -> Option<Vec<&Word>> {
    let first =
        piece.words.first().filter(|first| matches!(first.lower.as_str(), "for" | "with" | "in" | "on"))?;
    let comma = piece.unit.text.find(',')?;
    let within = piece.words[1..].iter().take_while(|word| word.end <= comma);
    let content: Vec<&Word> = within.filter(|word| !word.is_function).collect();
    (first.start == 0 && (1..=CASE_WORDS_MAX).contains(&content.len())).then_some(content)
}

/// Maximum number of content words of a case.
const CASE_WORDS_MAX: usize = 3;

/// Whether a sentence tells of another month, day of the week or number in order than the question asks about: "In March we
/// read …" for "Which book do they read in May?", "the first quarter" for "the second quarter". What lies between two days
/// may be meant.
pub(super) fn is_of_other_time(reading: &Reading, piece: &Piece) -> bool {
    let asked = &reading.form.words;
    let is_range = |word: &Word| {
        matches!(
            word.lower.as_str(),
            "to" | "until"
                | "till"
                | "through"
                | "between"
                | "from"
                | "since"
                | "before"
                | "after"
                | "by"
                | "except"
                | "every"
        )
    };
    let is_led = |words: &[Word], at: usize| at.checked_sub(1).is_some_and(|before| is_range(&words[before]));
    // "From March to June", "March–June".
    let spans = |at: usize| {
        let word = &piece.words[at];
        let text = &piece.unit.text;
        is_led(&piece.words, at)
            || piece.words.get(at + 1).is_some_and(is_range)
            || text[..word.start].trim_end().ends_with(['–', '—', '-'])
            || text[word.end..].trim_start().starts_with(['–', '—', '-'])
    };
    let is_open = |at: usize| {
        let bit = reading.wanted.iter().position(|wanted| wanted.word == at && wanted.role != Role::Kind);
        bit.is_some_and(|bit| !piece.with_context.has(bit))
    };
    let is_month = |word: &Word| {
        word.is_capital && word.lower.len() > 2 && Language::English.month(&word.lower).is_some()
    };
    let is_other_day = |at: usize| {
        let is_alike: &dyn Fn(&Word) -> bool = if is_month(&asked[at]) {
            &is_month
        } else if is_weekday(&asked[at].lower) {
            &|word| is_weekday(&word.lower)
        } else {
            return false;
        };
        let mut others = (0..piece.words.len()).filter(|at| is_alike(&piece.words[*at])).peekable();
        !is_led(asked, at) && others.peek().is_some() && !others.any(spans)
    };
    // "The second quarter".
    let is_other_in_order = |at: usize| {
        let Some(noun) = asked.get(at + 1).filter(|noun| !noun.is_function && is_ordinal(&asked[at].lower))
        else {
            return false;
        };
        piece.words.windows(2).any(|pair| {
            is_ordinal(&pair[0].lower)
                && pair[0].is_numeric() == asked[at].is_numeric()
                && pair[1].is_form_of(noun)
        })
    };
    (0..asked.len()).any(|at| is_open(at) && (is_other_day(at) || is_other_in_order(at)))
}

/// Maximum number of content words from a name to the verb of which it is the subject, that included.
const VERB_AFTER_MAX: usize = 2;

/// Whether the only numbers of a sentence are in a part of it, cut off by a semicolon, that does not name what the question
/// names: "The old dog is Tarn, aged six; the young one, Fleck, is in training" for "How old is Fleck?"
pub(super) fn counts_in_other_part(reading: &Reading, piece: &Piece) -> bool {
    // "The young one" counts nothing.
    let is_number = |token: &str| {
        token.starts_with(|c: char| c.is_ascii_digit()) || token != "one" && number(token).is_some()
    };
    let is_named = |part: &str| {
        let mut names = reading.form.names.iter().map(|name| &reading.form.words[name.clone()]);
        names.any(|name| name.iter().all(|word| says(part, &word.lower)))
    };
    let parts = piece.lower.split(';').map(|part| (tokens(part).any(is_number), is_named(part)));
    let parts: Vec<(bool, bool)> = parts.collect();
    matches!(reading.form.asks, Asks::Count | Asks::Quantity | Asks::Date)
        && piece.is_sentence()
        && parts.iter().any(|(has_number, _)| *has_number)
        && parts.iter().any(|(_, is_named)| *is_named)
        && !parts.contains(&(true, true))
}

/// Whether a sentence is about "the blue one", and the question about the white one.
pub(super) fn is_of_other_one(reading: &Reading, piece: &Piece) -> bool {
    let tells_which = |word: &Word| is_adjective(&word.lower) || is_colour(&word.lower);
    let is_one = |at: &usize| *at > 0 && matches!(piece.words[*at].lower.as_str(), "one" | "ones");
    let is_other = |at: usize| {
        let before = &piece.words[at - 1];
        tells_which(before) && !reading.form.has(before)
    };
    let describes = |(_, wanted): &(usize, &Wanted)| tells_which(&reading.form.words[wanted.word]);
    (0..piece.words.len()).filter(is_one).any(is_other)
        && reading.wanted.iter().enumerate().filter(describes).any(|(bit, _)| !piece.own.has(bit))
}

/// Whether a sentence is about the standard of comparison: "Why is tin softer than *iron*?"
pub(super) fn tells_of_the_measure(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let Some(than) = form.words.iter().position(|word| word.lower == "than") else { return false };
    let content =
        |words: &[Word], is: &dyn Fn(&Word) -> bool| words.iter().any(|word| !word.is_function && is(word));
    let first = piece.words.iter().find(|word| !word.is_function);
    let is_measure = |word: &Word| content(&form.words[than + 1..], &|asked| asked.lower == word.lower);
    let subject = form.words[..than].iter().find(|word| !word.is_function);
    let is_named = subject.is_some_and(|subject| content(&piece.words, &|word| word.lower == subject.lower));
    first.is_some_and(is_measure) && !is_named
}

/// The question words that occur in no passage and are left uncovered, the kind of thing aside.
fn unknown(reading: &Reading, said: Said) -> impl Iterator<Item = &Wanted> {
    let wanted = reading.wanted.iter().enumerate();
    let open =
        wanted.filter(move |(bit, wanted)| wanted.is_unknown && wanted.role != Role::Kind && !said.has(*bit));
    open.map(|(_, wanted)| wanted)
}

/// Whether a question word that occurs in no passage is left uncovered.
pub(super) fn is_unknown(reading: &Reading, said: Said) -> bool {
    unknown(reading, said).next().is_some()
}

/// Whether a noun of a question with a typed answer occurs in no passage and is left uncovered: "How tall is the *ceiling* of
/// the Great Hall?" A verb may have a synonym.
pub(super) fn lacks_unknown_noun(reading: &Reading, piece: &Piece) -> bool {
    let is_noun = |wanted: &Wanted| {
        let word = &reading.form.words[wanted.word].lower;
        !is_verb(word) && !is_adjective(word)
    };
    let said = piece.chained[piece.chained.len() - 1];
    reading.form.asks.is_typed() && unknown(reading, said).any(is_noun)
}
