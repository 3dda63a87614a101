//! Features of the final ranking: how well a passage answers the question by itself, how it was reached, and the kind
//! of question and corpus.
//!
//! The features of [`crate::feature`] show which passages lead on. They are relative to the question's best
//! candidate, so they do not separate good passages from poor ones. The features here add absolute measures:
//! coverage, proximity, exact phrases and several BM25 variants. They also add features of the question and the
//! corpus that are the same for all candidates; from these the ranking learns how far to trust the graph.

use std::collections::BTreeMap;

use quiver_graph::PassageId;
use quiver_language::term::whole_terms;
use quiver_models::Lexical;

use crate::{
    analysis::Stemmed,
    feature::{FEATURES_COUNT, Observation, Relevance, ScoringPass, features},
    pool::{Candidate, Pool, RouteKind},
    question::Query,
    terms::{QueryTerm, TermBits},
};

/// Number of words in a proximity window.
const WINDOW_WORDS: usize = 16;
/// Maximum distance of two words in a passage to count as adjacent, so that stop words may stand between.
const PAIR_DISTANCE: usize = 3;
/// Number of top passages by BM25 from which the features of the corpus are computed.
const GROUND_PASSAGES: usize = 20;
/// A title with more words than this is not a name.
const NAME_WORDS_MAX: usize = 6;
/// BM25 `k1`, the saturation of term frequency, of the variants computed here.
const K1: f32 = 1.2;

macro_rules! features {
    ($($constant:ident $name:literal,)*) => {
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Index { $($constant,)* }
        /// The names of the features, in order.
        pub const RELEVANCE_FEATURES: &[&str] = &[$($name,)*];
    };
}

features! {
    // BM25: relative to the best candidate, reciprocal rank, and share of the question's total weight.
    LexicalRelative "lexical_relative",
    LexicalRank "lexical_rank",
    LexicalShare "lexical_share",
    // BM25 variants: with the pool's mean length, with weak length normalisation, with the title as a field.
    MeanLength "bm25_mean_length",
    LittleLength "bm25_little_length",
    TitleField "bm25_title_field",
    // Plain search score; dense score, relative to the best and as reciprocal rank.
    Plain "plain",
    Dense "dense_relative",
    DenseRank "dense_rank",
    // Coverage of the question: by weight, relative to the best, by count, and whether it contains the rarest term.
    Cover "cover",
    CoverRelative "cover_relative",
    CoverCount "cover_count",
    CoverRarest "cover_rarest",
    // Coverage of its best sentence, best two adjacent sentences and best window; share of adjacent word pairs.
    Sentence "best_sentence",
    Sentences "best_sentences",
    Window "best_window",
    Pairs "pairs",
    // Share of the question that the title covers, and share of the title that the question covers.
    TitleCover "title_cover",
    TitleSaid "title_said",
    // Log length relative to the mean of the top passages by BM25.
    Length "length",
    // Routes to it: number of source passages, number with names, best joint coverage with a source, and the coverage
    // that it adds to the top passage by BM25.
    Sources "sources",
    ForwardSources "forward_sources",
    CarrySources "carry_sources",
    CoverTogether "cover_together",
    CoverNew "cover_new",
    // Probabilities of the three stages of the linear scorer, and rank by the last.
    StageSeeds "stage_seeds",
    StageHops "stage_hops",
    StageBridges "stage_bridges",
    StageRank "stage_rank",
    // Features of the question.
    QuestionTerms "question_terms",
    QuestionNamed "question_named",
    QuestionAbout "question_about",
    QuestionUnknown "question_unknown",
    BestCover "best_cover",
    BestShare "best_share",
    SecondBest "second_best",
    BestSentence "best_sentence_of_all",
    // Features of the corpus, from the top passages by BM25.
    CorpusTitled "corpus_titled",
    CorpusNames "corpus_title_names",
    CorpusTitleSubjects "corpus_subjects",
    CorpusLength "corpus_length",
    CorpusRoutes "corpus_routes",
    BestStage "best_stage",
    // Reciprocal rank by plain search; 0 if plain search did not find it. The gate knows it; trees are fitted without.
    PlainRank "plain_rank",
}

/// The number of features.
pub const RELEVANCE_COUNT: usize = RELEVANCE_FEATURES.len();

