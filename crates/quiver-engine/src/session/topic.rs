//! The topics of a question: its noun phrases, in its own words. They are the preferred referents of a
//! follow-up.
//!
//! There is no tagger. The words before and after a run of content words decide whether it is a noun phrase;
//! if they do not, there is no topic.

use std::ops::Range;

use quiver_language::{
    reference::{self, Reference, is_judging},
    word::{is_irregular_verb, is_past, is_verb, plural},
};

use super::{
    lexicon::{
        is_article, is_auxiliary, is_be, is_closed, is_closing, is_connector, is_demonstrative,
        is_first_or_second, is_modal, is_period, is_person_noun, is_preposition, is_question_word,
        is_request, place, pronoun,
    },
    link::{name_bytes, name_words},
    profile::is_agent,
    said::Said,
};

/// Maximum number of words in a topic.
const WORDS_MAX: usize = 6;
/// Maximum number of words between "how" and its auxiliary: "how close to its end is".
const MEASURE_WORDS_MAX: usize = 4;
/// Verbs that are always verbs where a verb can occur: "does kombucha *need* water".
const CLEAR_VERBS: [&str; 15] = [
    "need", "require", "use", "support", "include", "contain", "protect", "cost", "mean", "belong", "depend",
    "differ", "allow", "become", "get",
];

/// The grammatical number of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    One,
    Many,
    /// A name, which may be either.
    Either,
}

/// A noun phrase of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of a noun phrase")]
pub(crate) struct Topic {
    /// The tokens without the article.
    pub(crate) tokens: Range<usize>,
    /// The text as in the question, with the article.
    pub(crate) words: String,
    /// The text without the article.
    pub(crate) bare: String,
    pub(crate) number: Number,
    /// Whether it begins with "a" or "an".
    pub(crate) is_indefinite: bool,
    /// Whether it cannot be a person: "*what* is it", "a bowl".
    pub(crate) is_thing: bool,
    /// Whether it is a subject or an object rather than a circumstance ("in a bowl").
    pub(crate) is_central: bool,
    /// Whether a pronoun can refer to it: not a circumstance next to something more central.
    pub(crate) is_referent: bool,
    /// Whether the question asks what or who it is: "What's *the title*?"
    pub(crate) is_defined: bool,
    /// Whether it does what the question speaks of: "is it led *by Ana Lind*".
    pub(crate) is_agent: bool,
    /// Whether it is no name, and a preposition joins it to one: "*the biggest threat* to Apollo".
    pub(crate) is_of_name: bool,
}

impl Topic {
    /// An instance of its kind: "a disposable".
    pub(crate) fn any(&self) -> Option<&str> {
        self.is_indefinite.then_some(self.words.as_str())
    }

    /// One certain thing that may be called "they", since people work there: "the office".
    pub(crate) fn one_as_several(&self) -> Option<String> {
        let head = self.bare.split_whitespace().next_back().unwrap_or_default().to_lowercase();
        let is_definite = self.words.to_lowercase().starts_with("the ");
        (is_definite && !self.is_defined && !is_person_noun(&head)).then(|| self.words.clone())
    }

    /// The plural of its kind: "certificates" for "a certificate".
    pub(crate) fn several(&self) -> Option<String> {
        match self.number {
            Number::Many => Some(self.words.clone()),
            Number::One if self.is_indefinite => Some(plural(&self.bare)),
            _ => None,
        }
    }
}

/// The syntactic role of a run of content words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// "does *kombucha* brew", "is *a domain object* identified": followed by its verb.
    Subject,
    /// "What is *a domain object*?"
    Defined,
    /// "do I *revoke* a certificate": begins with the verb.
    Predicate,
    /// "revoke *a certificate*".
    Object,
    /// "in *a bowl*".
    Circumstance,
    /// "which *algorithm*", "how *long*", "is *best*": not a topic.
    Other,
}

