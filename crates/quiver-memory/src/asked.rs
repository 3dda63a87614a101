//! Parses questions into typed steps: the named entity, and the relations that lead from it to the answer.

use quiver_language::{
    Language,
    predicate::{self, Predicate},
    recall::{self, Recall},
    token::possessor,
    word,
};

use crate::{
    reader::is_person,
    relation::{self, PARTICLES, PLACES, RelationKey, agent, base, is_participle, is_third_person, lemma},
};

/// An end of a relation: its agent or its patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The one who acts: Ann in "Ann manages Bob".
    Agent,
    /// The one acted upon: Bob in "Ann manages Bob".
    Patient,
}

/// A step from one end of a relation to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The relation, in the base form of [`RelationKey`].
    pub relation: String,
    /// The end that the step leads to.
    pub asked: End,
}

impl Step {
    /// Returns the verb of the relation, in the form of [`lemma`].
    pub fn verb(&self) -> &str {
        self.relation.split(' ').next().unwrap_or_default()
    }

    /// Returns the noun between the verb and the preposition of the relation: "gloves" in "order gloves from".
    pub fn noun(&self) -> Option<String> {
        let (_, rest) = self.relation.split_once(' ')?;
        rest.rsplit_once(' ').map(|(noun, _)| noun.to_owned())
    }

    /// Returns whether a relation differs from that of the step in its noun only: "order gloves from" and "order bandages
    /// from".
    pub fn is_of_other_noun(&self, key: &RelationKey) -> bool {
        let ends = |relation: &str| {
            let (verb, rest) = relation.split_once(' ')?;
            let (_, preposition) = rest.rsplit_once(' ')?;
            Some((verb.to_owned(), preposition.to_owned()))
        };
        let (Some((asked, at)), Some((said, with))) = (ends(&self.relation), ends(&key.base)) else {
            return false;
        };
        !self.goes_along(key) && asked == said && (at == with || at == ANYWHERE && is_of_place(&with))
    }

    /// Returns whether a relation differs from that of the step in its preposition only: "meet on" and "meet in".
    pub fn is_of_other_preposition(&self, key: &RelationKey) -> bool {
        let (Some((asked, at)), Some((said, with))) =
            (self.relation.split_once(' '), key.base.split_once(' '))
        else {
            return false;
        };
        let is_preposition = |word: &str| recall::says(word, Recall::Preposition);
        asked == said && at != with && is_preposition(at) && is_preposition(with)
    }

    /// Returns whether the step goes along a relation.
    pub fn goes_along(&self, key: &RelationKey) -> bool {
        // "Whose teacher": a violin teacher, too.
        if let Some(noun) = self.relation.strip_prefix(ANY_KIND_OF) {
            return key.base.strip_suffix(noun).is_some_and(|kind| kind.is_empty() || kind.ends_with(' '));
        }
        let Some(verb) = self.relation.strip_suffix(ANYWHERE) else { return key.base == self.relation };
        key.base.strip_prefix(verb).is_some_and(is_of_place)
    }
}

/// A question as an ordered list of steps from the named entity to the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The entity named in the question.
    pub from: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The expected type of the answer: "cloud provider" in "which cloud provider".
    pub kind: Option<String>,
    /// What else the sentences of the facts have to say: "from Vienna" in "the starter that Ilse brought from Vienna".
    pub also: String,
}

/// Parses a question into steps. Returns `None` if the question has another form.
pub fn steps(question: &str) -> Option<Steps> {
    let (words, lower) = split(question);
    let text = Words { words: &words, lower: &lower };
    let is_asking = |word: &String| matches!(&**word, "who" | "whom" | "whose" | "what" | "which" | "where");
    let start = (0..words.len().min(4)).find(|at| is_asking(&lower[*at]))?;
    let mut end = words.len();
    while end > start + 3 && text.is(end - 1, MOMENTS) {
        end -= 1;
    }
    if end > start + 4 && text.is(end - 2, &["these"]) && text.is(end - 1, &["days"]) {
        end -= 2;
    }
    let mut path = Path::default();
    if end > start + 4 && text.is(end - 2, &["last", "this"]) && text.is_do(start + 1) {
        path.also = words[end - 2..end].join(" ");
        end -= 2;
    }
    if text.is(start, &["whose"]) {
        let from = text.whose(start + 1, end, &mut path)?;
        return Some(Steps { from, steps: path.steps, kind: None, also: path.also });
    }
    let (kind, rest) = text.kind(start)?;
    let from =
        match start.checked_sub(1).map(|before| &*lower[before]).filter(|_| text.is_preposition(start - 1)) {
            // "By whom is Redis run", "In which town is the archive stored".
            Some(preposition) => text.fronted(rest, end, preposition, &mut path)?,
            None if text.is(start, &["where"]) && text.is_preposition(end - 1) => {
                text.stranded(rest, end, &mut path).or_else(|| text.coming_from(rest, end, &mut path))?
            }
            None if text.is(start, &["where"]) => text.fronted(rest, end, ANYWHERE, &mut path)?,
            None => text.predicate(rest, end, &mut path)?,
        };
    let Path { steps, also } = path;
    (!steps.is_empty() && steps.len() <= 3).then_some(Steps { from, steps, kind, also })
}

/// Returns the thing that a question asks about as the subject of its verb, if a determiner marks it: "gym" in "When does
/// the gym open?"
pub fn subject(question: &str) -> Option<String> {
    let (words, lower) = split(question);
    let text = Words { words: &words, lower: &lower };
    let is_asking = |at: usize| text.is(at, &["when", "where", "how", "why", "what", "which"]);
    let auxiliary = (1..words.len().min(6)).find(|at| text.is_do(*at))?;
    let first = auxiliary + 2;
    let is_marked = is_asking(0) && text.is(auxiliary + 1, &["the", "our", "my"]);
    let is_noun = |at: &usize| {
        let is_verb = *at > first && word::is_verb(&lower[*at]);
        text.may_be_verb(*at) && !is_verb && !text.is_preposition(*at)
    };
    let end = (first..words.len()).find(|at| !is_noun(at))?;
    // "The component *that* …" is described.
    (is_marked && end > first && word::is_verb(&lower[end])).then(|| lower[first..end].join(" "))
}

