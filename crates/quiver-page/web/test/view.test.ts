import { expect, test } from 'vitest';

import { gapOf, kindOf } from '../src/ask/answer.tsx';
import { inPlainOrder } from '../src/ask/cards.tsx';
import { spansOf } from '../src/ask/marks.ts';
import { hashOf, hashOfAsked, hashOfFollowUp, placeOf } from '../src/ask/place.ts';
import { asText } from '../src/ask/plain.ts';
import { chainsOf, describing, litBy, supportOf, unsaid, viewOf } from '../src/ask/view.ts';
import { recorded, viewed } from './recorded.ts';

const PLAINLY = { without: [], asOf: '', meanings: {}, pinned: [] };

const titles = (cards: { title: string }[]) => cards.map((card) => card.title);

test('what plain search alone would show stands beside what was shown', () => {
  const view = viewed('answer');
  expect(titles(view.ranked)).toEqual([
    'Atrial fibrillation',
    'Antixabin',
    'Trombexan',
    'Heart failure',
    'Sorrel & Daughters',
  ]);
  expect(titles(view.plain)).toEqual([
    'Atrial fibrillation',
    'Antixabin',
    'Pregnancy Medicines Line',
    'Sorrel & Daughters',
    'Medicines Committee',
  ]);
  expect(view.ranked.map((card) => card.isPlain)).toEqual([true, true, false, false, true]);
});

test('what the answer may use is sorted as plain search has it; last comes what it does not find', () => {
  const { ranked } = viewed('answer');
  const sorted = inPlainOrder(ranked);
  const places = sorted.map(({ candidate }) => candidate.plain_rank ?? Infinity);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(new Set(sorted)).toEqual(new Set(ranked));
  expect(titles(sorted)).not.toEqual(titles(ranked));
});

test('the words of the question that describe are those that passages on the cited way say, and no names', () => {
  const view = viewed('answer');
  const { parts, names } = view.explanation;
  const words = [...describing(view)].map((at) => parts[at]!.text);
  expect(words).toEqual(['dissolved', 'preferred', 'anticoagulant', 'keep']);
  expect([...describing(view)].some((at) => names.some(({ first, end }) => first <= at && at < end))).toBe(false);
  view.answered.citations = [];
  expect(describing(view).size).toBe(0);
});

test('passages of one document without titles are told apart by what they say', () => {
  const answered = recorded('answer');
  const { candidates } = answered.trace!.explanation!;
  for (const [at, text] of ['Redis is run by Mo.', `${'Mo '.repeat(40)}`].entries()) {
    Object.assign(candidates[at]!, { title: null, document: 'ops', text });
  }
  Object.assign(candidates[2]!, { title: null, document: 'notes.txt' });
  const [first, second, third] = [...viewOf(answered)!.cards.values()].map(({ title }) => title);
  expect([first, third]).toEqual(['ops: Redis is run by Mo.', 'notes.txt']);
  expect(second).toMatch(/^ops: Mo( Mo)+…$/);
});

test('what is copied commands no terminal', () => {
  const answered = recorded('answer');
  answered.answer = '\u001b[31mfour\u001b[0m\thours\u0007\u009b2J';
  const view = viewOf(answered)!;
  expect(asText(view)).toContain('Answer: [31mfour[0m\thours2J\n');
});

test('pointing at a passage lights its way and the words of the question on it', () => {
  const view = viewed('answer');
  const antixabin = view.ranked.find((card) => card.title === 'Antixabin')!;
  const lit = litBy(view, antixabin.passage);
  const lights = titles([...lit.passages].map((passage) => view.cards.get(passage)!));
  expect(lights).toEqual(['Atrial fibrillation', 'Trombexan', 'Antixabin']);
  const words = [...lit.parts].sort((a, b) => a - b).map((part) => view.explanation.parts[part]!.text);
  expect(words).toEqual(['dissolved', 'preferred', 'atrial', 'fibrillation', 'anticoagulant', 'keep']);
});

test('a sentence that is not sure is no answer, and what is missing is told', () => {
  expect(kindOf(recorded('answer'))).toBe('answer');
  expect(gapOf(recorded('answer'))).toBeNull();
  const found = recorded('found');
  expect(kindOf(found)).toBe('found');
  const relation = 'This sentence does not say the relation that the question asks for.';
  expect(gapOf(found)).toEqual({ names: [], text: relation });
  const view = viewed('found');
  expect(gapOf(found, view)).toEqual({ names: unsaid(view), text: relation });
  // Whatever the passages on the way do not say is missing.
  view.cards.forEach(({ candidate }) => (candidate.parts = []));
  expect(unsaid(view)).toHaveLength(4);
  expect(kindOf({ ...found, found: [] })).toBe('refused');
  const uncovered = { ...found, refusal: { reason: 'not_covered', text: '', words: ['gout'] } };
  expect(kindOf(uncovered)).toBe('refused');
  expect(gapOf(uncovered, view)).toEqual({ names: ['gout'], text: 'Nothing on this path speaks of it.' });
});

