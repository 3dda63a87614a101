//! The form of a question: the type of the answer, the relation, and the given entities.

use std::ops::Range;

use quiver_language::{
    answering::{self, Answering},
    asked_type::{self, AskedType},
    degree::comparative,
    request::{SummaryRequest, opening, summary_request},
    talk::Talk,
    word::{irregular_verb, is_finite_auxiliary, is_verb, verbs},
};
use quiver_models::Lexical;

use super::{
    lexicon::{self, is_code_noun},
    word::{Word, denies, phrase_at, words},
};

/// The type of answer that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Asks {
    Person,
    Organisation,
    Place,
    Country,
    Date,
    /// How many: a count.
    Count,
    /// How much, how long, how far: a number with a unit.
    Quantity,
    /// What or which thing of a kind.
    Thing,
    /// What something is.
    Definition,
    Reason,
    Way,
    /// Anything about a subject.
    Description,
    Summary,
    YesNo,
}

impl Asks {
    /// Whether the answer is a value of one type.
    pub(super) fn is_typed(self) -> bool {
        matches!(
            self,
            Self::Person
                | Self::Organisation
                | Self::Place
                | Self::Country
                | Self::Date
                | Self::Count
                | Self::Quantity
        )
    }
}

/// The role of a word in the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The kind of thing asked for: "which *film*".
    Kind,
    /// The relation to the answer: the last step.
    Outer,
    /// A description of what is given.
    Inner,
    /// Part of a name.
    Name,
    /// Only part of the asking phrase.
    Asking,
}

/// A content word of the question.
#[derive(Clone, Debug)]
pub(crate) struct FormWord {
    pub(crate) word: usize,
    pub(crate) role: Role,
}

/// A parsed question.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) asks: Asks,
    pub(crate) words: Vec<Word>,
    /// The content words.
    pub(crate) content: Vec<FormWord>,
    /// The last word of the kind asked for: "which film", "how many *goals*".
    pub(crate) kind: Option<usize>,
    /// Word ranges of the names given.
    pub(crate) names: Vec<Range<usize>>,
    /// Whether several answers are asked for.
    pub(crate) is_list: bool,
    /// Word ranges of the two alternatives in an either-or question.
    pub(crate) either: Option<[Range<usize>; 2]>,
    /// Index of the question word.
    pub(crate) question_word: Option<usize>,
    /// Whether the question is negated.
    pub(crate) is_negative: bool,
    /// Whether it asks for two different things: "When is it, and who may come?", or for the difference of two amounts.
    pub(crate) asks_twice: bool,
    /// The request, if it asks for a summary.
    pub(crate) request: Option<SummaryRequest>,
    /// Byte ranges of words that only ask for a summary or return to a thing: "back to".
    asking: Vec<Range<usize>>,
}

impl Form {
    /// Whether a pronoun stands before everything that it could refer to: "What is *her* diagnosis?" The passages of any
    /// person would answer.
    pub(super) fn is_of_nobody(&self) -> bool {
        let is_pronoun =
            |word: &Word| matches!(word.lower.as_str(), "he" | "she" | "him" | "his" | "her" | "its");
        let is_content = |word: &Word| !word.is_function && !is_auxiliary(&word.lower) && !is_pronoun(word);
        let first = self.words.iter().position(is_content);
        self.question_word == Some(0) && self.words[..first.unwrap_or(0)].iter().any(is_pronoun)
    }

    /// Whether the question has a word in the same form.
    pub(super) fn has(&self, word: &Word) -> bool {
        self.words.iter().any(|asked| asked.lower == word.lower)
    }

    /// Whether the question has another form of a word.
    pub(super) fn has_form(&self, word: &Word) -> bool {
        self.words.iter().any(|asked| asked.is_form_of(word))
    }
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    is_finite_auxiliary(word)
}

/// Words that only introduce a question.
fn is_asking(word: &str) -> bool {
    answering::says(word, Answering::Asking)
}