/// The words of a question, as written and in lower case.
fn split(question: &str) -> (Vec<&str>, Vec<String>) {
    let bare = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let written: Vec<&str> =
        bare.split_whitespace().map(|word| word.trim_matches([',', '"', '“', '”'])).collect();
    let next_is = |at: usize, any: &[&str]| written.get(at + 1).is_some_and(|next| any.contains(next));
    let mut words: Vec<&str> = Vec::with_capacity(written.len() + 1);
    for (at, word) in written.iter().enumerate() {
        let contracted = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        match contracted.filter(|asking| ASKING.iter().any(|known| known.eq_ignore_ascii_case(asking))) {
            Some(asking) => words.extend([asking, if next_is(at, &["got", "been"]) { "has" } else { "is" }]),
            None => words.push(word),
        }
    }
    // "Who has got plot 9", "who has been painting it", "who is Bob being managed by".
    words.dedup_by(|word, before| matches!(*before, "has" | "have") && *word == "got");
    for at in (1..words.len().saturating_sub(1)).rev() {
        if words[at - 1] == "has" && words[at] == "been" && words[at + 1].ends_with("ing") {
            words.splice(at - 1..=at, ["is"]);
        }
    }
    words.retain(|word| *word != "being");
    let lower = words.iter().map(|word| word.to_lowercase()).collect();
    (words, lower)
}

/// What a question leads along.
#[derive(Default)]
struct Path {
    steps: Vec<Step>,
    /// What else has to be said.
    also: String,
}

impl Path {
    fn push(&mut self, relation: String, asked: End) {
        self.steps.push(Step { relation, asked });
    }
}

/// Words that ask, and are contracted with "is" and "has".
const ASKING: &[&str] = &["who", "what", "which", "where"];

/// Words at the end of a question that only say that it is about now.
pub const MOMENTS: &[&str] = &["now", "currently", "today"];

/// Words that make a noun after them definite.
const DETERMINERS: &[&str] = &["the", "our", "my", "your", "his", "her", "its", "their"];

/// Words that begin a clause within a question.
const RELATIVE: &[&str] = &["what", "that", "which", "who", "whom", "whoever", "whatever", "where"];

/// Stands for any preposition of place: "where the mask is stored" asks for what it is stored in, at or on.
const ANYWHERE: &str = "*";

/// Stands for any words before the noun of a relation: "whose teacher" may ask for a violin teacher.
const ANY_KIND_OF: &str = "* ";

/// Whether a preposition may introduce the answer to "where".
fn is_of_place(preposition: &str) -> bool {
    ["in", "at", "on", "to", "from"].contains(&preposition)
}

struct Words<'a> {
    words: &'a [&'a str],
    lower: &'a [String],
}