/// The topics of a question, subjects and objects first. Known names are not split.
pub(crate) fn topics(said: &Said, names: &[&str]) -> Vec<Topic> {
    // "And to dom0?" is a circumstance of another question.
    let first = said.tokens.iter().find(|token| !is_connector(&token.lower));
    if !said.asks() && first.is_some_and(|first| is_preposition(&first.lower)) {
        return Vec::new();
    }
    let known = places(said, names);
    let mut topics: Vec<Topic> = Vec::new();
    let mut at = 0;
    let mut last = Role::Other;
    let mut asks_for_thing = false;
    let mut subject_end = None;
    while at < said.tokens.len() {
        let Some(run) = run_at(said, at, &known) else {
            at += 1;
            continue;
        };
        at = run.end;
        let start = article_before(said, run.start);
        let mut role = role(said, start, &run);
        if is_coordinated(said, start) {
            role = last;
        }
        let goes_on = role == Role::Circumstance && subject_end.is_some_and(|end| end + 1 == start);
        subject_end =
            (role == Role::Subject && start > 0 && is_modal(said.word(start - 1))).then_some(run.end);
        let run = if goes_on { before_verb(said, run, &known) } else { run };
        let is_thing_of_request = said.asks_summary && names_thing(said, &run);
        last = role;
        asks_for_thing |= role == Role::Other && start > 0 && asks_for(said.word(start - 1));
        let is_of = start > 0 && said.word(start - 1) == "of" && role == Role::Circumstance;
        for (phrase, role) in phrases(said, run, role, &known) {
            let first = article_before(said, phrase.start);
            let Some(mut topic) = topic(said, first, phrase, role) else { continue };
            // What the paper made of the play is asked about the play, and the paper is only its source.
            if role == Role::Circumstance && is_judged(said, start) {
                topic.is_central = true;
                topics.iter_mut().for_each(|source| source.is_central = false);
            }
            // "The price of a ticket" is about the ticket, and a summary of "sales on the Meridian tour" about the tour.
            let is_owner = is_of || is_thing_of_request && role == Role::Circumstance;
            if is_owner && topics.last().is_some_and(|before| is_followed_by(said, before, start)) {
                topics.pop();
                topic.is_central = true;
            }
            topics.push(topic);
        }
    }
    set_asides_back(said, &mut topics);
    topics.sort_by_key(|topic| !topic.is_central);
    let is_about_circumstance = !asks_for_thing && topics.iter().all(|topic| !topic.is_central);
    let has_name = topics.iter().any(|topic| names_thing(said, &topic.tokens));
    for topic in &mut topics {
        // "How many arches are in place at Ostra?"
        let is_phrase = topic.words == topic.bare && has_name && !names_thing(said, &topic.tokens);
        topic.is_referent = topic.is_central || is_about_circumstance && !is_phrase;
    }
    topics
}

/// Makes what a clause before the question names less central than what the question names: "I left *my umbrella* on the
/// bus, how long does the lost property office keep things?"
fn set_asides_back(said: &Said, topics: &mut [Topic]) {
    let asks = said.tokens.iter().position(|token| is_question_word(&token.lower));
    let start = asks.and_then(|asks| {
        (0..=asks).rev().find(|at| said.tokens[*at].parted.is_some() || said.tokens[*at].is_first)
    });
    let Some(start) = start.filter(|start| *start > 0) else { return };
    if topics.iter().any(|topic| topic.is_central && topic.tokens.start > start) {
        topics
            .iter_mut()
            .filter(|topic| topic.tokens.end <= start)
            .for_each(|aside| aside.is_central = false);
    }
}

/// Whether a phrase is what a verb of saying or judging is about: "what did the paper make of *the play*".
fn is_judged(said: &Said, start: usize) -> bool {
    start > 1 && reference::says(said.word(start - 1), Reference::Posing) && is_judging(said.word(start - 2))
}

/// Whether a preposition alone stands between a topic that is no name and a phrase.
fn is_followed_by(said: &Said, topic: &Topic, phrase: usize) -> bool {
    let between = said.tokens.get(topic.tokens.end..phrase - 1);
    between.is_some_and(|between| between.iter().all(|token| token.is_asking))
}

/// Whether a phrase has a word written like a name.
fn names_thing(said: &Said, phrase: &Range<usize>) -> bool {
    phrase.clone().any(|at| {
        let word = &said.text[said.tokens[at].range.clone()];
        word.starts_with(char::is_uppercase) && !is_period(&said.tokens[at].lower)
    })
}

/// Whether a word asks for the thing after it: "which *algorithm*", "how many *accounts*".
fn asks_for(word: &str) -> bool {
    matches!(word, "what" | "which" | "whose" | "many" | "much")
}

