//! Questions that also ask for texts about the nodes they find: "…, and what is the migration guidance?"

use quiver_language::{
    asking::Asking,
    pack::{Class, Kind},
    word::beginning,
};

use super::{
    Asked, Understood,
    grammar::{Found, Reader},
};

impl Reader<'_> {
    /// Returns a question as it is, and with what its last clause also asks for.
    pub(super) fn with_more_asked(&self, found: &Found<Understood>) -> Vec<Found<Understood>> {
        let mut all = vec![found.clone()];
        all.extend(self.with_state_asked(found));
        all.extend(self.with_property_asked(found));
        all.extend(self.with_texts_asked(found));
        all.extend(self.with_which(found));
        all
    }

    /// Parses a question for nodes whose last clause asks for something outside the graph. If the clause contains a
    /// word of the graph, it would be another query, unless it asks for advice.
    fn with_texts_asked(&self, found: &Found<Understood>) -> Option<Found<Understood>> {
        let start = self.after_and(found.end).filter(|start| self.is_kind(*start, Kind::Question))?;
        let is_of_grammar = |at: usize| self.words.list[at].class.is_some();
        let end = self.words.list.len();
        let content: Vec<usize> = (start + 1..end).filter(|at| !is_of_grammar(*at)).collect();
        let is_other = content.iter().any(|at| self.words.is_known(self.vocabulary, *at));
        if content.is_empty()
            || (is_other && !self.asks_for_advice(start))
            || found.item.asked != Asked::Nodes
            || found.item.extreme.is_some()
        {
            return None;
        }
        let mut asked = found.clone();
        asked.end = end;
        asked.item.texts_on = content.iter().map(|at| beginning(&self.words.list[*at].norm)).collect();
        asked.notes.push(self.note(
            start,
            end,
            "texts linked to what was found, those with these words first",
        ));
        Some(asked)
    }

    /// Whether a clause asks what to do or how something is done: "what are the instructions for …", "how are they …".
    fn asks_for_advice(&self, start: usize) -> bool {
        let is_auxiliary = |at: usize| self.word(at).is_some_and(|word| word.class == Some(Class::Auxiliary));
        if self.is(start, &["how"]) {
            return is_auxiliary(start + 1) || self.is(start + 1, &["to"]);
        }
        if !self.is(start, &["what"]) || !is_auxiliary(start + 1) {
            return false;
        }
        // The noun ends at the first preposition.
        let rest = start + 2..self.words.list.len();
        let noun = rest.take_while(|at| !self.is_preposition(*at)).last();
        self.is(start + 1, &["should"])
            || noun.is_some_and(|noun| self.phrase(noun, Asking::Advice).is_some())
    }
}