/// The length of a candidate's row: [`FEATURES`](crate::feature::FEATURES), then [`RELEVANCE_FEATURES`].
pub const ROW_LENGTH: usize = FEATURES_COUNT + RELEVANCE_COUNT;

/// Number of top candidates by each measure that the final ranking orders.
const CONSIDERED: usize = 30;

/// Computes the input of the final ranking from the linear scorer's input `observed` and its probabilities `stages`.
pub(crate) fn relevance(
    pool: &Pool,
    query: &Query,
    lexical: &Lexical,
    observed: &Observation,
    stages: &[Vec<f32>],
) -> Relevance {
    let candidates: Vec<&Candidate> = pool.candidates.values().collect();
    let last = stages.last().map(Vec::as_slice).unwrap_or_default();
    let orders = Orders {
        lexical: ranks(&candidates.iter().map(|candidate| candidate.lexical).collect::<Vec<_>>()),
        plain: ranks(&candidates.iter().map(|candidate| candidate.plain).collect::<Vec<_>>()),
        dense: ranks(&candidates.iter().map(|candidate| candidate.dense.unwrap_or(0.0)).collect::<Vec<_>>()),
        stage: ranks(last),
    };
    let is_considered = |at: &usize| {
        orders.lexical[*at] < CONSIDERED
            || orders.stage[*at] < CONSIDERED
            || (query.dense.is_some() && orders.dense[*at] < CONSIDERED)
    };
    let considered: Vec<usize> = (0..candidates.len()).filter(is_considered).collect();
    let before = stages.len().checked_sub(2).map(|at| stages[at].as_slice());
    let routed = features(observed, before, ScoringPass::Bridges);
    let scene = Scene::of(pool, &candidates, query, lexical, last, orders);
    let rows = considered.iter().map(|&at| {
        let mut row = routed[at].to_vec();
        row.extend(scene.row(at, stages));
        row
    });
    Relevance { rows: rows.collect(), considered }
}

/// The rank of every candidate by each measure.
struct Orders {
    lexical: Vec<usize>,
    plain: Vec<usize>,
    dense: Vec<usize>,
    stage: Vec<usize>,
}

/// A question with its candidates, and the values that features are relative to.
struct Scene<'a> {
    candidates: &'a [&'a Candidate],
    query: &'a Query,
    orders: Orders,
    question: QuestionWords,
    ground: [f32; RELEVANCE_COUNT],
    forms: Vec<[f32; 3]>,
    best_forms: [f32; 3],
    best_lexical: f32,
    best_dense: f32,
    best_cover: f32,
    length_mean: f32,
    /// Question terms in the top passage by BM25, and the heaviest term that any passage contains, as bit sets.
    first: u128,
    rarest: u128,
    indices: BTreeMap<PassageId, usize>,
}