impl Words<'_> {
    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.lower.get(at).is_some_and(|word| any.contains(&word.as_str()))
    }

    fn is_preposition(&self, at: usize) -> bool {
        self.lower.get(at).is_some_and(|word| recall::says(word, Recall::Preposition))
            || self.is(at, &["after", "over", "through", "inside"])
    }

    fn base(&self, at: usize) -> Option<&'static str> {
        base(self.lower.get(at)?)
    }

    fn is_be(&self, at: usize) -> bool {
        self.is(at, &["is", "are", "was", "were", "been"])
    }

    fn is_do(&self, at: usize) -> bool {
        self.is(at, &["does", "do", "did"])
    }

    /// Whether a word is written like a verb and carries a relation, unlike "have" and "the".
    fn may_be_verb(&self, at: usize) -> bool {
        let Some(lower) = self.lower.get(at) else { return false };
        let is_plain = *lower == self.words[at] && lower.chars().all(char::is_alphabetic);
        let is_function = Language::English.class(lower).is_some() && base(lower).is_none();
        is_plain && !is_function && !predicate::says(lower, Predicate::Auxiliary)
    }

    fn is_participle(&self, at: usize) -> bool {
        self.may_be_verb(at) && is_participle(&self.lower[at])
    }

    /// The relation of a verb with a preposition, if one follows.
    fn relation(&self, verb: usize, preposition: Option<&str>) -> String {
        let verb = lemma(&self.lower[verb]);
        preposition.map_or_else(|| verb.to_string(), |preposition| format!("{verb} {preposition}"))
    }

    /// The relation of a verb with the particle and the preposition that stand between it and a position.
    fn relation_with(&self, verb: usize, next: usize) -> String {
        let added = self.lower[verb + 1..next].join(" ");
        self.relation(verb, (!added.is_empty()).then_some(&*added))
    }

    /// Returns the noun after "which" or "what", and the position at which the predicate starts.
    fn kind(&self, start: usize) -> Option<(Option<String>, usize)> {
        let last = self.words.len().min(start + 5);
        let is_noun = |at: usize| self.may_be_verb(at) && !self.lower[at].ends_with("ly");
        let is_auxiliary = |at: usize| self.is_be(at) || self.is_do(at) || self.is(at, &["has", "have"]);
        let is_verb = |at: usize| self.may_be_verb(at) && is_third_person(&self.lower[at]);
        // "Who sewed the costumes for the scene".
        if self.is(start, &["who", "whom"]) && (is_auxiliary(start + 1) || self.may_be_verb(start + 1)) {
            return Some((None, start + 1));
        }
        let auxiliary =
            (start + 1..last).find(|at| is_auxiliary(*at)).filter(|at| (start + 1..*at).all(is_noun));
        // "Which ruling cites it", "which services depend on it", "which painter painted it"; "what feeds it".
        let mut led = start + 2..last;
        let at = auxiliary
            .or_else(|| (!self.is(start, &["which"]) && is_verb(start + 1)).then_some(start + 1))
            .or_else(|| led.find(|at| is_verb(*at) && !self.lower[*at - 1].ends_with('s')))
            .or_else(|| (start + 1..last).find(|at| self.base(*at).is_some() && self.may_be_verb(*at)))
            .or_else(|| (start + 1..last).find(|at| self.is_participle(*at)))
            .or_else(|| {
                let is_plural = |at: &usize| self.lower[*at - 1].ends_with('s') && self.may_be_verb(*at);
                (start + 2..last).find(is_plural)
            })?;
        let kind = self.words[start + 1..at].join(" ");
        Some(((!kind.is_empty()).then_some(kind), at))
    }

    /// Parses the rest of a question that begins with a preposition or with "where", which belongs to the verb: "by whom
    /// is Redis run", "from whom do we order our gloves".
    fn fronted(&self, at: usize, end: usize, preposition: &str, path: &mut Path) -> Option<String> {
        if self.is_be(at) {
            // "Looked after", "locked up".
            let with = usize::from(self.is_preposition(end.checked_sub(1)?) || self.is_particle(end - 1));
            let verb =
                end.checked_sub(1 + with).filter(|verb| *verb > at + 1 && self.is_participle(*verb))?;
            let from = self.thing(at + 1, verb, path)?;
            let by = preposition == "by";
            if with > 0 && !by {
                return None;
            }
            let relation = self
                .relation(verb, (with > 0).then(|| &*self.lower[end - 1]).or((!by).then_some(preposition)));
            path.push(relation, if by { End::Agent } else { End::Patient });
            return Some(from);
        }
        if !self.is_do(at) {
            return None;
        }
        // "Where does Joost's piano teacher live", "where does the hearing take place".
        let takes_place = end > at + 3 && self.is(end - 2, &["take"]) && self.is(end - 1, &["place"]);
        let last = end - 1 - usize::from(takes_place);
        let is_last = last > at + 1 && self.may_be_verb(last) && word::is_verb(&self.lower[last]);
        let verb = if is_last && (at + 1..last).any(|at| possessor(self.words[at]).is_some()) {
            last
        } else {
            (at + 2..end).find(|verb| self.may_be_verb(*verb) && self.ends_clause(at + 1, *verb))?
        };
        let noun = self.noun(verb + 1, end).filter(|(_, next)| *next == end);
        if verb + 1 < end && noun.is_none() {
            return None;
        }
        let from = self.thing(at + 1, verb, path)?;
        let relation = self.relation(verb, None);
        let noun = noun.map(|(noun, _)| format!(" {noun}")).unwrap_or_default();
        path.push(format!("{relation}{noun} {preposition}"), End::Patient);
        Some(from)
    }

    /// Returns a common noun, in the form in which it stands in a relation, and the position after it: "instructions" in
    /// "takes her instructions from Philippe".
    fn noun(&self, at: usize, end: usize) -> Option<(String, usize)> {
        let first = at + usize::from(self.is(at, DETERMINERS));
        let is_noun =
            |at: &usize| self.may_be_verb(*at) && !self.is_preposition(*at) && !self.is_particle(*at);
        let next = (first..end).find(|at| !is_noun(at)).unwrap_or(end);
        (next > first && next - first <= 3).then(|| (self.lower[first..next].join(" "), next))
    }

    fn is_particle(&self, at: usize) -> bool {
        self.is(at, PARTICLES)
    }

    /// Parses "apprentice is Gino" or "teacher lives in Kirchgasse" after "whose".
    fn whose(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let is_verb = |at: usize| self.may_be_verb(at) && is_third_person(&self.lower[at]);
        if let Some(verb) =
            (at + 1..end.min(at + 4)).find(|at| is_verb(*at) && is_person(&self.lower[at - 1]))
        {
            let from = self.predicate(verb, end, path)?;
            path.push(format!("{ANY_KIND_OF}{} of", self.lower[at..verb].join(" ")), End::Patient);
            return Some(from);
        }
        let is = (at + 1..end.min(at + 4)).find(|at| self.is_be(*at))?;
        let from = self.thing(is + 1, end, path)?;
        let noun = self.lower[at..is].join(" ");
        path.push(relation::key(&format!("is the {noun} of")).base, End::Patient);
        Some(from)
    }

    /// Parses a predicate that starts with an auxiliary or a verb and whose subject or object is the answer. Returns
    /// the named entity and appends the steps that start from it.
    fn predicate(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        if self.is_do(at) {
            // "Who does the evening milking": a verb after "does" would have no ending.
            let last = &self.lower[end - 1];
            let is_added = self.is_preposition(end - 1) || self.is_particle(end - 1);
            let is_noun = last.ends_with("ing")
                || last.ends_with('s') && is_third_person(last)
                || !word::is_verb(last) && base(last).is_none() && !is_added;
            if self.is(at + 1, DETERMINERS) && self.is(at, &["does"]) && is_noun {
                let from = self.thing(at + 1, end, path)?;
                path.push("do".to_owned(), End::Agent);
                return Some(from);
            }
            if let Some(from) = self.stranded(at, end, path) {
                return Some(from);
            }
            // "What does Billing depend on", "Who does Bob manage".
            let verb = self.verb_at_end(end).filter(|verb| self.ends_clause(at + 1, *verb))?;
            let from = self.thing(at + 1, verb, path)?;
            self.step(verb, end, End::Patient, path);
            return Some(from);
        }
        if self.is_be(at) {
            return self.being(at, end, path);
        }
        // "Who has a key to the boathouse".
        let noun = at + 1 + usize::from(self.is(at + 1, &["a", "an", "the"]));
        if self.is(at, &["has"]) && self.may_be_verb(noun) && self.is(noun + 1, &["to"]) {
            let from = self.thing(noun + 2, end, path)?;
            path.push(relation::key(&format!("has {} to", self.lower[noun])).base, End::Agent);
            return Some(from);
        }
        // "Who has plot 9".
        if self.is(at, &["has"]) && at > 0 && self.is(at - 1, &["who"]) && !self.is_participle(at + 1) {
            let from = self.thing(at + 1, end, path)?;
            path.push("own".to_owned(), End::Agent);
            return Some(from);
        }
        // "Who manages Bob", "What depends on Ledger".
        if !self.may_be_verb(at) {
            return None;
        }
        // "Who takes instructions from Philippe", "what borrows its atlases from Class 6A".
        if let Some((noun, next)) = self.noun(at + 1, end)
            && self.is_preposition(next)
            && next + 1 < end
        {
            let is_owned = self.is(at + 1, &["its", "his", "her", "their"]);
            let is_named = (next + 1..end).any(|at| self.words[at].starts_with(char::is_uppercase));
            if is_owned || is_named && self.is(next, &["from", "to", "with"]) {
                let from = self.thing(next + 1, end, path)?;
                path.push(format!("{} {noun} {}", self.relation(at, None), self.lower[next]), End::Agent);
                return Some(from);
            }
        }
        // "Who puts the bins out".
        let is_relative = |at: usize| self.is(at, RELATIVE);
        if self.is_particle(end - 1) && end > at + 2 && !(at + 1..end).any(is_relative) {
            let from = self.thing(at + 1, end - 1, path)?;
            path.push(self.relation(at, Some(&self.lower[end - 1])), End::Agent);
            return Some(from);
        }
        // "Who looks after the archive", "who hands over to Reception".
        let is_added = |at: usize| at + 1 < end && (self.is_preposition(at) || self.is_particle(at));
        let mut next = at + 1;
        while next < at + 3 && is_added(next) && (next == at + 1 || self.is_preposition(next)) {
            next += 1;
        }
        let from = self.thing(next, end, path)?;
        path.push(self.relation_with(at, next), End::Agent);
        Some(from)
    }

    /// Parses "do we buy our boats from", where the preposition is at the end.
    fn stranded(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let last = end.checked_sub(1).filter(|last| self.is(*last, &["from", "to"]))?;
        let is_verb = |verb: &usize| self.may_be_verb(*verb) && self.ends_clause(at + 1, *verb);
        let verb = (at + 2..last.saturating_sub(1)).find(is_verb)?;
        let (noun, _) = self.noun(verb + 1, last).filter(|(_, next)| *next == last)?;
        // "The welding crew work for": the noun after the verb has a determiner, or can't be a verb.
        let is_marked = self.is(verb + 1, DETERMINERS);
        if !self.is_do(at) || !is_marked && noun.split(' ').any(word::is_verb) {
            return None;
        }
        let from = self.thing(at + 1, verb, path)?;
        path.push(format!("{} {noun} {}", self.relation(verb, None), self.lower[last]), End::Patient);
        Some(from)
    }

    /// Parses "does our fish come from" after "where".
    fn coming_from(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let verb = end.checked_sub(2).filter(|verb| *verb > at + 1 && word::is_verb(&self.lower[*verb]))?;
        if !self.is_do(at) {
            return None;
        }
        let from = self.thing(at + 1, verb, path)?;
        self.step(verb, end, End::Patient, path);
        Some(from)
    }

    /// Parses a predicate that starts with a form of "be".
    fn being(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let mut first = at + 1;
        while self.is(first, &["now", "currently", "still", "the", "a", "an"]) {
            first += 1;
        }
        if self.is(first, &["responsible"]) && self.is(first + 1, &["for"]) {
            let from = self.thing(first + 2, end, path)?;
            path.push("be responsible for".to_owned(), End::Agent);
            return Some(from);
        }
        // "Who is in bed 12", "which container is aboard the Maren Lykke".
        if self.is(first, PLACES) {
            let from = self.thing(first + 1, end, path)?;
            path.push(self.lower[first].clone(), End::Agent);
            return Some(from);
        }
        // "Who is the owner of Billing".
        if let Some(verb) = self.lower.get(first).and_then(|noun| agent(noun))
            && self.is(first + 1, &["of", "for"])
        {
            let from = self.thing(first + 2, end, path)?;
            path.push(verb.to_owned(), End::Agent);
            return Some(from);
        }
        if let Some(from) = self
            .possessed(at, first, end, path)
            .or_else(|| self.noun_of(at, first, end, path))
            .or_else(|| self.of_noun(at, end, path))
            .or_else(|| self.progressive(at, first, end, path))
        {
            return Some(from);
        }
        // "What is owned by Mo", "Which services are deployed in X".
        if self.is_participle(first) && self.is_preposition(first + 1) && first + 2 < end {
            return self.participle(first, end, path);
        }
        self.ending(at, first, end, path)
    }

    /// Parses a predicate after "be" that ends with a preposition: "Redis run by", "Ada assigned to", "Pilar allergic to".
    fn ending(&self, at: usize, first: usize, end: usize, path: &mut Path) -> Option<String> {
        let last = end.checked_sub(1)?;
        if self.is_preposition(last) && last > first + 1 && self.is_participle(last - 1) {
            let from = self.thing(at + 1, last - 1, path)?;
            let by = self.is(last, &["by"]);
            let relation = self.relation(last - 1, (!by).then(|| &*self.lower[last]));
            path.push(relation, if by { End::Agent } else { End::Patient });
            return Some(from);
        }
        // "Who is the cellar looked after by".
        if self.is(last, &["by"])
            && last > first + 2
            && self.is_preposition(last - 1)
            && self.is_participle(last - 2)
        {
            let from = self.thing(at + 1, last - 2, path)?;
            path.push(self.relation(last - 2, Some(&self.lower[last - 1])), End::Agent);
            return Some(from);
        }
        if self.is(last, &["for"]) && self.is(last - 1, &["responsible"]) && last > first + 1 {
            let from = self.thing(at + 1, last - 1, path)?;
            path.push("be responsible for".to_owned(), End::Patient);
            return Some(from);
        }
        // "What is Pilar allergic to".
        let quality = last.checked_sub(1).filter(|quality| *quality > first && self.may_be_verb(*quality))?;
        if !self.is(last, &["to", "of", "with"]) || !self.words[quality - 1].starts_with(char::is_uppercase) {
            return None;
        }
        let from = self.thing(at + 1, quality, path)?;
        path.push(format!("{} {}", self.lower[quality], self.lower[last]), End::Patient);
        Some(from)
    }

    /// Parses "Billing's owner" after "who is". Of a noun that is no agent's, somebody is it to the owner, as a secretary is,
    /// or does it for the owner: "Delphine's understudy".
    fn possessed(&self, at: usize, first: usize, end: usize, path: &mut Path) -> Option<String> {
        let last = end.checked_sub(1).filter(|last| *last > first)?;
        let owner = possessor(self.words[last - 1])?;
        let noun = &self.lower[last];
        let is_who = at > 0 && self.is(at - 1, &["who"]) && self.may_be_verb(last);
        let relation = match agent(noun) {
            Some(verb) => verb.to_owned(),
            None if !is_who => return None,
            None if is_person(noun) => format!("{noun} of"),
            None => lemma(noun).into_owned(),
        };
        path.push(relation, End::Agent);
        Some([&self.words[first..last - 1], &[owner]].concat().join(" "))
    }

    /// Parses "the apprentice of Marta" after "who is".
    fn noun_of(&self, at: usize, first: usize, end: usize, path: &mut Path) -> Option<String> {
        let is_role = first > at + 1
            && self.is(first - 1, &["the"])
            && self.may_be_verb(first)
            && self.is(first + 1, &["of", "at", "for", "in"])
            && at > 0
            && self.is(at - 1, &["who"]);
        if !is_role {
            return None;
        }
        let from = self.thing(first + 2, end, path)?;
        let said = format!("is the {} {}", self.lower[first], self.lower[first + 1]);
        path.push(relation::key(&said).base, End::Agent);
        Some(from)
    }

    /// Parses "who is Nikos the supervisor of".
    fn of_noun(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let last = end.checked_sub(1).filter(|last| self.is(*last, &["of"]))?;
        let the = (at + 2..last).rev().find(|the| self.is(*the, &["the"]))?;
        let noun = self.lower.get(the + 1..last).filter(|noun| (1..=2).contains(&noun.len()))?.join(" ");
        let from = self.thing(at + 1, the, path)?;
        path.push(relation::key(&format!("is the {noun} of")).base, End::Patient);
        Some(from)
    }

    /// Parses "who is suing Mr Grebe", "what is the tug Marlin towing", "whom is Briony teaching to shear".
    fn progressive(&self, at: usize, first: usize, end: usize, path: &mut Path) -> Option<String> {
        let is_gerund = |at: &usize| {
            let lower = &self.lower[*at];
            self.may_be_verb(*at)
                && lower.len() > 4
                && lower.ends_with("ing")
                && !self.is(*at - 1, &["the", "a", "our"])
                && !self.is_preposition(*at - 1)
                && !self.is(*at - 1, &["of"])
        };
        let verb = (first..end).find(is_gerund)?;
        let relation = self.relation(verb, None);
        if verb == at + 1 {
            let from = self.thing(verb + 1, end, path)?;
            path.push(relation, End::Agent);
            return Some(from);
        }
        let from = self.thing(at + 1, verb, path)?;
        path.also = self.words[verb + 1..end].join(" ");
        path.push(relation, End::Patient);
        Some(from)
    }

    /// Parses "owned by Mo", "deployed in X", whose subject is the answer.
    fn participle(&self, at: usize, end: usize, path: &mut Path) -> Option<String> {
        let from = self.thing(at + 2, end, path)?;
        let by = self.is(at + 1, &["by"]);
        let relation = self.relation(at, (!by).then(|| &*self.lower[at + 1]));
        path.push(relation, if by { End::Patient } else { End::Agent });
        Some(from)
    }

    /// Appends the step of a verb, with the particle and the preposition after it.
    fn step(&self, verb: usize, end: usize, asked: End, path: &mut Path) {
        let is_added = |at: &usize| self.is_preposition(*at) || self.is_particle(*at);
        let next = (verb + 1..end).find(|at| !is_added(at)).unwrap_or(end);
        path.push(self.relation_with(verb, next), asked);
    }

    /// Parses a name, or a clause that describes an entity. The steps of a clause are appended first.
    fn thing(&self, start: usize, end: usize, path: &mut Path) -> Option<String> {
        if start >= end {
            return None;
        }
        let mut first = start;
        while first < end && self.is(first, &["the", "a", "an", "our", "now", "currently"]) {
            first += 1;
        }
        // "the owner of Billing".
        if let Some(verb) = self.lower.get(first).and_then(|noun| agent(noun))
            && self.is(first + 1, &["of", "for"])
        {
            let from = self.thing(first + 2, end, path)?;
            path.push(verb.to_owned(), End::Agent);
            return Some(from);
        }
        // "what Billing depends on", "the service that Billing depends on", "the vault where the mask is stored".
        let relative = (first..end).find(|at| self.is(*at, RELATIVE));
        if let Some(relative) = relative {
            if relative + 1 >= end {
                return None;
            }
            let led =
                relative.checked_sub(1).filter(|before| *before >= first && self.is_preposition(*before));
            let fronted = match led {
                Some(before) => Some(&*self.lower[before]),
                None => self.is(relative, &["where"]).then_some(ANYWHERE),
            };
            // If a verb follows the pronoun, the pronoun is its subject.
            let is_subject = || {
                let is_finite = is_third_person(&self.lower[relative + 1])
                    || self.is(relative, &["who"]) && self.is_participle(relative + 1);
                self.is_be(relative + 1) || self.may_be_verb(relative + 1) && is_finite
            };
            if fronted.is_none() && is_subject() {
                return self.predicate(relative + 1, end, path);
            }
            return self.clause(relative + 1, end, fronted, path);
        }
        // "the platform maintained by Hugo".
        let participle = (first + 1..end.saturating_sub(2))
            .find(|at| self.is_participle(*at) && self.is_preposition(*at + 1));
        if let Some(participle) = participle.filter(|_| first > start) {
            return self.participle(participle, end, path);
        }
        if first > start
            && let Some(name) = self.reduced(first, end)
        {
            return self.clause(name, end, None, path);
        }
        if let Some(from) = self.of_owner(first, end, path) {
            return Some(from);
        }
        let name = self.words[first..end].join(" ");
        // A verb inside the phrase means that it is a clause of an unsupported form.
        let verb = (first..end).any(|at| {
            self.is_be(at) || (self.lower[at] == self.words[at] && relation::is_present(&self.lower[at]))
        });
        (!verb && !name.is_empty()).then_some(name)
    }

    /// The name at which a clause without a pronoun begins, in "service Billing depends on": a name inside a phrase with a
    /// verb at its end. The phrase begins with a common noun: not "Act Two props".
    fn reduced(&self, first: usize, end: usize) -> Option<usize> {
        let is_name = |at: usize| self.words[at].starts_with(char::is_uppercase);
        if end < first + 3 || is_name(first) {
            return None;
        }
        let last = end - 1;
        let verb = last - usize::from(self.is_preposition(last) || self.is(last, PLACES));
        let is_passive = self.is_be(verb - 1) && self.is_participle(verb);
        let is_place = self.is_be(verb) && verb < last && self.is(last, PLACES);
        let is_of_name =
            is_name(verb - 1) && (is_third_person(&self.lower[verb]) || self.is_participle(verb));
        let is_verb = self.base(verb).is_some() || is_passive || is_place || is_of_name;
        (first + 1..end).find(|at| is_name(*at)).filter(|_| verb > first + 1 && is_verb)
    }

    /// Parses "Joost's piano teacher".
    fn of_owner(&self, first: usize, end: usize, path: &mut Path) -> Option<String> {
        let owner = (first..end.saturating_sub(1)).find(|at| possessor(self.words[*at]).is_some())?;
        let noun = &self.lower[end - 1];
        let is_role = is_person(noun) && (agent(noun).is_none() || owner + 2 < end);
        if !is_role || !self.words[first].starts_with(char::is_uppercase) {
            return None;
        }
        path.push(format!("{} of", self.lower[owner + 1..end].join(" ")), End::Agent);
        Some([&self.words[first..owner], &[possessor(self.words[owner])?]].concat().join(" "))
    }

    /// Parses "Billing depends on", whose object is the answer. A preposition before the clause belongs to its verb.
    fn clause(&self, start: usize, end: usize, fronted: Option<&str>, path: &mut Path) -> Option<String> {
        if let Some(from) = self.compound(start, end, path) {
            return Some(from);
        }
        // "Ilse brought from Vienna": the rest has to be said, too.
        let is_name = |at: usize| self.words[at].starts_with(char::is_uppercase);
        let names = (start..end).take_while(|at| is_name(*at)).count();
        let inner = Some(start + names).filter(|at| {
            names > 0
                && fronted.is_none()
                && *at + 2 < end
                && self.may_be_verb(*at)
                && is_participle(&self.lower[*at])
        });
        if let Some(verb) = inner {
            path.also = self.words[verb + 1..end].join(" ");
            path.push(self.relation(verb, None), End::Patient);
            return Some(self.words[start..verb].join(" "));
        }
        // "Mr. Kowalczyk is in".
        if end > start + 2 && self.is_be(end - 2) && self.is(end - 1, PLACES) && fronted.is_none() {
            let from = self.thing(start, end - 2, path)?;
            path.push(self.lower[end - 1].clone(), End::Patient);
            return Some(from);
        }
        let verb = self.verb_at_end(end).filter(|verb| *verb > start)?;
        let passive = self.is_be(verb - 1) && self.is_participle(verb);
        let last = if passive { verb - 1 } else { verb };
        let from = self.thing(start, last, path)?;
        if passive && self.is(verb + 1, &["by"]) {
            path.push(self.relation(verb, None), End::Agent);
            return Some(from);
        }
        match fronted {
            Some(preposition) if verb + 1 == end => {
                path.push(self.relation(verb, Some(preposition)), End::Patient);
            }
            Some(_) => return None,
            None => self.step(verb, end, End::Patient, path),
        }
        Some(from)
    }

    /// Parses "the Train Scene takes props from", whose object is the answer.
    fn compound(&self, start: usize, end: usize, path: &mut Path) -> Option<String> {
        let last = end.checked_sub(1).filter(|last| self.is_preposition(*last))?;
        let is_verb = |at: &usize| {
            self.may_be_verb(*at) && is_third_person(&self.lower[*at]) && word::is_verb(&self.lower[*at])
        };
        let verb = (start + 1..last.saturating_sub(1)).find(is_verb)?;
        let (noun, next) = self.noun(verb + 1, last)?;
        if next != last {
            return None;
        }
        let from = self.thing(start, verb, path)?;
        path.push(format!("{} {noun} {}", self.relation(verb, None), self.lower[last]), End::Patient);
        Some(from)
    }

    /// Returns whether a word is the verb of a clause, and not part of its object: "they paint the crane", "Ada bought in
    /// town". A word that is not known as a verb is one if there is no other.
    fn ends_clause(&self, start: usize, verb: usize) -> bool {
        let is_led =
            self.is_preposition(verb - 1) || self.is(verb - 1, &["the", "a", "an", "our", "my", "their"]);
        let is_known = |at: usize| {
            let lower = &self.lower[at];
            *lower == self.words[at] && (word::is_verb(lower) || matches!(&**lower, "do" | "have" | "be"))
        };
        verb > start && !is_led && (is_known(verb) || !(start..verb).any(is_known))
    }

    /// Returns the position of the verb at the end of a clause, which a particle and a preposition may follow.
    fn verb_at_end(&self, end: usize) -> Option<usize> {
        let is_added = |at: usize| self.is_preposition(at) || self.is_particle(at);
        let mut verb = end.checked_sub(1)?;
        // "Hand over to".
        while verb + 3 > end && is_added(verb) {
            verb = verb.checked_sub(1)?;
        }
        self.may_be_verb(verb).then_some(verb)
    }
}