/// The positions of known names.
fn places(said: &Said, names: &[&str]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for name in names {
        let words = name_words(name);
        let heard: Vec<usize> = (0..said.tokens.len()).filter(|at| !said.tokens[*at].is_joined).collect();
        for window in heard.windows(words.len().max(1)) {
            let (start, end) = (window[0], window[window.len() - 1] + 1);
            let is_said = window.iter().zip(&words).all(|(at, word)| said.word(*at) == word);
            // "Anti" is not a name in "Anti Evil Maid".
            let goes_on = said.tokens.get(end).is_some_and(|next| next.is_marked && next.parted.is_none());
            let is_marked = said.tokens[start].is_marked || words.len() > 1;
            if is_said && is_marked && !words.is_empty() && !goes_on {
                places.push(start..end);
            }
        }
    }
    places.sort_by_key(|place: &Range<usize>| (place.start, std::cmp::Reverse(place.end)));
    places
}

/// The run of content words that begins at a token.
fn run_at(said: &Said, start: usize, known: &[Range<usize>]) -> Option<Range<usize>> {
    let mut end = start;
    while end < said.tokens.len() {
        if let Some(place) = known.iter().find(|place| place.start == end) {
            end = place.end;
            continue;
        }
        let token = &said.tokens[end];
        // "The Kestrel (ferry) sails": a name goes on after its bracket.
        let closes = token.parted == Some(')') && known.iter().any(|place| place.end == end);
        let parted =
            end > start && (token.parted.is_some() && !closes || token.is_first || is_owner(said, end - 1));
        if parted || token.is_joined || !is_content(said, end) {
            break;
        }
        end += 1;
    }
    (end > start).then_some(start..end)
}

fn is_content(said: &Said, at: usize) -> bool {
    let token = &said.tokens[at];
    let word = token.lower.as_str();
    let is_name = token.is_marked && !token.is_first && !is_first_or_second(word);
    let asks_speaker = is_first_or_second(said.word(at + 1)) && is_request(word);
    let opens = token.is_asking
        || asks_speaker
        || said.is_alone(at)
        || token.is_first && (is_connector(word) || is_request(word));
    !opens && !is_first_or_second(word) && (!is_closed(word) || (is_name && !is_question_word(word)))
}

/// The index of the determiner before a phrase, or of its first word if there is none.
fn article_before(said: &Said, start: usize) -> usize {
    let is_determiner =
        |word: &str| is_article(word) || is_demonstrative(word) || matches!(word, "my" | "your" | "our");
    match start.checked_sub(1) {
        Some(before) if is_determiner(said.word(before)) && said.tokens[start].parted.is_none() => before,
        _ => start,
    }
}

/// Whether a possessive ending follows the word: "Apollo's", "members'".
fn is_owner(said: &Said, at: usize) -> bool {
    said.text[said.tokens[at].range.end..].trim_start_matches(')').starts_with(['\'', '’'])
}

fn is_coordinated(said: &Said, start: usize) -> bool {
    start > 1 && matches!(said.word(start - 1), "and" | "or")
}

fn role(said: &Said, start: usize, run: &Range<usize>) -> Role {
    let has_article = start < run.start;
    let Some(before) = start.checked_sub(1) else { return Role::Object };
    let word = said.word(before);
    if said.tokens[before].is_asking {
        return Role::Object;
    }
    // "What's the deposit?"
    if is_short_be(said, before) {
        let asks = said.word(before - 1);
        return if matches!(asks, "what" | "who") { Role::Defined } else { Role::Subject };
    }
    if said.tokens[before].is_joined
        || is_owner(said, before)
        || ((asks_for(word) || word == "how") && !has_article)
    {
        // "What goes into it?" has a verb after "what"; "what temperature" has a noun.
        let asks_with_verb = word == "what" && !is_auxiliary(said.word(run.end)) && run.len() == 1;
        return if asks_with_verb { Role::Predicate } else { Role::Other };
    }
    if matches!(word, "who" | "what") {
        return Role::Predicate;
    }
    if is_be(word) {
        let asks = before.checked_sub(1).map_or("", |at| said.word(at));
        return match asks {
            "what" | "who" => Role::Defined,
            "" => Role::Subject,
            asks if is_question_word(asks) || follows_how(said, before) => Role::Subject,
            asks if is_connector(asks) => Role::Subject,
            _ if follows_measure(said, before) && (has_article || said.tokens[run.start].is_marked) => {
                Role::Subject
            }
            _ => Role::Other,
        };
    }
    if is_modal(word) {
        let asks = before.checked_sub(1).map_or("", |at| said.word(at));
        let inverted = asks.is_empty()
            || is_connector(asks)
            || is_question_word(asks)
            || !is_closed(asks)
            || follows_how(said, before);
        return if inverted { Role::Subject } else { Role::Predicate };
    }
    if is_auxiliary(word) {
        // "How many boats had *the yard* built?"
        let asks = before.checked_sub(1).map_or("", |at| said.word(at));
        let is_inverted = matches!(word, "has" | "have" | "had") && !is_closed(asks) && !asks.is_empty();
        return match (has_article, is_inverted) {
            (true, true) => Role::Subject,
            (true, false) => Role::Object,
            (false, _) => Role::Other,
        };
    }
    if is_first_or_second(word) || pronoun(word).is_some() {
        return if has_article { Role::Object } else { Role::Predicate };
    }
    if word == "to" && !has_article && !said.tokens[run.start].is_marked {
        return Role::Predicate;
    }
    if is_preposition(word) {
        return Role::Circumstance;
    }
    if is_closed(word) && !is_connector(word) && !matches!(word, "up" | "out" | "off" | "if") {
        return Role::Other;
    }
    Role::Object
}