/// Whether the word only asks for a measure or a kind where it stands: "how *long*", "the *main* risk" where a risk is asked
/// for, "what to *watch* for". "The old mill" is not the new one.
fn is_asking_there(form: &Form, at: usize) -> bool {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    match lower(at) {
        "long" | "far" | "old" => at > 0 && lower(at - 1) == "how",
        "main" => form.kind.is_some_and(|kind| (at + 1..at + 3).contains(&kind)),
        "watch" => matches!(lower(at + 1), "for" | "out"),
        word => is_asking(word) || is_in_phrase(&form.words, at),
    }
}

/// Whether a word only says that the present is meant, alone or in a phrase: "now", "at the *moment*".
fn is_in_phrase(words: &[Word], at: usize) -> bool {
    let ends_after = |from: usize| phrase_at(words, from, Talk::Now).is_some_and(|count| from + count > at);
    (at.saturating_sub(2)..=at).any(ends_after)
}

/// Question words of English and other languages.
fn question_word(word: &str) -> Option<Asks> {
    Some(match word {
        "who" | "whom" | "whose" | "wer" | "wem" | "wen" | "wessen" | "quién" | "quiénes" | "qui" | "chi"
        | "quem" | "wie's" | "кто" | "кого" | "кому" | "кем" => Asks::Person,
        "where" | "wo" | "wohin" | "woher" | "dónde" | "où" | "dove" | "onde" | "waar" | "где" | "куда"
        | "откуда" => Asks::Place,
        "when" | "wann" | "cuándo" | "quand" | "quando" | "wanneer" | "когда" => Asks::Date,
        "why" | "warum" | "weshalb" | "wieso" | "pourquoi" | "perché" | "waarom" | "почему" | "зачем" => {
            Asks::Reason
        }
        "wieviel" | "wieviele" | "cuántos" | "cuántas" | "cuánto" | "cuánta" | "combien" | "quanti"
        | "quante" | "quanto" | "quantos" | "quantas" | "hoeveel" | "сколько" => Asks::Count,
        "how" => Asks::Way,
        "what" | "which" | "was" | "welche" | "welcher" | "welches" | "welchem" | "welchen" | "qué"
        | "cuál" | "cuáles" | "quel" | "quelle" | "quels" | "quelles" | "quale" | "quali" | "qual"
        | "quais" | "welke" | "какой" | "какая" | "какое" | "какие" | "каком" | "какую" | "что" | "чем" => {
            Asks::Thing
        }
        _ => return None,
    })
}

/// The answer type implied by a noun after "what" or "which".
fn kind_of(noun: &str) -> Option<Asks> {
    let singular = noun.strip_suffix('s');
    let is_of = |what: AskedType| {
        asked_type::says(noun, what) || singular.is_some_and(|singular| asked_type::says(singular, what))
    };
    let types = [
        (AskedType::Country, Asks::Country),
        (AskedType::Date, Asks::Date),
        (AskedType::Place, Asks::Place),
        (AskedType::Quantity, Asks::Quantity),
        (AskedType::Organisation, Asks::Organisation),
        (AskedType::Person, Asks::Person),
    ];
    if let Some((_, asks)) = types.into_iter().find(|(what, _)| is_of(*what)) {
        return Some(asks);
    }
    if asked_type::says(noun, AskedType::Reason) {
        return Some(Asks::Reason);
    }
    let is_agent = AGENT_ENDINGS.iter().any(|end| noun.len() > end.len() + 2 && noun.ends_with(end))
        && !asked_type::says(noun, AskedType::NoAgent);
    is_agent.then_some(Asks::Person)
}

/// Endings of nouns for persons.
const AGENT_ENDINGS: [&str; 6] = ["er", "or", "ist", "ian", "man", "woman"];

/// The measure asked for by "how WORD".
fn measure(word: &str) -> Option<Asks> {
    Some(match word {
        "many" => Asks::Count,
        "much" | "long" | "old" | "tall" | "far" | "big" | "large" | "high" | "deep" | "wide" | "heavy"
        | "often" | "fast" | "hot" | "cold" | "late" | "early" | "soon" | "small" | "short"
        | "frequently" => Asks::Quantity,
        _ => return None,
    })
}