/// A fact as an edge between two names.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The relation and its direction.
    pub key: RelationKey,
    /// The subject of the fact.
    pub subject: String,
    /// The object of the fact.
    pub object: String,
}

impl Edge {
    /// Returns the name at an end.
    pub fn at(&self, end: End) -> &str {
        if (end == End::Agent) == self.key.inverted { &self.object } else { &self.subject }
    }
}

impl End {
    /// Returns the opposite end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Agent => Self::Patient,
            Self::Patient => Self::Agent,
        }
    }
}

/// Follows the steps along the facts. Returns every path that reaches the end, as positions in `edges`. If a step
/// finds no fact, the result is empty. `same` decides whether a name refers to an end of an edge, which it gets with the
/// position of the edge.
pub fn follow(steps: &Steps, edges: &[Edge], same: &dyn Fn(&str, &str, usize) -> bool) -> Vec<Vec<usize>> {
    let mut paths: Vec<(Vec<usize>, String)> = vec![(Vec::new(), steps.from.clone())];
    for step in &steps.steps {
        let mut next: Vec<(Vec<usize>, String)> = Vec::new();
        for (path, name) in &paths {
            for (at, edge) in edges.iter().enumerate() {
                let given = edge.at(step.asked.other());
                if step.goes_along(&edge.key) && !path.contains(&at) && same(name, given, at) {
                    let mut path = path.clone();
                    path.push(at);
                    next.push((path, edge.at(step.asked).to_owned()));
                }
            }
        }
        paths = next;
    }
    paths.into_iter().map(|(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Option<String> {
        let Steps { from, steps, kind, also } = steps(question)?;
        let steps: Vec<String> = steps
            .iter()
            .map(|step| format!("{} {}", if step.asked == End::Agent { "←" } else { "→" }, step.relation))
            .collect();
        let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        let also = if also.is_empty() { also } else { format!(" + {also}") };
        Some(format!("{from} {}{kind}{also}", steps.join(" ")))
    }

    #[test]
    fn questions_are_steps_in_their_order() {
        for (question, expect) in [
            ("Who manages Bob?", Some("Bob ← manage")),
            ("Who does Bob manage?", Some("Bob → manage")),
            ("Who is Bob managed by?", Some("Bob ← manage")),
            ("Who is the manager of Bob?", Some("Bob ← manage")),
            ("Who is Bob's manager?", Some("Bob ← manage")),
            ("What is owned by Mo?", Some("Mo → own")),
            ("What feeds Revenue?", Some("Revenue ← feed")),
            ("What does Revenue feed?", Some("Revenue → feed")),
            ("What does Billing depend on?", Some("Billing → depend on")),
            ("Who owns what Billing depends on?", Some("Billing → depend on ← own")),
            ("Who owns what depends on Ledger?", Some("Ledger ← depend on ← own")),
            ("Who owns the service that Billing depends on?", Some("Billing → depend on ← own")),
            ("Who owns the service Billing depends on?", Some("Billing → depend on ← own")),
            ("Who manages the owner of Billing?", Some("Billing ← own ← manage")),
            ("Who is the manager of the person who owns Billing?", Some("Billing ← own ← manage")),
            ("What is Agent Implementer assigned to?", Some("Agent Implementer → assign to")),
            ("Which services are deployed in Oslo?", Some("Oslo ← deploy in (services)")),
            ("Which cloud provider do we use?", Some("we → use (cloud provider)")),
            ("Which storage does Project Alpha use?", Some("Project Alpha → use (storage)")),
            ("Who is responsible for the ferry?", Some("ferry ← be responsible for")),
            ("Whom does Tomas supervise?", Some("Tomas → supervise")),
            ("Who lends to Harbour Gallery?", Some("Harbour Gallery ← lend to")),
            ("Which station precedes Millbrook?", Some("Millbrook ← precede (station)")),
            ("Which station does Millbrook precede?", Some("Millbrook → precede (station)")),
            ("Which ruling cites the Mercer Ruling?", Some("Mercer Ruling ← cite (ruling)")),
            ("What drains into the Copper Kettle?", Some("Copper Kettle ← drain into")),
            ("Who tutors Lucia?", Some("Lucia ← tutor")),
            ("Who is tutored by Lucia?", Some("Lucia → tutor")),
            ("Who succeeded Gray?", Some("Gray ← succeed")),
            ("Who did Gray succeed?", Some("Gray → succeed")),
            ("By whom is the Egyptian wing curated?", Some("Egyptian wing ← curate")),
            ("What is the Battery Bus powered by?", Some("Battery Bus ← power")),
            ("What is Lund responsible for?", Some("Lund → be responsible for")),
            ("Where is the archive stored?", Some("archive → store *")),
            ("In which town is the archive stored?", Some("archive → store in (town)")),
            ("Who guards the vault where the mask is stored?", Some("mask → store * ← guard")),
            ("What is stored in the vault that Peter guards?", Some("Peter → guard ← store in")),
            ("Who cleans the cellar in which Amber Ale is stored?", Some("Amber Ale → store in ← clean")),
            (
                "Which train departs from the platform maintained by Hugo?",
                Some("Hugo → maintain ← depart from (train)"),
            ),
            (
                "Who maintains the platform that Train 88 departs from?",
                Some("Train 88 → depart from ← maintain"),
            ),
            (
                "Which group does the inn where stew is served belong to?",
                Some("stew → serve * → belong to (group)"),
            ),
            ("What does Lucia tutor?", Some("Lucia → tutor")),
            ("Whose nephew is Birk?", Some("Birk → nephew of")),
            ("Who is Birk the nephew of?", Some("Birk → nephew of")),
            ("What is Mo the owner of?", Some("Mo → own")),
            ("Who has plot 9?", Some("plot 9 ← own")),
            ("Who has left Redis?", None),
            ("Who is the nephew of Mayor Lund?", Some("Mayor Lund ← nephew of")),
            ("From whom do we buy our strings?", Some("we → buy strings from")),
            ("To whom do we lease the orchard?", Some("we → lease orchard to")),
            ("Who takes orders from Captain Lund?", Some("Captain Lund ← take orders from")),
            (
                "Who leads the choir that borrows its music from Lund?",
                Some("Lund ← borrow music from ← lead"),
            ),
            (
                "Who heats the hall that the Harbour Choir gets power from?",
                Some("Harbour Choir → get power from ← heat"),
            ),
            ("Who locks up the small hall?", Some("small hall ← lock up")),
            ("By whom is the hall in the harbour locked up now?", Some("hall in the harbour ← lock up")),
            ("Who sewed the sails for the old boat?", Some("sails for the old boat ← sew")),
            ("Whom is Birk teaching to row?", Some("Birk → teach + to row")),
            ("Who is pulling the barge Luna?", Some("barge Luna ← pull")),
            ("What is the tug that is pulling the barge Luna towed by?", Some("barge Luna ← pull ← tow")),
            (
                "Which harp was made with the wood that Ilse brought from Bergen?",
                Some("Ilse → bring ← make with (harp) + from Bergen"),
            ),
            ("What did Ronja paint last week?", Some("Ronja → paint + last week")),
            ("What colour did they paint the crane?", None),
            ("What did Ada buy in town?", None),
            ("What did Ada eat yesterday?", None),
            ("What does Team Birch own?", Some("Team Birch → own")),
            ("Who looks after the cellar?", Some("cellar ← look after")),
            ("Who is the cellar looked after by?", Some("cellar ← look after")),
            ("What lighting does East Hall have?", None),
            ("What severity does fault 209 have now?", None),
            ("What is the speed limit of Bridge Street?", None),
            ("Why is the sky blue?", None),
            ("When did Ada leave?", None),
            ("What is the colour of the crane?", None),
        ] {
            assert_eq!(read(question).as_deref(), expect, "{question}");
        }
    }

    #[test]
    fn clauses_without_a_pronoun_and_prepositions_at_the_end_are_read() {
        for (question, expect) in [
            ("Who has a key to the boathouse?", Some("boathouse ← key to")),
            ("Where do we get our compost from?", Some("we → get compost from")),
            ("Who owns the shed where the boat Ilse rows in is kept?", Some("Ilse → row in → keep * ← own")),
            (
                "Who is the man who built the barn where the bell hangs married to?",
                Some("bell → hang * ← build → marry to"),
            ),
            ("Where do we rent our lights from?", Some("we → rent lights from")),
            ("What does the welding crew work for?", Some("welding crew → work for")),
        ] {
            assert_eq!(read(question).as_deref(), expect, "{question}");
        }
    }

    #[test]
    fn places_posts_and_possessors_are_steps() {
        for (question, expect) in [
            ("Who is in bed 12?", Some("bed 12 ← in")),
            ("Who guards the vault the Blue Mask is kept in?", Some("Blue Mask → keep in ← guard")),
            ("Who owns the barge that crate 7 is aboard?", Some("crate 7 → aboard ← own")),
            ("Which crate is aboard the barge that Ilse owns?", Some("Ilse → own ← aboard (crate)")),
            ("Who is Ilse's secretary?", Some("Ilse ← secretary of")),
            ("Who is Ilse's stunt?", Some("Ilse ← stunt")),
            ("Who is Ilse being trained by?", Some("Ilse ← train")),
            ("Where does Ilse's piano teacher live?", Some("Ilse ← piano teacher of → live *")),
            ("Where does Friday's debate take place?", Some("Friday's debate → take place *")),
            ("Whose teacher lives in Bergen?", Some("Bergen ← live in → * teacher of")),
            ("What is Ilse allergic to?", Some("Ilse → allergic to")),
            ("Who puts the lamps out?", Some("lamps ← put out")),
            ("Who does the glazing?", Some("glazing ← do")),
            ("Who does the night rota?", Some("night rota ← do")),
            ("Who does the night crew train?", Some("night crew → train")),
            ("Where does our clay come from?", Some("clay → come from")),
            ("Who looks after the Act Two lamps?", Some("Act Two lamps ← look after")),
            ("Who's painting the barge Luna?", Some("barge Luna ← paint")),
            ("Who's been painting the barge Luna?", Some("barge Luna ← paint")),
            ("Who's got plot 9?", Some("plot 9 ← own")),
            ("What's Billing hosted on?", Some("Billing → host on")),
            ("Who hands over to the night crew?", Some("night crew ← hand over to")),
            ("Who does the night crew hand over to?", Some("night crew → hand over to")),
            ("Who checks what the mill runs off?", Some("mill → run off ← check")),
            ("What is the status of planning file 8?", None),
        ] {
            assert_eq!(read(question).as_deref(), expect, "{question}");
        }
    }

    #[test]
    fn the_subject_of_a_verb_is_the_thing_asked_about() {
        assert_eq!(subject("When does the gym open?").as_deref(), Some("gym"));
        assert_eq!(subject("How do our deep wells run?").as_deref(), Some("deep wells"));
        assert_eq!(subject("Where does the part that Luna calls keep its keys?"), None);
        assert_eq!(subject("What is the price of the loaf?"), None);
    }

    #[test]
    fn steps_are_followed_in_their_direction() {
        let edge = |subject: &str, predicate: &str, object: &str| Edge {
            key: relation::key(predicate),
            subject: subject.to_owned(),
            object: object.to_owned(),
        };
        let edges = [
            edge("Billing", "DEPENDS_ON", "Ledger"),
            edge("Team Fox", "OWNS", "Billing"),
            edge("Ledger", "is owned by", "Team Owl"),
        ];
        let follow = |question: &str| follow(&steps(question).expect("steps"), &edges, &|a, b, _| a == b);
        assert_eq!(follow("Who owns what Billing depends on?"), [[0, 2]]);
        assert_eq!(follow("Who owns what depends on Ledger?"), [[0, 1]]);
        assert_eq!(follow("Who owns Billing?"), [[1]]);
        assert!(follow("What does Ledger depend on?").is_empty());
    }
}