/// Whether a word is the ending of a question word that stands for "is" or "are": "what's".
fn is_short_be(said: &Said, at: usize) -> bool {
    said.tokens[at].is_joined
        && matches!(said.word(at), "s" | "re")
        && is_question_word(said.word(at - 1))
        && said.word(at - 1) != "whose"
}

/// Whether an auxiliary follows "how" and one word: "how long is".
fn follows_how(said: &Said, auxiliary: usize) -> bool {
    auxiliary >= 2 && matches!(said.word(auxiliary - 2), "how" | "what" | "which")
}

/// A phrase between a subject and its verb, without the verb: "did the judge in *the Ostra case* mostly rely".
fn before_verb(said: &Said, run: Range<usize>, known: &[Range<usize>]) -> Range<usize> {
    let ends = said.ends_after(run.end - 1) || is_closed(said.word(run.end));
    let Some(verb) = verb_in(said, &run, ends, known) else { return run };
    let adverbs = (run.start + 1..verb).rev().take_while(|at| said.word(*at).ends_with("ly")).count();
    run.start..verb - adverbs
}

/// Whether an auxiliary follows "how" and several words: "how far along is".
fn follows_measure(said: &Said, auxiliary: usize) -> bool {
    let before = (0..auxiliary).rev().take(MEASURE_WORDS_MAX + 1);
    let how = before.take_while(|at| !is_auxiliary(said.word(*at))).find(|at| said.word(*at) == "how");
    how.is_some_and(|how| (how + 1..=auxiliary).all(|at| said.tokens[at].parted.is_none()))
}

/// The noun phrases in a run, without its verb.
fn phrases(said: &Said, run: Range<usize>, role: Role, known: &[Range<usize>]) -> Vec<(Range<usize>, Role)> {
    match role {
        Role::Other => Vec::new(),
        // "What is *kept* in the annexe?"
        Role::Defined if is_participle(said, &run) => Vec::new(),
        // "Who is *investigating* the incident?"
        Role::Defined if is_doing(said, &run) => phrases(said, run, Role::Predicate, known),
        Role::Defined => {
            // "What is it *used* for?"
            let last = run.end - 1;
            let is_stranded = is_preposition(said.word(run.end)) && said.ends_after(run.end);
            let end =
                if run.len() > 1 && is_stranded && said.word(last).ends_with("ed") { last } else { run.end };
            vec![(run.start..end, role)]
        }
        Role::Object | Role::Circumstance => {
            // "Which novel is the film *The Glass Orchard* based on?"
            let is_verb_after = |end: usize| {
                let next = said.word(end);
                next.ends_with("ed") || next.ends_with("ing") || is_irregular_verb(next)
            };
            let place = known
                .iter()
                .find(|place| place.start == run.start && place.end < run.end && is_verb_after(place.end));
            vec![(place.cloned().unwrap_or(run), role)]
        }
        Role::Predicate => match run.len() {
            1 => Vec::new(),
            _ => vec![(run.start + 1..run.end, Role::Object)],
        },
        Role::Subject => {
            // The rest is the verb or the predicate: "Is *Qubes OS* free software?"
            if let Some(place) = known.iter().find(|place| place.start == run.start) {
                return vec![(run.start..compound_end(said, place, &run, known), role)];
            }
            // "Does *the preload flag* do anything?"
            if is_auxiliary(said.word(run.end)) && !said.ends_after(run.end - 1) {
                return vec![(run, role)];
            }
            let is_closed_after = said.ends_after(run.end - 1) || is_closed(said.word(run.end));
            // "The film" of "the film The Glass Orchard".
            if said.word(run.end) == "the" && !said.ends_after(run.end - 1) {
                return Vec::new();
            }
            let Some(verb) = verb_in(said, &run, is_closed_after, known) else {
                return if run.len() == 1 { vec![(run, role)] } else { Vec::new() };
            };
            let subject = (run.start..verb, role);
            let object = verb + 1..run.end;
            if object.is_empty() { vec![subject] } else { vec![subject, (object, Role::Object)] }
        }
    }
}