impl<'a> Scene<'a> {
    fn of(
        pool: &Pool,
        candidates: &'a [&'a Candidate],
        query: &'a Query,
        lexical: &Lexical,
        last: &[f32],
        orders: Orders,
    ) -> Self {
        let bits = &query.bits;
        let question = QuestionWords::of(query, lexical);
        let mut by_words: Vec<usize> = (0..candidates.len()).collect();
        by_words.sort_by_key(|&at| orders.lexical[at]);
        by_words.truncate(GROUND_PASSAGES);
        let mean = |value: &dyn Fn(&Candidate) -> f32| -> f32 {
            by_words.iter().map(|&at| value(candidates[at])).sum::<f32>() / by_words.len().max(1) as f32
        };
        let most = |value: &dyn Fn(&Candidate) -> f32| {
            candidates.iter().map(|candidate| value(candidate)).fold(0.0, f32::max).max(f32::MIN_POSITIVE)
        };
        let length_mean = mean(&|candidate| candidate.analysis.length as f32).max(1.0);
        let forms: Vec<[f32; 3]> =
            candidates.iter().map(|candidate| forms(candidate, query, length_mean)).collect();
        let best_forms = std::array::from_fn(|form| {
            forms.iter().map(|forms| forms[form]).fold(f32::MIN_POSITIVE, f32::max)
        });
        let said = candidates.iter().fold(0, |said, candidate| said | candidate.covered);
        Self {
            ground: ground(candidates, &by_words, query, last, &mean),
            rarest: rarest(said, bits),
            first: by_words.first().map_or(0, |&at| candidates[at].covered),
            best_lexical: most(&|candidate| candidate.lexical),
            best_dense: most(&|candidate| candidate.dense.unwrap_or(0.0)),
            best_cover: most(&|candidate| bits.share(candidate.covered)),
            indices: pool.candidates.keys().copied().zip(0..).collect(),
            candidates,
            query,
            orders,
            question,
            forms,
            best_forms,
            length_mean,
        }
    }

    /// Computes the features of a candidate.
    fn row(&self, at: usize, stages: &[Vec<f32>]) -> [f32; RELEVANCE_COUNT] {
        let (candidate, bits) = (self.candidates[at], &self.query.bits);
        let mut row = self.ground;
        let mut set = |feature: Index, value: f32| row[feature as usize] = value;
        let by_rank = |rank: usize| 1.0 / (1.0 + rank as f32);
        set(Index::LexicalRelative, candidate.lexical / self.best_lexical);
        set(Index::LexicalRank, by_rank(self.orders.lexical[at]));
        set(Index::LexicalShare, candidate.lexical / bits.all);
        for (form, index) in
            [Index::MeanLength, Index::LittleLength, Index::TitleField].into_iter().enumerate()
        {
            set(index, self.forms[at][form] / self.best_forms[form]);
        }
        set(Index::Plain, candidate.plain);
        if candidate.plain > 0.0 {
            set(Index::PlainRank, by_rank(self.orders.plain[at]));
        }
        if let Some(dense) = candidate.dense {
            set(Index::Dense, (dense / self.best_dense).max(0.0));
            set(Index::DenseRank, by_rank(self.orders.dense[at]));
        }
        let cover = bits.share(candidate.covered);
        set(Index::Cover, cover);
        set(Index::CoverRelative, cover / self.best_cover);
        set(Index::CoverCount, candidate.covered.count_ones() as f32 / self.query.terms.len().max(1) as f32);
        set(Index::CoverRarest, f32::from(u8::from(candidate.covered & self.rarest != 0)));
        let (window, pairs) = self.question.proximity(&candidate.analysis.sequence, bits);
        set(Index::Sentence, best_run(&candidate.sentences, 1, bits));
        set(Index::Sentences, best_run(&candidate.sentences, 2, bits));
        set(Index::Window, window);
        set(Index::Pairs, pairs);
        set(
            Index::TitleCover,
            bits.share(bits.covered_by(candidate.analysis.lead.iter().flat_map(Stemmed::hashes))),
        );
        set(Index::TitleSaid, candidate.title);
        set(Index::Length, (candidate.analysis.length.max(1) as f32 / self.length_mean).ln());
        let ways = Ways::of(candidate, self.candidates, &self.indices, bits);
        set(Index::Sources, (1.0 + ways.sources as f32).ln());
        set(Index::ForwardSources, (1.0 + ways.forward as f32).ln());
        set(Index::CarrySources, (1.0 + ways.carry as f32).ln());
        set(Index::CoverTogether, ways.together);
        set(Index::CoverNew, bits.share(candidate.covered & !self.first));
        for (index, stage) in
            [Index::StageSeeds, Index::StageHops, Index::StageBridges].into_iter().zip(stages)
        {
            set(index, stage[at]);
        }
        set(Index::StageRank, self.orders.stage.get(at).map_or(0.0, |&rank| by_rank(rank)));
        row
    }
}

/// Returns the bit of the heaviest of these terms.
fn rarest(said: u128, bits: &TermBits) -> u128 {
    let each = (0..128).map(|bit| 1_u128 << bit).filter(|bit| said & bit != 0);
    each.max_by(|a, b| bits.weight(*a).total_cmp(&bits.weight(*b)).then(b.cmp(a))).unwrap_or(0)
}

/// Computes the mean of a value over the top passages by BM25.
type Mean<'a> = dyn Fn(&dyn Fn(&Candidate) -> f32) -> f32 + 'a;

