//! Answers that need several pages, where the question describes one thing by another: "Who leads the team that cleans the
//! tank of the night boat?"
//!
//! Each page of a chain names the next one, or is named by it. A chain is matched with the question from the outside in: what
//! the page with the answer says encloses the words for the page that leads to it, and these enclose the words for the page
//! before. So each page has to say what the question says of *its* thing, and a chain that covers the same words in another
//! order does not count.

use std::ops::Range;

use quiver_language::{
    Class, Language,
    description::may_stand_for,
    recall::{Recall, says},
    title::TITLE_SEPARATOR,
    word::is_verb,
};

use super::{
    candidate::Candidate,
    derived::{is_typed, leads_on, may_be_last},
    form::{Asks, Role},
    reading::{Reading, Said, Wanted},
    unit::UnitKind,
    word::{Word, begins_clause},
};

/// Maximum number of pages that lead to the one with the answer.
const STEPS_MAX: usize = 3;
/// Maximum number of chains that are matched. Their number explodes if all pages name each other.
const CHAINS_MAX: usize = 5000;
/// Weight of a synonym, relative to the word itself.
const SYNONYM: f32 = 0.9;
/// Weight of a word that another sentence of the page says.
const NEARBY: f32 = 0.5;
/// Weight of a word for a thing of any kind: "the place", "the people".
const GENERAL: f32 = 0.3;
/// Minimum share of the question that a chain has to cover.
const COVER_LEAST: f32 = 0.55;
/// Minimum lead over chains that end in another sentence.
const LEAD_LEAST: f32 = 0.1;
/// Minimum share of the question that each page has to cover.
const GAIN_LEAST: f32 = 0.08;
/// Minimum share of the words around the description that the sentence with the answer says itself.
const OUTER_LEAST: f32 = 0.5;

/// A chain of pages to an answer.
#[derive(Clone, Debug)]
pub(super) struct Nested {
    /// The sentences: the one with the answer, then those that name the page before or after.
    pub(super) pieces: Vec<usize>,
    /// The share of the question that they cover.
    cover: f32,
}

/// Returns the chain that covers the question best, unless another comes close.
pub(super) fn nested(reading: &Reading, candidates: &[(f32, Candidate)]) -> Option<Nested> {
    let form = &reading.form;
    let is_of_two = form.words.iter().any(|word| matches!(word.lower.as_str(), "or" | "two" | "both"));
    if !leads_on(reading) || is_of_two || form.either.is_some() || form.asks == Asks::YesNo {
        return None;
    }
    let mut search = Search::of(reading);
    for page in (0..reading.pages.len()).filter(|page| is_thing(reading, *page)) {
        let is_end = |at: &usize| {
            let piece = &reading.pieces[*at];
            piece.source == page && piece.unit.kind != UnitKind::Row && may_be_last(reading, candidates, *at)
        };
        let ends: Vec<usize> = (0..reading.pieces.len()).filter(is_end).collect();
        if !ends.is_empty() {
            search.follow(&Chain { pages: vec![page], links: Vec::new() }, &ends);
        }
    }
    if search.chains > CHAINS_MAX {
        // A chain that was not matched may say as much.
        return None;
    }
    let mut found = search.found;
    found.sort_by(|a, b| b.cover.total_cmp(&a.cover).then(a.pieces.len().cmp(&b.pieces.len())));
    let best = found.first()?;
    let text = |nested: &Nested| &reading.pieces[nested.pieces[0]].unit.text;
    let is_rival = |other: &Nested| other.cover + LEAD_LEAST > best.cover && text(other) != text(best);
    (!found.iter().any(is_rival)).then(|| best.clone())
}

/// Whether a word tells a described thing from others of its kind: "the drug for *gout*". A verb, and the noun before a
/// clause, as "the machine that …", often have other words in the text.
fn tells_apart(reading: &Reading, wanted: &Wanted) -> bool {
    let words = &reading.form.words;
    let lower = words[wanted.word].lower.as_str();
    let is_general = says(lower, Recall::General) || says(lower, Recall::Group);
    let is_head =
        words[wanted.word + 1..].iter().take(2).take_while(|word| word.is_function).any(begins_clause);
    let class = wanted.word.checked_sub(1).and_then(|at| Language::English.class(&words[at].lower));
    let is_after_noun_part = matches!(class, Some(Class::Determiner | Class::Preposition));
    // "The oil", but not "that oils".
    let is_deed = is_verb(lower) && !is_after_noun_part && (class.is_some() || is_inflected(lower));
    wanted.role != Role::Kind && !is_general && !is_head && !is_deed
}

