//! The objects that frames take, and what may follow them.

use quiver_language::{Language, life::Life};

use super::{
    frame::{Frame, Object},
    lexicon::Class,
    line::{Gap, Line},
    moment::Moment,
    noun::{Determiner, Noun},
};

/// The rest of a clause after its object.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    pub(super) end: usize,
    pub(super) moment: Option<Moment>,
    /// The start of a state.
    pub(super) since: Option<i64>,
}

impl Line<'_> {
    /// Returns the objects of a frame at a position, and the position after them.
    pub(super) fn objects(&self, at: usize, frame: &Frame) -> Option<(Vec<String>, usize)> {
        if let Object::Title = frame.object {
            let token = self.tokens.get(at).filter(|token| token.is_title())?;
            // "I saw "That"": a quoted word, not a title.
            if Language::English.class(&token.text.to_lowercase()).is_some() {
                return None;
            }
            return Some((vec![token.text.to_owned()], at + 1));
        }
        if let Object::Age = frame.object {
            self.lower(at).parse::<u32>().ok().filter(|age| (1..=120).contains(age))?;
            return Some((vec![self.lower(at).to_owned()], at + 1));
        }
        if let Object::Activity = frame.object {
            let lower = self.lower(at);
            let noun =
                matches!(lower, "something" | "nothing" | "anything" | "everything" | "morning" | "evening");
            let known = lower.ends_with("ing") && lower.len() > 5 && !noun;
            return known.then(|| (vec![lower.to_owned()], at + 1));
        }
        let noun = self.noun(at)?;
        let noun = if frame.attaches { self.attached(noun) } else { noun };
        let object = self.object_of(noun, frame.object)?;
        let mut objects = vec![object];
        let mut end = noun.end;
        // "two daughters and a son", "Danish and Polish".
        while matches!(frame.object, Object::Only(_))
            && frame.words.first().is_some_and(|word| matches!(*word, "have" | "speak"))
        {
            let next = end + usize::from(self.is(end, &["and"]));
            let listed = next < self.len() && (next > end || self.tokens[end - 1].gap == Gap::Comma);
            let more = listed.then(|| self.noun(next)).flatten();
            let Some((more, object)) =
                more.and_then(|noun| Some((noun, self.object_of(noun, frame.object)?)))
            else {
                break;
            };
            if !self.is_break(more.end) && !self.is_of(more.end, Life::Following) {
                break;
            }
            objects.push(object);
            end = more.end;
        }
        Some((objects, end))
    }

    /// Renders a noun phrase if a frame takes it.
    fn object_of(&self, noun: Noun, object: Object) -> Option<String> {
        let bound = match noun.determiner {
            Determiner::Indefinite | Determiner::Number => true,
            Determiner::The | Determiner::None => self.has_mark(noun.start, noun.end),
            Determiner::My => false,
            Determiner::This => matches!(object, Object::Only(classes) if classes.contains(&Class::Pet)),
        };
        let text = self.text(noun.start, noun.end);
        // "adoption agencies": a plural with a modifier.
        let plural = noun.determiner == Determiner::None
            && noun.core - noun.start > 1
            && self.lower(noun.core - 1).ends_with('s');
        // "My second race" is one of several.
        let is_counted = noun.determiner == Determiner::My
            && noun.core - noun.start == 2
            && self.is_of(noun.start, Life::Ordinal);
        if is_counted {
            return None;
        }
        let in_class =
            |classes: &[Class]| classes.iter().find(|class| self.head(noun, **class).is_some()).copied();
        match object {
            Object::Name => (self.is_name(noun.start, noun.end)
                && matches!(noun.determiner, Determiner::None | Determiner::The))
            .then_some(text),
            Object::Thing => ((bound || plural) && !self.is_any_employer(noun)).then_some(text),
            Object::Own => (bound || noun.determiner == Determiner::My).then(|| self.object(noun)).flatten(),
            Object::Of(classes) => {
                let named = self.is_name(noun.start, noun.core) && noun.determiner != Determiner::My;
                let fits = in_class(classes).is_some() && (bound || noun.determiner == Determiner::My);
                (named || fits).then_some(text)
            }
            Object::Only(classes) | Object::Dated(classes) | Object::Lasting(classes) => {
                let class = in_class(classes)?;
                if class == Class::Language && noun.determiner != Determiner::None {
                    return None;
                }
                let alone = matches!(
                    class,
                    Class::Language | Class::Instrument | Class::Sport | Class::Condition | Class::Birth
                );
                // "I started college", but not "I finished class".
                let alone =
                    alone || matches!(text.as_str(), "college" | "university") || text.ends_with(" school");
                let fits = bound
                    || plural
                    || noun.determiner == Determiner::My
                    || noun.determiner == Determiner::None && alone;
                fits.then_some(text)
            }
            Object::Field => {
                let short = noun.core - noun.start <= 4 && noun.determiner != Determiner::My;
                let plain = (noun.start..noun.end)
                    .all(|at| !self.is_of(at, Life::NoField) && !self.is_of(at, Life::Light));
                (short && plain && !self.is_any_employer(noun)).then(|| self.text(noun.start, noun.end))
            }
            Object::Title | Object::Activity | Object::When | Object::Age => None,
        }
    }

    /// Whether a noun phrase does not identify the employer: "a small company".
    fn is_any_employer(&self, noun: Noun) -> bool {
        let first = noun.start + usize::from(self.is_of(noun.start, Life::Size));
        let is_whole = noun.end == noun.core && noun.core == first + 1;
        is_whole && noun.determiner != Determiner::None && self.is_of(first, Life::Employer)
    }

    /// Checks that a clause may end at a position, and returns its end with the moment that follows.
    pub(super) fn tail(&self, at: usize) -> Option<Tail> {
        let mut tail = Tail { end: at, moment: None, since: None };
        if let Some((end, since)) = self.since(at).filter(|_| !self.is_break(at)) {
            (tail.end, tail.since) = (end, since);
        }
        if let Some(moment) = self.past_moment(tail.end) {
            (tail.end, tail.moment) = (moment.end, Some(moment));
        }
        // A clause does not end inside a name: "Wellness" in "Wellness Together Canada".
        let is_inside = at > 0
            && self.joins(at - 1)
            && tail.end == at
            && self.has_mark(at - 1, at)
            && self
                .tokens
                .get(at)
                .is_some_and(|token| token.is_marked() && !self.is(at, &["i", "i'm", "i've"]));
        if is_inside {
            return None;
        }
        let follows = self.is_break(tail.end)
            || self.is_of(tail.end, Life::Following)
            || self.is_of(tail.end, Life::Adverb);
        if !follows || self.is(tail.end, &["anymore"]) {
            return None;
        }
        let mut at = tail.end;
        while !self.is_break(at)
            && !self.is_of(at, Life::Elsewhere)
            && tail.moment.is_none_or(|moment| moment.range.is_none())
        {
            if let Some(moment) = self.past_moment(at) {
                tail.moment = Some(moment);
                tail.end = moment.end;
                at = moment.end;
            } else {
                at += 1;
            }
        }
        Some(tail)
    }
}

/// Returns a frame without words, for its object.
pub(super) fn frame_of(object: Object) -> Frame {
    Frame { words: &[], predicate: None, object, attaches: false }
}