/// Computes the features that are the same for all candidates.
fn ground(
    candidates: &[&Candidate],
    by_words: &[usize],
    query: &Query,
    stage: &[f32],
    mean: &Mean<'_>,
) -> [f32; RELEVANCE_COUNT] {
    let bits = &query.bits;
    let mut row = [0.0; RELEVANCE_COUNT];
    let mut set = |feature: Index, value: f32| row[feature as usize] = value;
    let names = query.linked.iter().filter(|link| link.is_name);
    let named = names.clone().fold(0, |words, link| words | link.words);
    let about = names
        .filter(|link| query.statistics.passages_about(link.entity.id) > 0)
        .fold(0, |words, link| words | link.words);
    let said = candidates.iter().fold(0, |said, candidate| said | candidate.covered);
    let best = |rank: usize| by_words.get(rank).map_or(0.0, |&at| candidates[at].lexical);
    set(Index::QuestionTerms, (1.0 + query.terms.len() as f32).ln());
    set(Index::QuestionNamed, bits.share(named));
    set(Index::QuestionAbout, bits.share(about));
    set(Index::QuestionUnknown, 1.0 - bits.share(said));
    let covers = by_words.iter().map(|&at| bits.share(candidates[at].covered));
    set(Index::BestCover, covers.fold(0.0, f32::max));
    set(Index::BestShare, best(0) / bits.all);
    set(Index::SecondBest, best(1) / best(0).max(f32::MIN_POSITIVE));
    let sentences = by_words.iter().map(|&at| best_run(&candidates[at].sentences, 1, bits));
    set(Index::BestSentence, sentences.fold(0.0, f32::max));
    let one = |is: bool| f32::from(u8::from(is));
    set(Index::CorpusTitled, mean(&|candidate| one(candidate.passage.title.is_some())));
    set(Index::CorpusNames, mean(&|candidate| one(is_titled_by_name(candidate))));
    set(Index::CorpusTitleSubjects, mean(&|candidate| one(!candidate.passage.subjects.is_empty())));
    set(Index::CorpusLength, mean(&|candidate| (1.0 + candidate.analysis.length as f32).ln()));
    let is_forward = |candidate: &Candidate| {
        candidate.routes.iter().filter(|route| matches!(route.kind, RouteKind::Forward { .. })).count() as f32
    };
    set(Index::CorpusRoutes, (1.0 + mean(&is_forward)).ln());
    set(Index::BestStage, stage.iter().copied().fold(0.0, f32::max));
    row
}

/// Whether the title looks like a name: few words, at least two thirds of them with a capital or a digit.
fn is_titled_by_name(candidate: &Candidate) -> bool {
    let Some(title) = &candidate.passage.title else { return false };
    let is_big = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || c == '(');
    let words: Vec<&str> = title.split_whitespace().collect();
    words.len() <= NAME_WORDS_MAX && words.iter().filter(|word| is_big(word)).count() * 3 >= words.len() * 2
}