test('an answer is copied with the sentences that lead to it', () => {
  const asked = { question: 'q', without: ['a', 'b'], asOf: '2026-03-01', meanings: { norby: 'e1' }, pinned: ['e3'] };
  expect(asText(viewed('answer'), asked).split('\n').slice(1, 6)).toEqual([
    'As it was on 2026-03-01',
    'Passages left out: 2',
    '“norby” means e1',
    'Starts also from: e3',
    '',
  ]);
  expect(asText(viewed('answer'))).toBe(`Once dissolved, how long does the antidote to the preferred atrial fibrillation anticoagulant keep?

Answer: four hours

Atrial fibrillation: “From two points upward an anticoagulant is offered, and the preferred one at Lanternfield is trombexan, for it needs no regular blood count.”
  ↓ trombexan
Trombexan: “When bleeding threatens life, the effect is reversed with antixabin; for lesser bleeding it is enough to omit two capsules.”
  ↓ antixabin
Antixabin: “Once dissolved it keeps for four hours.”
`);
});

test('a passage shows the sentences that the answer rests on', () => {
  const view = viewed('answer');
  const support = view.ranked.map((card) => supportOf(view, card.passage));
  expect(support[1]).toEqual(['Once dissolved it keeps for four hours.']);
  expect(support.every((sentences) => sentences.length > 0)).toBe(true);
});

test('an answer without a trace is not drawn', () => {
  const { trace: _, ...answered } = recorded('answer');
  expect(viewOf(answered)).toBeNull();
});

test('marks are whole texts, and the first of two that overlap counts', () => {
  const marks = [
    { text: 'b c', mark: 'one' },
    { text: 'c d', mark: 'two' },
    { text: '', mark: 'three' },
    { text: 'x', mark: 'four' },
  ];
  expect(spansOf('a b c d', marks)).toEqual([
    { text: 'a ', mark: null },
    { text: 'b c', mark: 'one' },
    { text: ' d', mark: null },
  ]);
  expect(spansOf('', marks)).toEqual([]);
});

test('a permalink holds any question', () => {
  for (const question of ['Who? & what = #1', '</script>', 'é 🜁', '100 %?']) {
    expect(placeOf(hashOf(question))).toEqual({ tab: 'ask', question, ...PLAINLY, said: '' });
    expect(placeOf(hashOfFollowUp(question, 'And it?'))).toEqual({ tab: 'ask', question, ...PLAINLY, said: 'And it?' });
  }
  expect(placeOf('')).toEqual({ tab: 'ask', question: '', ...PLAINLY, said: '' });
  expect(placeOf('#/documents')).toEqual({ tab: 'documents', question: '', ...PLAINLY, said: '' });
  expect(hashOfFollowUp('Who?', 'Who?')).toBe(hashOf('Who?'));
});

test('a permalink holds what is left out and the day that is asked for', () => {
  const asked = { question: 'Who & what?', without: ['a', 'b&c=d'], asOf: '2026-03-01', meanings: { 'a=b &': 'e1', norby: 'e2' }, pinned: ['e3', 'e4'] };
  expect(placeOf(hashOfAsked(asked))).toEqual({ tab: 'ask', ...asked, said: '' });
  expect(hashOfAsked({ question: 'Who?', ...PLAINLY })).toBe(hashOf('Who?'));
  expect(placeOf('#/ask?q=x&as_of=soon&without=a&without=a&pin=e1&pin=e1')).toEqual({
    tab: 'ask',
    question: 'x',
    without: ['a'],
    asOf: '',
    meanings: {},
    pinned: ['e1'],
    said: '',
  });
});

test('a cited sentence that the way to another one says is not told twice', () => {
  const answered = recorded('answer');
  const [last] = answered.citations;
  const { from, sentence } = last!.path[0]!;
  const first = { ...last!, passage: from, sentence: sentence!, path: [] };
  const other = { ...first, sentence: 'Something else.' };
  expect(chainsOf({ ...answered, citations: [first, last!, other] })).toEqual([last, other]);
});