/// A question with the verbs that are contracted with its question words: "who is" for "who's", "what has been" for "what's
/// been".
pub(crate) fn written_out(question: &str) -> String {
    let mut words: Vec<String> = question.split(' ').map(str::to_owned).collect();
    for at in 0..words.len() {
        let contracted = words[at].strip_suffix("'s").or_else(|| words[at].strip_suffix("’s"));
        let asking = contracted.filter(|word| question_word(&word.to_lowercase()).is_some());
        let next = words.get(at + 1).map_or("", String::as_str);
        let verb = if matches!(next, "been" | "got" | "had" | "become") { "has" } else { "is" };
        if let Some(asking) = asking {
            words[at] = format!("{asking} {verb}");
        }
    }
    words.join(" ")
}

/// Parses a question.
pub(crate) fn read(lexical: &Lexical, question: &str) -> Form {
    let words = words(lexical, question);
    let request = summary_request(question);
    let opening = opening(question);
    let asking = [
        request.as_ref().map(|request| request.asking.clone()).unwrap_or_default(),
        opening.into_iter().collect(),
    ]
    .concat();
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let mut names = names(question, &words, &asking);
    let in_name = |at: usize| names.iter().any(|name| name.contains(&at));
    let question_at = find_question_word(question, &words, &in_name).filter(|_| request.is_none());
    let lead = lead(question, &words, question_at);
    names.retain(|name| name.start >= lead);
    let mut asks = Asks::Description;
    let mut kind = None;
    let mut is_list = false;
    let mut head_end = question_at.map_or(0, |at| at + 1);
    if let Some(at) = question_at {
        asks = question_word(lower(at)).unwrap_or(Asks::Thing);
        let next = lower(at + 1);
        if lower(at) == "how" {
            if let Some(measured) = measure(next) {
                asks = measured;
                head_end = at + 2;
                if measured == Asks::Count || next == "much" {
                    (kind, head_end) = noun_phrase(&words, at + 2);
                }
            }
        } else if lower(at) == "wie" && matches!(next, "viele" | "viel") {
            asks = Asks::Count;
            (kind, head_end) = noun_phrase(&words, at + 2);
        } else if asks == Asks::Thing || lower(at) == "whose" {
            let whose = lower(at) == "whose";
            (kind, head_end) = noun_phrase(&words, at + 1);
            match kind {
                None if next == "about" => asks = Asks::Description,
                Some(noun) if !whose => {
                    // "what kind of plane", "which of the two films", "what type of number"
                    let noun = if matches!(lower(noun), "kind" | "type" | "sort" | "one" | "of")
                        && lower(noun + 1) == "of"
                    {
                        let (inner, end) = noun_phrase(&words, noun + 2);
                        head_end = end;
                        inner.unwrap_or(noun)
                    } else {
                        noun
                    };
                    kind = Some(noun);
                    asks = kind_of(lower(noun)).unwrap_or(Asks::Thing);
                    is_list = is_plural(lower(noun)) && asks != Asks::Quantity;
                }
                Some(_) => {}
                None if asks_meaning(&words, at) => asks = Asks::Definition,
                None => {
                    let (form, noun, several) = after_copula(&words, head_end, &names);
                    asks = form;
                    kind = noun;
                    is_list = several;
                }
            }
        } else if asks == Asks::Person {
            is_list = lower(at + 1) == "are" && words.len() > at + 3;
        }
    } else if request.is_some() {
        asks = Asks::Summary;
    } else if let Some(asked) = imperative(&words) {
        asks = asked;
        is_list = lower(0) == "list" || lower(0) == "name";
    } else if words.first().is_some_and(|word| is_auxiliary(&word.lower)) {
        asks = Asks::YesNo;
    }
    let either = alternatives(&words, &names);
    let asks_twice =
        question_at.is_some_and(|at| asks_again(&words[at + 1..]) || asks_difference(&words[at..]));
    if either.is_none() && asks == Asks::Description && words.iter().any(|word| word.lower == "correct") {
        asks = Asks::YesNo;
    }
    let mut form = Form {
        asks,
        content: Vec::new(),
        kind,
        names,
        is_list,
        either,
        question_word: question_at,
        asks_twice,
        request,
        asking,
        is_negative: denies(&words),
        words,
    };
    form.content = content(&form, head_end);
    form.content.retain(|content| content.word >= lead);
    form
}