/// Returns the rank of each value in descending order; ties by index.
fn ranks(values: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    let mut ranks = vec![0; values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// BM25 variants: with the mean length of the top passages, with weak length normalisation, with title terms counted
/// three times.
fn forms(candidate: &Candidate, query: &Query, length_mean: f32) -> [f32; 3] {
    let analysis = &candidate.analysis;
    let relative = analysis.length as f32 / length_mean;
    let is_titled = candidate.passage.title.is_some();
    let mut forms = [0.0; 3];
    for term in &query.terms {
        let count = analysis.count_of(term);
        if count <= 0.0 {
            continue;
        }
        let in_title = is_titled && analysis.lead.iter().any(|word| word.hashes().any(|hash| term.is(hash)));
        let counts = [count, count, if in_title { count + 2.0 } else { count }];
        for ((form, b), count) in forms.iter_mut().zip([0.75, 0.25, 0.75]).zip(counts) {
            *form += term.weight * count * (K1 + 1.0) / (count + K1 * (1.0 - b + b * relative));
        }
    }
    forms
}

/// Returns the best question coverage of any `count` adjacent sentences.
fn best_run(sentences: &[u128], count: usize, bits: &TermBits) -> f32 {
    if sentences.len() < count {
        return bits.share(sentences.iter().fold(0, |all, sentence| all | sentence));
    }
    let runs = sentences.windows(count).map(|run| run.iter().fold(0, |all, sentence| all | sentence));
    let mut best = (0, 0.0_f32);
    for run in runs {
        // Most runs cover no term that the best lacks.
        if run & !best.0 != 0 {
            let share = bits.share(run);
            if share > best.1 {
                best = (run, share);
            }
        }
    }
    best.1
}

/// The question's words in order.
struct QuestionWords {
    /// Pairs of adjacent words as bits, with their share of all pairs' weight.
    pairs: Vec<(Option<u32>, Option<u32>, f32)>,
    /// A bit per hash modulo 128, to skip most words of a passage quickly.
    filter: u128,
}

impl QuestionWords {
    fn of(query: &Query, lexical: &Lexical) -> Self {
        let terms = lexical.terms(query.question.text.trim());
        let words: Vec<u32> =
            whole_terms(&terms).filter(|term| !term.is_stop).map(|term| term.hash).collect();
        let weight =
            |hash: u32| query.terms.iter().find(|term| term.is(hash)).map_or(0.0, |term| term.weight);
        let bit = |hash: u32| query.bits.bit(hash);
        let mut pairs: Vec<_> = words
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .map(|pair| (bit(pair[0]), bit(pair[1]), weight(pair[0]) + weight(pair[1])))
            .collect();
        let all: f32 = pairs.iter().map(|pair| pair.2).sum::<f32>().max(f32::MIN_POSITIVE);
        pairs.iter_mut().for_each(|pair| pair.2 /= all);
        let hashes = query.terms.iter().flat_map(QueryTerm::hashes);
        let filter = hashes.fold(0, |filter, hash| filter | 1_u128 << (hash % 128));
        Self { pairs, filter }
    }

    /// Returns the best coverage of any window of a passage, and the weighted share of the question's adjacent pairs
    /// that occur close together in it, in order.
    fn proximity(&self, sequence: &[Stemmed], bits: &TermBits) -> (f32, f32) {
        let bit = |hash: &u32| (self.filter >> (hash % 128) & 1 == 1).then(|| bits.bit(*hash)).flatten();
        let hits: Vec<(usize, u32)> = sequence
            .iter()
            .enumerate()
            .filter_map(|(at, word)| Some((at, bit(&word.term).or_else(|| bit(word.stem.as_ref()?))?)))
            .collect();
        let mut best = (0_u128, 0.0_f32);
        let mut found = vec![false; self.pairs.len()];
        for (start, &(at, first)) in hits.iter().enumerate() {
            let mut said = 0;
            for &(other, word) in hits[start..].iter().take_while(|(other, _)| *other < at + WINDOW_WORDS) {
                said |= 1 << word;
                if other > at && other <= at + PAIR_DISTANCE {
                    for (pair, found) in self.pairs.iter().zip(&mut found) {
                        *found |= (pair.0, pair.1) == (Some(first), Some(word));
                    }
                }
            }
            if said & !best.0 != 0 {
                let share = bits.share(said);
                if share > best.1 {
                    best = (said, share);
                }
            }
        }
        let pairs = self.pairs.iter().zip(&found).filter(|(_, found)| **found).map(|(pair, _)| pair.2).sum();
        (best.1, pairs)
    }
}

/// The routes that lead to a candidate.
struct Ways {
    sources: usize,
    forward: usize,
    carry: usize,
    /// The best joint coverage with a passage that leads to it by name.
    together: f32,
}

impl Ways {
    fn of(
        candidate: &Candidate,
        candidates: &[&Candidate],
        indices: &BTreeMap<PassageId, usize>,
        bits: &TermBits,
    ) -> Self {
        let mut sources: Vec<(PassageId, bool, bool)> = Vec::new();
        for route in &candidate.routes {
            let is_forward = matches!(route.kind, RouteKind::Forward { .. });
            let is_carry = matches!(route.kind, RouteKind::Carry { is_about: true, .. });
            match sources.iter_mut().find(|source| source.0 == route.from) {
                Some(known) => *known = (route.from, known.1 | is_forward, known.2 | is_carry),
                None => sources.push((route.from, is_forward, is_carry)),
            }
        }
        let strong = sources.iter().filter(|source| source.1 || source.2);
        let covered = strong.filter_map(|source| indices.get(&source.0)).map(|&at| candidates[at].covered);
        let together = covered.map(|from| bits.share(from | candidate.covered)).fold(0.0, f32::max);
        Self {
            sources: sources.len(),
            forward: sources.iter().filter(|source| source.1).count(),
            carry: sources.iter().filter(|source| source.2).count(),
            together,
        }
    }
}