/// Whether a run without an article is a participle at the end or before a preposition: "What was *lost*?"
fn is_participle(said: &Said, run: &Range<usize>) -> bool {
    let goes_on = is_preposition(said.word(run.end)) && !said.ends_after(run.end);
    let has_article = article_before(said, run.start) < run.start;
    let is_alone = said.ends_after(run.start) || goes_on;
    run.len() == 1
        && is_alone
        && !has_article
        && !said.tokens[run.start].is_marked
        && is_past(said.word(run.start))
}

/// Whether a run after "who is" begins with what somebody does.
fn is_doing(said: &Said, run: &Range<usize>) -> bool {
    let asks = run.start.checked_sub(2).map_or("", |at| said.word(at));
    asks == "who" && said.word(run.start).ends_with("ing") && !said.tokens[run.start].is_marked
}

/// Where a subject that begins with a name ends: at the verb that an auxiliary requires, as in "did *the Ostra survey*
/// end" and "was *the Ostra survey* led".
fn compound_end(said: &Said, name: &Range<usize>, run: &Range<usize>, known: &[Range<usize>]) -> usize {
    let has_article = run.start > 0 && said.word(run.start - 1) == "the";
    let before = article_before(said, run.start).checked_sub(1).map_or("", |at| said.word(at));
    let ends = said.ends_after(run.end - 1) || is_closed(said.word(run.end));
    // "When does *the Barrel Run* take place?" goes on with its verb, whatever follows it.
    let is_followed = is_modal(before) && name.end < run.end && is_verb(said.word(name.end));
    if is_followed {
        return name.end;
    }
    let requires = |verb: &usize| is_modal(before) || is_auxiliary(before) && is_past(said.word(*verb));
    let verb = verb_in(said, run, ends, known).filter(|verb| has_article && requires(verb));
    verb.map_or(name.end, |verb| verb.max(name.end))
}

/// The index of the verb or predicate of a subject in a run, if it is clear.
fn verb_in(said: &Said, run: &Range<usize>, ends: bool, known: &[Range<usize>]) -> Option<usize> {
    let is_within = |at: usize| known.iter().any(|place| place.contains(&at));
    let verbal: Vec<usize> = (run.start + 1..run.end)
        .filter(|at| !is_within(*at) && !said.tokens[*at].is_marked && is_verb(said.word(*at)))
        .collect();
    if let Some(clear) = verbal.iter().find(|at| CLEAR_VERBS.contains(&said.word(**at))) {
        return Some(*clear);
    }
    match verbal.as_slice() {
        [one] => Some(*one),
        [.., last] if ends && *last + 1 == run.end => Some(*last),
        [] if ends && run.len() > 1 && !is_within(run.end - 1) && !said.tokens[run.end - 1].is_marked => {
            Some(run.end - 1)
        }
        _ => None,
    }
}