/// Index of the question proper after an introduction that names something the question names again: "Back to
/// Rosa: what did Rosa say?"
fn lead(question: &str, words: &[Word], question_word: Option<usize>) -> usize {
    let Some(at) = question_word.filter(|at| question[..words[*at].start].trim_end().ends_with(':')) else {
        return 0;
    };
    let (lead, asked) = words.split_at(at);
    let mut named = lead.iter().rev().take_while(|word| word.is_capital && !word.is_function).peekable();
    let is_again = |word: &Word| asked.iter().any(|other| other.is_capital && other.lower == word.lower);
    if named.peek().is_some() && named.all(is_again) { at } else { 0 }
}

/// Capitalised runs in the question, and quoted text.
fn names(question: &str, words: &[Word], asking: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut names: Vec<Range<usize>> = Vec::new();
    let mut quoted: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (at, c) in question.char_indices() {
        match c {
            '"' | '“' | '”' | '`' => match open.take() {
                Some(from) => quoted.push(from..at),
                None => open = Some(at),
            },
            _ => {}
        }
    }
    let mut at = 0;
    while at < words.len() {
        if let Some(quote) = quoted.iter().find(|quote| quote.contains(&words[at].start)) {
            let end = words.iter().rposition(|word| quote.contains(&word.start)).map_or(at, |last| last) + 1;
            names.push(at..end);
            at = end;
            continue;
        }
        let word = &words[at];
        let is_start = is_within(word, asking)
            || at == 0
                && (word.is_function || question_word(&word.lower).is_some() || is_asking(&word.lower))
            || at > 0 && word.is_function && ends_sentence(&question[..word.start]);
        if !(word.is_capital || word.is_numeric()) || is_start || word.lower.split('\'').next() == Some("i") {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < words.len() && !words[end - 1].is_possessive {
            let gap = &question[words[end - 1].end..words[end].start];
            let near =
                gap.chars().all(|c| matches!(c, ' ' | '\'' | '’' | '.' | '&' | '-' | ':' | ',' | '(' | '/'))
                    && gap.len() <= 3;
            let goes_on = words[end].is_capital || words[end].is_numeric() && gap != ", ";
            let small = matches!(
                words[end].lower.as_str(),
                "of" | "the"
                    | "and"
                    | "de"
                    | "von"
                    | "van"
                    | "in"
                    | "a"
                    | "to"
                    | "on"
                    | "for"
                    | "ap"
                    | "la"
                    | "le"
                    | "der"
                    | "del"
                    | "bin"
                    | "&"
            ) && gap == " "
                && (end + 1..(end + 3).min(words.len()))
                    .find(|next| !words[*next].is_function)
                    .is_some_and(|next| words[next].is_capital && words[end].lower != "and");
            let opens = gap.contains('(') && !question[words[end].end..].contains(')');
            if small || near && goes_on && !opens {
                end += 1;
            } else {
                break;
            }
        }
        while end > at + 1 && words[end - 1].is_function && !words[end - 1].is_capital {
            end -= 1;
        }
        if words[at].is_numeric() && end == at + 1 {
            at += 1;
            continue;
        }
        names.push(at..end);
        at = end;
    }
    names
}

fn is_within(word: &Word, ranges: &[Range<usize>]) -> bool {
    ranges.iter().any(|range| range.contains(&word.start))
}

/// Whether a sentence ends at the end of a text.
fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?'])
}