/// Whether a verb has the ending of a third person, a participle or a gerund.
fn is_inflected(verb: &str) -> bool {
    ["s", "ed", "en", "ing"].iter().any(|ending| verb.ends_with(ending))
}

/// Whether the page about a thing that the question names says all that the question does, so that no other page has to be
/// asked. If the question asks for a kind of thing ("which printer …"), the page must have one.
pub(super) fn tells_all(reading: &Reading, candidates: &[(f32, Candidate)]) -> bool {
    (0..reading.pages.len()).filter(|page| is_thing(reading, *page)).any(|page| {
        let has_value =
            || candidates.iter().any(|(_, one)| reading.pieces[one.piece].source == page && is_typed(one));
        mention(&reading.form.words, name(reading, page)).is_some()
            && reading.tells_all(page)
            && (!reading.has_role(Role::Kind) || has_value())
    })
}

/// Whether a page is a whole document about one thing, and not a part of a longer one.
fn is_thing(reading: &Reading, page: usize) -> bool {
    let title = &reading.pages[page].title;
    let is_whole = || reading.pages.iter().filter(|other| other.title == *title).count() == 1;
    !title.is_empty() && !title.contains(TITLE_SEPARATOR) && is_whole()
}

/// The name of the thing that a page is about, without an article.
fn name(reading: &Reading, page: usize) -> &[Word] {
    let words = &reading.pages[page].subject_words;
    let article = words.first().is_some_and(|first| matches!(first.lower.as_str(), "the" | "a" | "an"));
    &words[usize::from(article)..]
}

/// Where words have a name, in any grammatical number.
fn mention(words: &[Word], name: &[Word]) -> Option<usize> {
    let is_same = |(one, other): (&Word, &Word)| one.lower == other.lower || one.is_form_of(other);
    let is_name = |window: &[Word]| window.iter().zip(name).all(is_same);
    if name.is_empty() { None } else { words.windows(name.len()).position(is_name) }
}

/// Whether a name counts only with a capital: it is also a verb, or some text writes it with one within a sentence.
fn needs_capital(reading: &Reading, name: &[Word]) -> bool {
    let is_capital = |words: &[Word]| mention(words, name).is_some_and(|at| at > 0 && words[at].is_capital);
    name.len() == 1 && is_verb(&name[0].lower)
        || is_capital(&reading.form.words)
        || reading.pieces.iter().any(|piece| is_capital(&piece.words))
}

/// A page that names another or is named by it, and the sentence with the name.
#[derive(Clone, Copy, Debug)]
struct Link {
    page: usize,
    piece: usize,
}

/// Pages that lead to an answer, the one with the answer first, and the sentences that link each to the next.
#[derive(Clone, Debug)]
struct Chain {
    pages: Vec<usize>,
    links: Vec<usize>,
}

struct Search<'r> {
    reading: &'r Reading,
    /// The links of each page.
    links: Vec<Vec<Link>>,
    /// The question words in each page.
    said: Vec<Said>,
    /// Whether the question names the thing of each page.
    is_named: Vec<bool>,
    /// The weight of each word of the question, and of all.
    weights: Vec<f32>,
    total: f32,
    found: Vec<Nested>,
    chains: usize,
}

impl<'r> Search<'r> {
    fn of(reading: &'r Reading) -> Self {
        let count = reading.pages.len();
        let mut said = vec![Said::default(); count];
        for piece in &reading.pieces {
            said[piece.source] = said[piece.source].and(piece.said);
        }
        let mut links = vec![Vec::new(); count];
        for page in (0..count).filter(|page| is_thing(reading, *page)) {
            let name = name(reading, page);
            let needs_capital = needs_capital(reading, name);
            for (piece, other) in reading.pieces.iter().enumerate().map(|(at, piece)| (at, piece.source)) {
                let words = &reading.pieces[piece].words;
                let is_named = mention(words, name).is_some_and(|at| !needs_capital || words[at].is_capital);
                if is_named && other != page && is_thing(reading, other) {
                    links[page].push(Link { page: other, piece });
                    links[other].push(Link { page, piece });
                }
            }
        }
        let is_named = (0..count).map(|page| mention(&reading.form.words, name(reading, page)).is_some());
        let weight = |wanted: &Wanted| {
            let lower = &reading.form.words[wanted.word].lower;
            let is_general = [Recall::General, Recall::Group].into_iter().any(|class| says(lower, class));
            match wanted.role {
                Role::Kind => 0.0,
                _ if is_general => GENERAL * wanted.weight,
                _ => wanted.weight,
            }
        };
        let weights: Vec<f32> = reading.wanted.iter().map(weight).collect();
        let total = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let is_named = is_named.collect();
        Self { reading, links, said, is_named, weights, total, found: Vec::new(), chains: 0 }
    }