fn topic(said: &Said, first: usize, mut tokens: Range<usize>, role: Role) -> Option<Topic> {
    while tokens.len() > 1 && is_after_noun(said.word(tokens.end - 1)) {
        tokens.end -= 1;
    }
    let says_nothing = |word: &str| {
        tokens.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(word, "way" | "thing" | "things")
    };
    let head = &said.tokens[tokens.end - 1];
    let is_time = tokens.clone().all(|at| is_period(said.word(at)))
        || !matches!(role, Role::Defined | Role::Subject) && names_time(said, &tokens);
    if tokens.len() > WORDS_MAX || says_nothing(&head.lower) || is_time {
        return None;
    }
    let determiner = if first < tokens.start { said.word(first) } else { "" };
    let whole = tokens.clone();
    // "A summary of the spring term 2024 Osprey release": the thing is the release.
    let names_after =
        |period: &usize| is_period(said.word(*period)) && names_thing(said, &(*period + 1..tokens.end));
    if said.asks_summary
        && let Some(period) = tokens.clone().rev().find(names_after)
    {
        tokens.start = period + 1;
    }
    let quoted = quoted_in(said, &tokens);
    let is_quoted = quoted.is_some();
    tokens = quoted.unwrap_or(tokens);
    let bare = said.text[name_bytes(said, &tokens)].to_owned();
    let words = match determiner {
        "" => bare.clone(),
        // The article belongs to the noun after the name.
        _ if is_quoted => bare.clone(),
        _ if whole == tokens => said.text[name_bytes(said, &(first..tokens.end))].to_owned(),
        _ => format!("{} {bare}", &said.text[said.tokens[first].range.clone()]),
    };
    if is_demonstrative(determiner) {
        return None;
    }
    let is_indefinite = matches!(determiner, "a" | "an");
    let words = if first == 0 && !determiner.is_empty() { lowered(&words) } else { words };
    let number = number(said, first, &tokens, determiner);
    let is_what = !is_owner(said, tokens.end - 1)
        && first > 1
        && role == Role::Defined
        && said.word(first - 2) == "what";
    // "What does a night at the hut cost?" is about the hut.
    if is_indefinite && reference::says(&head.lower, Reference::Period) {
        return None;
    }
    let is_thing = is_what || is_indefinite && !is_person_noun(&head.lower) && !is_agent(&head.lower);
    let is_central = role != Role::Circumstance;
    let is_agent = first > 0 && said.word(first - 1) == "by";
    let is_of_name = joins_name(said, &tokens);
    Some(Topic {
        tokens,
        words,
        bare,
        number,
        is_indefinite,
        is_thing,
        is_central,
        is_referent: is_central,
        is_defined: role == Role::Defined,
        is_agent,
        is_of_name,
    })
}