fn find_question_word(question: &str, words: &[Word], in_name: &dyn Fn(usize) -> bool) -> Option<usize> {
    let candidates: Vec<usize> =
        (0..words.len()).filter(|at| question_word(&words[*at].lower).is_some() && !in_name(*at)).collect();
    // "Above which room is the vat?"
    let leads = |at: usize| {
        at == 0
            || at == 1 && words[0].is_preposition()
            || ends_sentence(&question[..words[at].start])
            || at <= 2 && words[..at].iter().all(|word| word.is_function && !is_auxiliary(&word.lower))
            || question[..words[at].start].trim_end().ends_with([',', ';', ':', '.', '!', '?'])
                && words[at].lower != "which"
                && words[at].lower != "who"
                && words[at].lower != "where"
    };
    // "When a loom is idle, how long does it wait?"
    let is_of_clause = |at: usize| {
        let next = words.get(at + 1).map_or("", |next| next.lower.as_str());
        words[at].lower == "when"
            && !is_auxiliary(next)
            && candidates.iter().any(|later| {
                let comma = (at + 1..*later).rfind(|before| question[words[*before].end..].starts_with(','));
                comma.is_some_and(|comma| words[comma + 1..*later].iter().all(|word| word.is_function))
            })
    };
    if let Some(first) = candidates.iter().find(|at| leads(**at) && !is_of_clause(**at)) {
        // "Was" is a German question word and an English verb.
        if words[*first].lower != "was"
            || words.iter().any(|word| matches!(word.lower.as_str(), "der" | "die" | "das" | "ist"))
        {
            return Some(*first);
        }
    }
    if words.first().is_some_and(|word| is_auxiliary(&word.lower)) {
        // "Do you know who leads it?"
        let polite = matches!(words.get(1).map(|word| word.lower.as_str()), Some("you"))
            && matches!(
                words.get(2).map(|word| word.lower.as_str()),
                Some("know" | "tell" | "explain" | "remember")
            );
        return candidates.into_iter().find(|at| polite && words[*at].lower != "was");
    }
    let wants = |at: &&usize| matches!(words[**at].lower.as_str(), "what" | "whom" | "how" | "why" | "when");
    let polite = words.iter().take(4).any(|word| is_asking(&word.lower));
    let last = candidates.iter().rev().find(wants).or(if polite { candidates.first() } else { None });
    // "It is based on which novel?"
    last.or_else(|| candidates.iter().rev().find(|at| words[**at].lower == "which"))
        .or_else(|| candidates.iter().find(|at| words[**at].lower != "was" && words[**at].lower != "that"))
        .copied()
}

/// The noun phrase that begins here: its last word, and the index after it.
fn noun_phrase(words: &[Word], from: usize) -> (Option<usize>, usize) {
    let mut end = from;
    while end < words.len() {
        let word = &words[end];
        let is_of = word.lower == "of" && end == from;
        if (word.is_function && !is_of) || is_auxiliary(&word.lower) {
            break;
        }
        if is_of {
            // "which of the two"
            end += 1;
            while end < words.len()
                && (matches!(words[end].lower.as_str(), "the" | "these" | "those" | "two"))
            {
                end += 1;
            }
            continue;
        }
        if end > from && end - from >= 1 && is_likely_verb(words, end) {
            break;
        }
        end += 1;
        if words[end - 1].is_possessive {
            break;
        }
        if end - from >= 4 {
            break;
        }
    }
    ((end > from).then(|| end - 1), end)
}

/// Whether a word after a noun is more likely its verb: "which antidote *reverses* the", "what company *made*
/// it".
fn is_likely_verb(words: &[Word], at: usize) -> bool {
    let word = &words[at].lower;
    let next_is_open = words.get(at + 1).is_none_or(|next| next.is_function || next.is_capital);
    let verbal = word.ends_with("ed") || word.ends_with("es") || word.ends_with('s') && !word.ends_with("ss");
    let irregular = matches!(
        word.as_str(),
        "made"
            | "wrote"
            | "won"
            | "led"
            | "built"
            | "came"
            | "went"
            | "gave"
            | "took"
            | "held"
            | "ran"
            | "sang"
            | "bought"
            | "sold"
            | "sent"
            | "kept"
            | "left"
            | "lost"
            | "met"
            | "found"
            | "fell"
            | "grew"
            | "knew"
            | "became"
            | "began"
            | "said"
            | "taught"
            | "thought"
            | "brought"
            | "fought"
            | "owns"
    );
    let is_open = verbal && next_is_open && !is_plural_noun_before(words, at);
    !words[at].is_capital && (irregular || is_open || is_only_verb(words, at))
}

