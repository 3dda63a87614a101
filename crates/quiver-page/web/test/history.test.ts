import { expect, test } from 'vitest';

import { dated, datedOf, daysOf, endedIn, history, isLater, learn, stateOf } from '../src/ask/history.ts';
import type { DatedFact } from '../src/forms.ts';
import { viewed } from './recorded.ts';

const at = (day: string) => Date.parse(day);

function fact(id: string, object: string, from: string, more: Partial<DatedFact> = {}): DatedFact {
  const said = { denied: false, holds: true, end: null, ended_by: null, session: 'ops' };
  return { id, subject: 'Redis', predicate: 'is run by', object, begin: at(from), sentence: `Redis is run by ${object}.`, ...said, ...more };
}

const MO = fact('1', 'Mo', '2024-01-02', { holds: false, end: at('2025-03-04'), ended_by: '2' });
const LENA = fact('2', 'Lena', '2025-03-04');

test('a fact stands beside the one that ended it', () => {
  const ends = (facts: DatedFact[]) => datedOf(facts).map(({ fact, by }) => [fact.id, by?.id ?? null]);
  expect(ends([LENA, MO])).toEqual([['2', null], ['1', '2']]);
  expect(ends([MO]), 'what ended it is not told').toEqual([['1', null]]);
});

test('an answer tells its times, and those of the same question stay known', () => {
  const view = viewed('answer');
  const [first, second] = view.explanation.candidates;
  const told = (of: typeof view, candidates: typeof view.explanation.candidates, facts?: DatedFact[]) =>
    learn({ ...of, explanation: { ...of.explanation, candidates, ...(facts ? { facts } : {}) } });
  told(view, [{ ...first!, time: 1 }, second!], [MO, LENA]);
  expect([...history.value.times]).toEqual([[first!.passage, 1]]);
  expect(dated.value.map(({ fact, by }) => [fact.object, by?.object ?? null])).toEqual([['Mo', 'Lena'], ['Lena', null]]);
  told(view, [{ ...second!, time: 2 }], [{ ...MO, end: 3 }]);
  expect(history.value.times.size).toBe(2);
  expect(history.value.facts.map(({ id, end }) => [id, end])).toEqual([['1', 3], ['2', null]]);
  told({ ...view, answered: { ...view.answered, question: 'another' } }, [first!]);
  expect(history.value).toEqual({ times: new Map(), facts: [] });
});

test('facts come, hold and end over the days', () => {
  const [mo, lena] = datedOf([MO, LENA]);
  const states = (day: string) => [stateOf(mo!, day), stateOf(lena!, day)];
  expect(states('2023-01-01')).toEqual(['later', 'later']);
  expect(states('2024-01-02')).toEqual(['holds', 'later']);
  expect(states('2025-03-04')).toEqual(['ended', 'holds']);
  expect(states('')).toEqual(['ended', 'holds']);
});

test('the days are those on which something changes, and what was said in the course of a day counts from the next', () => {
  const times = new Map([['a', Date.parse('2025-06-01T12:30Z')], ['b', at('2026-05-01')], ['c', at('2026-05-01')], ['d', -5], ['e', 9e15]]);
  expect(daysOf({ times, facts: [MO, LENA] })).toEqual(['2024-01-02', '2025-03-04', '2025-06-02', '2026-05-01']);
  expect(isLater({ times, facts: [] }, 'a', '2025-06-01')).toBe(true);
  expect(isLater({ times, facts: [] }, 'a', '2025-06-02')).toBe(false);
  expect(isLater({ times, facts: [] }, 'a', '')).toBe(false);
  expect(isLater({ times, facts: [] }, 'unknown', '1900-01-01')).toBe(false);
});

test('a passage says facts that have ended', () => {
  const dated = datedOf([MO, LENA]);
  const said = { document: 'ops', text: 'Hello. Redis is run by Mo. Bye.' };
  expect(endedIn(dated, said, '').map(({ fact }) => fact.id)).toEqual(['1']);
  expect(endedIn(dated, said, '2024-06-01')).toEqual([]);
  expect(endedIn(dated, { ...said, document: 'other' }, '')).toEqual([]);
});