/// The words of a phrase that stand in quotation marks: "the '*Initiative Lantern*' review".
fn quoted_in(said: &Said, tokens: &Range<usize>) -> Option<Range<usize>> {
    const OPENING: [char; 4] = ['\'', '"', '‘', '“'];
    const CLOSING: [char; 4] = ['\'', '"', '’', '”'];
    let is_opened = |at: &usize| {
        let before = &said.text[..said.tokens[*at].range.start];
        before.strip_suffix(OPENING).is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    let is_closed = |at: &usize| said.text[said.tokens[*at].range.end..].starts_with(CLOSING);
    let start = tokens.clone().find(is_opened)?;
    Some(start..(start..tokens.end).find(is_closed)? + 1)
}

/// Whether a phrase names a time by its parts: "the end" of March, "the second week", "last year", "last winter".
fn names_time(said: &Said, tokens: &Range<usize>) -> bool {
    let is_period_noun = |word: &str| reference::says(word, Reference::Period) || is_period(word);
    let after_of = tokens.end + 1 + usize::from(is_article(said.word(tokens.end + 1)));
    let is_of_period = said.word(tokens.end) == "of"
        && (is_period(said.word(after_of)) || is_period_noun(said.word(after_of)));
    let head = said.word(tokens.end - 1);
    let describes =
        |word: &str| place(word).is_some() || matches!(word, "next" | "previous" | "past" | "very");
    let is_plain = || tokens.clone().all(|at| describes(said.word(at)) || is_period_noun(said.word(at)));
    is_of_period && reference::says(head, Reference::Part) || is_period_noun(head) && is_plain()
}

/// Whether a preposition joins a phrase in lower case to a name: "the judge *in the Ostra case*".
fn joins_name(said: &Said, tokens: &Range<usize>) -> bool {
    let is_name =
        |at: usize| said.tokens.get(at).is_some_and(|token| token.is_marked && !is_period(&token.lower));
    let start = tokens.end + 1 + usize::from(is_article(said.word(tokens.end + 1)));
    let goes_on = is_preposition(said.word(tokens.end)) && !said.ends_after(tokens.end);
    let mut name = (start..said.tokens.len()).take(2).take_while(|at| !is_closed(said.word(*at)));
    goes_on && !tokens.clone().any(|at| said.tokens[at].is_marked) && name.any(is_name)
}

/// Whether a word after a noun is not part of its phrase: "*first* awarded", "is it *called*".
fn is_after_noun(word: &str) -> bool {
    is_closing(word)
        || matches!(
            word,
            "first"
                | "last"
                | "called"
                | "named"
                | "usually"
                | "normally"
                | "currently"
                | "today"
                | "afterwards"
                | "anyway"
        )
}

/// Lower-cases the first letter of a phrase.
pub(crate) fn lowered(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn number(said: &Said, first: usize, tokens: &Range<usize>, determiner: &str) -> Number {
    let head = &said.tokens[tokens.end - 1];
    // In "what were Apollo's blockers", the verb agrees with "blockers".
    let owns = is_owner(said, tokens.end - 1);
    let before = first.checked_sub(1).filter(|_| !owns).map_or("", |at| said.word(at));
    if matches!(determiner, "a" | "an") {
        return Number::One;
    }
    match before {
        "are" | "were" | "do" => return Number::Many,
        "is" | "was" | "does" => return Number::One,
        _ => {}
    }
    if head.is_marked {
        return Number::Either;
    }
    let word = head.lower.as_str();
    let is_plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if is_plural { Number::Many } else { Number::One }
}

#[cfg(test)]
mod tests {
    use super::{Number, Said, topics};

    fn named(question: &str) -> Vec<String> {
        topics(&Said::of(question), &["Let's Encrypt"]).into_iter().map(|topic| topic.words).collect()
    }

    #[test]
    fn a_question_is_about_what_it_names() {
        for (question, expected) in [
            ("What is a domain object?", &["a domain object"][..]),
            ("How far along was the quarry at the end of May?", &["the quarry"]),
            ("How many boats had the yard built by the second week?", &["the yard"]),
            ("What did the judge in the Ostra case mostly rely on?", &["the judge", "the Ostra case"]),
            ("When does the keeper at Velm Lock retire?", &["the keeper", "Velm Lock"]),
            ("How long did the Let's Encrypt trial last?", &["the Let's Encrypt trial"]),
            ("How was the Let's Encrypt trial judged?", &["the Let's Encrypt trial"]),
            ("What is kept in the annexe?", &["the annexe"]),
            ("What did the paper make of the play?", &["the play", "the paper"]),
            ("What is a short-lived certificate?", &["a short-lived certificate"]),
            ("What is the staging environment for?", &["the staging environment"]),
            ("What is verapine used for?", &["verapine"]),
            ("How do I revoke a certificate?", &["a certificate"]),
            ("How do I make limoncello?", &["limoncello"]),
            ("How long does kombucha brew?", &["kombucha"]),
            ("Does kombucha need sugar?", &["kombucha", "sugar"]),
            ("How often does the Cross Project Council meet?", &["the Cross Project Council"]),
            ("Who develops Qubes OS?", &["Qubes OS"]),
            ("What goes into a Greek salad?", &["a Greek salad"]),
            ("What is in an apple strudel?", &["an apple strudel"]),
            ("At what temperature do I bake an apple strudel?", &["an apple strudel"]),
            ("How is a domain object identified?", &["a domain object"]),
            ("On which port does the HTTP-01 challenge run?", &["the HTTP-01 challenge"]),
            ("Which algorithm should I use for password hashing?", &["password hashing"]),
            ("What is the price of a day ticket?", &["a day ticket"]),
            ("What are core committers' responsibilities?", &["core committers"]),
            ("What were Apollo's blockers?", &["Apollo"]),
            ("How much does the flat cost?", &["the flat"]),
            ("Is it true?", &[]),
            ("How long is it valid?", &[]),
        ] {
            assert_eq!(named(question), expected, "{question}");
        }
    }

    #[test]
    fn a_summary_is_of_a_thing_and_not_of_its_time() {
        for (question, expected) in [
            ("Give me a summary of the spring term 2024 'Red Kite' report.", "Red Kite"),
            ("Give me a summary of the May 2024 Osprey release.", "the Osprey release"),
        ] {
            let said = Said { asks_summary: true, ..Said::of(question) };
            assert_eq!(topics(&said, &[])[0].words, expected);
        }
    }

    #[test]
    fn a_topic_has_a_number() {
        let number = |question: &str| topics(&Said::of(question), &[])[0].number;
        assert_eq!(number("What is a core committer?"), Number::One);
        assert_eq!(number("What are pierogi?"), Number::Many);
        assert_eq!(number("How do I copy files?"), Number::Many);
        assert_eq!(number("Who develops Qubes OS?"), Number::Either);
    }
}