/// Whether a word after a singular noun is a verb in the third person, and nothing after it may be the verb: "which plugin
/// *writes* song lyrics", but not "which server *logs* rotate daily".
fn is_only_verb(words: &[Word], at: usize) -> bool {
    let is_third = verbs(&words[at].lower).any(|base| base != words[at].lower) && is_plural(&words[at].lower);
    let may_govern =
        |word: &Word| is_auxiliary(&word.lower) || is_verb(&word.lower) && !word.lower.ends_with('s');
    let before = at.checked_sub(1).map(|before| &words[before]);
    let is_singular = before.is_some_and(|noun| !noun.is_function && !is_plural(&noun.lower));
    is_third && is_singular && at + 1 < words.len() && !words[at + 1..].iter().any(may_govern)
}

fn is_plural_noun_before(words: &[Word], at: usize) -> bool {
    // "Which side effects *has*": a plural followed by an auxiliary is a noun.
    words.get(at + 1).is_some_and(|next| is_auxiliary(&next.lower))
}

fn is_plural(noun: &str) -> bool {
    noun.len() > 3
        && noun.ends_with('s')
        && !noun.ends_with("ss")
        && !noun.ends_with("us")
        && !noun.ends_with("is")
        || matches!(noun, "people" | "children" | "men" | "women")
}

/// Whether the question asks for the meaning of a word: "what is meant by X", "what does X mean", "what does
/// X stand for".
fn asks_meaning(words: &[Word], question: usize) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    match lower(question + 1) {
        "is" | "are" => lower(question + 2) == "meant" && lower(question + 3) == "by",
        "do" | "does" | "did" => {
            let last = |back: usize| words.len().checked_sub(back).map_or("", lower);
            matches!(last(1), "mean" | "means") || last(2) == "stand" && last(1) == "for"
        }
        _ => false,
    }
}

/// Whether a second question follows: "… and who may come", "… and what is its limit".
fn asks_again(words: &[Word]) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    (0..words.len()).any(|at| {
        // "And from how many towns"
        let asks = if lower(at + 2) == "how" { at + 2 } else { at + 1 };
        lower(at) == "and"
            && question_word(lower(asks)).is_some()
            && (lower(asks) == "how" || (asks + 1..asks + 3).any(|at| is_auxiliary(lower(at))))
    })
}

/// Whether the difference of two amounts is asked for: "How much less is the manse than the cottage?"
fn asks_difference(words: &[Word]) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    lower(0) == "how"
        && (1..=2).any(|at| comparative(lower(at)).is_some())
        && words.iter().any(|word| word.lower == "than")
}