    /// Matches a chain with each sentence that may end it, and those that are longer by a page.
    fn follow(&mut self, chain: &Chain, ends: &[usize]) {
        self.chains += 1;
        if self.chains > CHAINS_MAX {
            return;
        }
        let last = chain.pages[chain.pages.len() - 1];
        if chain.pages.len() > 1 {
            for end in ends {
                if let Some(cover) = self.cover(chain, *end).filter(|cover| *cover >= COVER_LEAST) {
                    let pieces = std::iter::once(*end).chain(chain.links.iter().copied()).collect();
                    self.found.push(Nested { pieces, cover });
                }
            }
            // The question gives the name, and needs no description of it.
            if self.is_named[last] {
                return;
            }
        }
        if chain.pages.len() > STEPS_MAX {
            return;
        }
        for link in self.links[last].clone() {
            if !chain.pages.contains(&link.page) {
                let mut longer = chain.clone();
                longer.pages.push(link.page);
                longer.links.push(link.piece);
                self.follow(&longer, ends);
            }
        }
    }

    /// The share of the question that a chain covers if each page has a part of it within that of the page before.
    fn cover(&self, chain: &Chain, end: usize) -> Option<f32> {
        if !self.may_describe(chain) || !self.says_names(chain, end) {
            return None;
        }
        let gains: Vec<Vec<f32>> = (0..chain.pages.len())
            .map(|at| {
                let before = at.checked_sub(1).map_or(end, |before| chain.links[before]);
                let sentences = std::iter::once(before).chain(chain.links.get(at).copied());
                self.gains(chain.pages[at], sentences)
            })
            .collect();
        let words = 0..self.weights.len();
        let most = |bit: usize| gains.iter().map(|gains| gains[bit]).fold(0.0, f32::max);
        let is_open = |bit: usize| most(bit) == 0.0 && tells_apart(self.reading, &self.reading.wanted[bit]);
        if words.clone().any(is_open) || words.clone().map(most).sum::<f32>() < COVER_LEAST * self.total {
            return None;
        }
        let sums = gains.iter().map(|gains| {
            let mut sum = 0.0;
            let sums = gains.iter().map(|gain| {
                sum += gain;
                sum
            });
            std::iter::once(0.0).chain(sums).collect()
        });
        let sums: Vec<Vec<f32>> = sums.collect();
        let may_enclose = |inner: &Range<usize>| {
            self.says_predicate(end, inner)
                && self.is_of_kind(chain.pages[0], chain.links[0], inner)
                && self.says_outer(end, inner)
        };
        Some(self.best(&sums, 0, &words, &may_enclose)? / self.total)
    }

    /// Whether the question may describe the last page of a chain by the others.
    fn may_describe(&self, chain: &Chain) -> bool {
        let reading = self.reading;
        let (page, link) = (chain.pages[0], &reading.pieces[chain.links[0]]);
        // "Kim Il-chol" where the question names Kim Jong-chul.
        let title = reading.pages[page].title_said;
        let is_name = |bit: &usize| reading.wanted[*bit].role == Role::Name;
        let is_namesake = (0..reading.wanted.len()).filter(is_name).any(|bit| title.has(bit));
        // A page that mentions another thing in passing is not described by it.
        let is_in_passing = link.source == page && link.place > 0;
        !self.is_named[page] && !is_namesake && !is_in_passing
    }