/// The answer type of "what is …" and similar questions.
fn after_copula(words: &[Word], from: usize, names: &[Range<usize>]) -> (Asks, Option<usize>, bool) {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    if !matches!(lower(from), "is" | "are" | "was" | "were") {
        return (Asks::Thing, None, false);
    }
    let mut at = from + 1;
    while matches!(lower(at), "the" | "a" | "an" | "some" | "your" | "our" | "their" | "my" | "main" | "name")
    {
        at += 1;
    }
    if names.iter().any(|name| name.start <= at && at < name.end && !words[name.end - 1].is_possessive)
        && names.iter().any(|name| name.contains(&at) && name.end >= words.len())
    {
        return (Asks::Definition, None, false);
    }
    // "What is Ann's mother's name?"
    // "The limit on Ann's card" is no card.
    let is_joint =
        |at: &usize| matches!(lower(*at), "on" | "for" | "in" | "at" | "to" | "with" | "from" | "about");
    let joint = (at..words.len()).find(is_joint).unwrap_or(words.len());
    if let Some(possessive) = (at..joint).rev().find(|at| words[*at].is_possessive)
        && possessive + 1 < words.len()
    {
        let noun = words.len() - 1;
        let noun = if matches!(lower(noun), "name") { possessive } else { noun };
        return (kind_of(lower(noun)).unwrap_or(Asks::Thing), Some(noun), is_plural(lower(noun)));
    }
    // The head is the last word before "of", "for", "that" or a verb.
    let mut end = at;
    while end < words.len() && !words[end].is_function && !is_auxiliary(lower(end)) {
        end += 1;
    }
    if end == at {
        return (Asks::Thing, None, false);
    }
    let mut noun = end - 1;
    if matches!(lower(noun), "name" | "term" | "word") && lower(end) == "of" {
        let (inner, _) =
            noun_phrase(words, end + 1 + usize::from(matches!(lower(end + 1), "the" | "a" | "an")));
        noun = inner.unwrap_or(noun);
    }
    if lower(noun) == "place" && lower(end) == "of" || lower(noun) == "date" && lower(end) == "of" {
        return (kind_of(lower(noun)).unwrap_or(Asks::Thing), Some(noun), false);
    }
    // "What is the door code?" asks for a code.
    let is_code = || {
        matches!(lower(at - 1), "the" | "your" | "our" | "my")
            && (is_code_noun(lower(noun)) || matches!(lower(noun), "number" | "address"))
    };
    if (end >= words.len() || matches!(lower(end), "in") && names.is_empty() && !is_plural(lower(noun)))
        && !is_code()
    {
        // "What is a bookmark in jj?"
        return (Asks::Definition, None, false);
    }
    (kind_of(lower(noun)).unwrap_or(Asks::Thing), Some(noun), is_plural(lower(noun)))
}

/// The answer type of requests in the imperative.
fn imperative(words: &[Word]) -> Option<Asks> {
    match words.first()?.lower.as_str() {
        "list" | "name" => Some(Asks::Thing),
        "tell" | "describe" | "explain" | "give" | "show" | "define" => Some(Asks::Description),
        _ => None,
    }
}

/// The two alternatives of "A or B".
fn alternatives(words: &[Word], names: &[Range<usize>]) -> Option<[Range<usize>; 2]> {
    let or = words.iter().rposition(|word| word.lower == "or")?;
    let name_before = names.iter().rev().find(|name| name.end <= or && or - name.end <= 1);
    let name_after = names.iter().find(|name| name.start > or && name.start - or <= 3);
    // Titles that contain "or" and lower-case alternatives ("the cat or the dog?") are not handled.
    Some([name_before?.clone(), name_after?.clone()])
}

/// The content words with their roles.
fn content(form: &Form, head_end: usize) -> Vec<FormWord> {
    let words = &form.words;
    let in_name = |at: usize| form.names.iter().any(|name| name.contains(&at));
    let from = form.question_word.map_or(0, |at| at + 1);
    // "Many" and "much" are no kinds of things.
    let is_measure =
        |at: usize| words.get(at).is_some_and(|word| matches!(word.lower.as_str(), "many" | "much"));
    let kind_from = if is_measure(from) { from + 1 } else { from };
    let mut outer_open = true;
    let mut seen_outer = false;
    let mut found: Vec<FormWord> = Vec::new();
    // A possessive chain ends with the word asked for: "Ann's mother's *birthplace*".
    let last_possessive = words.iter().rposition(|word| word.is_possessive).filter(|at| *at >= from);
    for (at, word) in words.iter().enumerate() {
        if in_name(at) {
            if word.is_capital || !word.is_function {
                found.push(FormWord { word: at, role: Role::Name });
            }
            continue;
        }
        if at >= head_end {
            let ends = matches!(
                word.lower.as_str(),
                "of" | "that"
                    | "who"
                    | "which"
                    | "where"
                    | "whose"
                    | "when"
                    | "while"
                    | "with"
                    | "for"
                    | "in"
                    | "on"
                    | "from"
                    | "after"
                    | "before"
                    | "by"
                    | "at"
            );
            if ends && (seen_outer || form.kind.is_some()) {
                outer_open = false;
            }
        }
        let says_nothing = word.is_function || lexicon::is_function(&word.lower);
        if says_nothing || word.stems.is_empty() || is_within(word, &form.asking) {
            continue;
        }
        let is_kind = at >= kind_from && at < head_end;
        let role = if is_asking_there(form, at) && !is_kind {
            Role::Asking
        } else if is_kind || form.kind == Some(at) {
            Role::Kind
        } else if at < from {
            Role::Inner
        } else if let Some(last) = last_possessive {
            if at > last { Role::Outer } else { Role::Inner }
        } else if outer_open {
            seen_outer = true;
            Role::Outer
        } else {
            Role::Inner
        };
        if form.kind == Some(at) && at >= head_end {
            seen_outer = true;
        }
        found.push(FormWord { word: at, role });
    }
    promote_last_verb(form, head_end, &mut found);
    found
}