    /// How much of the weight of each word of the question a page covers with some sentences, and with its title.
    fn gains(&self, page: usize, sentences: impl Iterator<Item = usize>) -> Vec<f32> {
        let reading = self.reading;
        let title = reading.pages[page].title_said;
        let said = sentences.map(|at| reading.pieces[at].said).fold(title, Said::and);
        let share = |bit: usize| {
            let is_in = |set: u64| set >> bit & 1 == 1;
            match () {
                () if is_in(said.exact) => 1.0,
                () if is_in(said.near) => SYNONYM,
                () if is_in(self.said[page].exact) => NEARBY,
                () if is_in(self.said[page].near) => NEARBY * SYNONYM,
                () => 0.0,
            }
        };
        self.weights.iter().enumerate().map(|(bit, weight)| weight * share(bit)).collect()
    }

    /// Whether each name and number of the question is said as a whole by one sentence with its title.
    fn says_names(&self, chain: &Chain, end: usize) -> bool {
        let reading = self.reading;
        let titles = chain.pages.iter().map(|page| reading.pages[*page].title_said.exact);
        let sentences = std::iter::once(end).chain(chain.links.iter().copied());
        let said: Vec<u64> = titles.chain(sentences.map(|at| reading.pieces[at].own.exact)).collect();
        let is_name =
            |wanted: &Wanted| wanted.role == Role::Name || reading.form.words[wanted.word].is_numeric();
        let is_run =
            |one: &Wanted, other: &Wanted| is_name(one) && is_name(other) && other.word == one.word + 1;
        let mut bit = 0;
        reading.wanted.chunk_by(is_run).all(|run| {
            let mask =
                run.iter().enumerate().map(|(at, _)| 1_u64 << (bit + at)).fold(0, |all, one| all | one);
            bit += run.len();
            !is_name(&run[0]) || said.iter().any(|said| said & mask == mask)
        })
    }

    /// Whether a sentence says what the question asks of the thing that a part of it describes: the first word after the
    /// question word, or the last one if the description comes first, as in "How fast does *the night boat's engine* turn".
    fn says_predicate(&self, end: usize, inner: &Range<usize>) -> bool {
        let (form, wanted) = (&self.reading.form, &self.reading.wanted);
        let own = self.reading.pieces[end].said;
        let from = form.question_word.unwrap_or(0);
        let counts = |bit: &usize| wanted[*bit].role != Role::Kind && wanted[*bit].word > from;
        let Some(first) = (0..wanted.len()).find(counts) else { return false };
        if !inner.contains(&first) {
            return own.has(first);
        }
        let word = wanted[first].word;
        let begins = form.words[word].is_capital
            || matches!(form.words[word - 1].lower.as_str(), "the" | "our" | "a" | "an");
        let last = (inner.end..wanted.len()).rfind(counts);
        begins && last.is_some_and(|last| own.has(last))
    }

    /// Whether the page with the answer is of the kind that the question gives to what it describes: "the *country* that …".
    fn is_of_kind(&self, page: usize, link: usize, inner: &Range<usize>) -> bool {
        let reading = self.reading;
        let before = inner.start.checked_sub(1);
        // "On which floor does the laboratory *work* that performs the test?"
        let head = before.map_or(inner.end, |at| if self.is_verb_between(at) { at - 1 } else { at });
        let Some(wanted) = reading.wanted.get(head).filter(|wanted| wanted.role != Role::Kind) else {
            return true;
        };
        let asked = &reading.form.words[wanted.word];
        if inner.start == 0 && is_verb(&asked.lower) {
            return false;
        }
        let first = reading.pieces.iter().position(|piece| piece.source == page && piece.place == 0);
        let is_said = |at: usize| reading.pieces[at].own.has(head);
        let is_other_word = |word: &Word| may_stand_for(&asked.lower, &word.lower);
        says(&asked.lower, Recall::General)
            || first.is_some_and(is_said)
            || is_said(link)
            || reading.pages[page].subject_words.iter().any(is_other_word)
            || reading.pieces[link].words.iter().any(is_other_word)
    }

    /// Whether a question word is a verb between what does it and a clause about that.
    fn is_verb_between(&self, at: usize) -> bool {
        let (words, wanted) = (&self.reading.form.words, &self.reading.wanted);
        let is_do = |word: &Word| matches!(word.lower.as_str(), "do" | "does" | "did");
        let verb = wanted[at].word;
        let follows = at > 0 && wanted[at - 1].word + 1 == verb && words[..verb].iter().any(is_do);
        follows && is_verb(&words[verb].lower) && words.get(verb + 1).is_some_and(begins_clause)
    }