/// "Where was the director of X *born*?": after an auxiliary, the verb comes last and is the relation asked
/// for.
fn promote_last_verb(form: &Form, head_end: usize, content: &mut [FormWord]) {
    let Some(auxiliary) = form.words.get(head_end).filter(|word| is_auxiliary(&word.lower)) else { return };
    if matches!(auxiliary.lower.as_str(), "has" | "have" | "had") {
        return;
    }
    let last_name = form.names.iter().map(|name| name.end).max().unwrap_or(0);
    let Some(last) = content.iter().rposition(|word| !matches!(word.role, Role::Name | Role::Asking)) else {
        return;
    };
    if content[last].word < last_name && last_name >= form.words.len() {
        return;
    }
    let verb = &form.words[content[last].word].lower;
    let is_verb = matches!(auxiliary.lower.as_str(), "did" | "do" | "does")
        || verb.ends_with("ed")
        || verb.ends_with("en")
        || irregular_verb(verb).is_some()
        || matches!(
            verb.as_str(),
            "born"
                | "held"
                | "built"
                | "found"
                | "made"
                | "sung"
                | "led"
                | "kept"
                | "set"
                | "paid"
                | "sent"
                | "due"
        );
    if is_verb && content[last].role == Role::Inner && content[last].word + 2 >= form.words.len() {
        // Earlier outer words describe the subject.
        for word in content.iter_mut().filter(|word| word.role == Role::Outer) {
            word.role = Role::Inner;
        }
        content[last].role = Role::Outer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_with_question_words_are_written_out() {
        assert_eq!(
            written_out("What's the toll, and who's got it?"),
            "What is the toll, and who has got it?"
        );
        assert_eq!(written_out("Ann's mill isn't where's it"), "Ann's mill isn't where is it");
    }

    #[test]
    fn a_preposition_may_stand_before_the_question_word() {
        for question in ["Above which room is the vat in which it ripens?", "In which room is the vat?"] {
            assert_eq!(read(&Lexical::new(), question).question_word, Some(1), "{question}");
        }
    }

    #[test]
    fn the_kind_asked_for_ends_before_the_verb() {
        for (question, kind) in [
            ("Which plugin writes song lyrics?", "plugin"),
            ("Which guild keeps old looms in the mill?", "guild"),
            ("Which server logs were rotated?", "logs"),
            ("Which side effects are common?", "effects"),
        ] {
            let form = read(&Lexical::new(), question);
            assert_eq!(form.kind.map(|kind| form.words[kind].lower.as_str()), Some(kind), "{question}");
        }
    }

    #[test]
    fn a_pronoun_before_all_that_it_could_refer_to_is_open() {
        let is_open = |question: &str| read(&Lexical::new(), question).is_of_nobody();
        for question in [
            "What is her diagnosis?",
            "Where does he live?",
            "What was its main export?",
            "When did she retire?",
        ] {
            assert!(is_open(question), "{question}");
        }
        for question in [
            "What did Ada bring to her lecture?",
            "Which river has its source in Orsa?",
            "Who sold the mill and its pond?",
            "Is it cold in winter?",
            "How long does it take to weave a bale?",
        ] {
            assert!(!is_open(question), "{question}");
        }
    }
}