    /// Whether a sentence says enough of the words around the part that describes something, one of them literally.
    fn says_outer(&self, end: usize, inner: &Range<usize>) -> bool {
        let own = self.reading.pieces[end].said;
        let outer = || (0..self.weights.len()).filter(|bit| !inner.contains(bit) && self.weights[*bit] > 0.0);
        let weight = |bit: usize| self.weights[bit];
        let said: f32 = outer().filter(|bit| own.has(*bit)).map(weight).sum();
        outer().any(|bit| own.exact >> bit & 1 == 1) && said >= OUTER_LEAST * outer().map(weight).sum::<f32>()
    }

    /// The most that the pages from one on cover of a range of words, each within the range of the page before. `sums` has
    /// for each page what it covers of the words up to each.
    fn best(
        &self,
        sums: &[Vec<f32>],
        page: usize,
        range: &Range<usize>,
        may_enclose: &dyn Fn(&Range<usize>) -> bool,
    ) -> Option<f32> {
        let least = GAIN_LEAST * self.total;
        let sum = |from: usize, to: usize| sums[page][to] - sums[page][from];
        if page + 1 == sums.len() {
            return Some(sum(range.start, range.end)).filter(|gain| *gain >= least);
        }
        let inner = range.clone().flat_map(|start| (start + 1..=range.end).map(move |end| start..end));
        let covers = inner.filter_map(|inner| {
            let own = sum(range.start, inner.start) + sum(inner.end, range.end);
            let is_part = own > 0.0 && (page == 0 || own >= least) && (page > 0 || may_enclose(&inner));
            is_part.then(|| self.best(sums, page + 1, &inner, may_enclose)).flatten().map(|gain| own + gain)
        });
        covers.max_by(f32::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;
    use serde_json::Map;

    use crate::{AnswerForm, AnswerWeights, Source, choose, reading::Even};

    /// The pages of a vineyard's handbook.
    const PAGES: [(&str, &str); 5] = [
        ("Upper Terrace", "The upper terrace faces south. Its vines are sprayed with Larkin wash in June."),
        ("Larkin Wash", "Larkin wash is a milky liquid. It is mixed by the yard crew on the day before."),
        (
            "Yard Crew",
            "The yard crew numbers four and has its benches in room 4. It is led by Ottilie Brandt, who came from the mill.",
        ),
        ("Lower Terrace", "The lower terrace is flat. Its vines are sprayed with Morrow dust in May."),
        ("Morrow Dust", "Morrow dust is a grey powder. It is ground by the mill crew, led by Ansgar Holm."),
    ];

    /// The answer that needs several pages, if there is one.
    fn answer(question: &str) -> Option<String> {
        let metadata = Map::new();
        let source = |(title, text): (&'static str, &'static str)| Source {
            title: Some(title),
            text,
            score: 1.0,
            steps: 0,
            metadata: &metadata,
            said_by: None,
        };
        let sources = PAGES.map(source);
        let choice = choose(&Lexical::new(), question, &Even, &sources, AnswerWeights::learned());
        let derived = choice.options.into_iter().find(|option| option.form == AnswerForm::Derived);
        derived.filter(|derived| derived.objection.is_none()).map(|derived| derived.text)
    }

    #[test]
    fn a_description_within_a_description_leads_to_the_answer() {
        let question = "Who leads the crew that mixes the wash sprayed on the vines of the upper terrace?";
        assert_eq!(answer(question).as_deref(), Some("Ottilie Brandt"));
    }

    #[test]
    fn the_verb_may_stand_before_the_clause_about_who_does_it() {
        let question =
            "In which room does the crew work that mixes the wash sprayed on the vines of the upper terrace?";
        assert_eq!(
            answer(question).as_deref(),
            Some("The yard crew numbers four and has its benches in room 4.")
        );
    }

    #[test]
    fn what_only_a_sibling_or_nobody_is_said_to_be_is_no_answer() {
        for question in [
            "Who founded the crew that mixes the wash sprayed on the vines of the upper terrace?",
            "Who leads the crew that sells the wash poured on the roses of the north garden?",
            "How old is the leader of the crew that mixes the wash sprayed on the vines of the upper terrace?",
        ] {
            assert_eq!(answer(question), None, "{question}");
        }
    }
}
