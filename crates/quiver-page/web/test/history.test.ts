import { expect, test } from 'vitest';

import { datedOf, daysOf, elementOf, endedIn, isLater, stateOf } from '../src/ask/history.ts';
import type { Fact } from '../src/forms.ts';

const at = (day: string) => Date.parse(day);

function fact(id: string, object: string, from: string, more: Partial<Fact> = {}): Fact {
  const said = { denied: false, holds: true, valid_to: null, session: 'ops', speaker: null, decision: null };
  return { id, subject: 'Redis', predicate: 'is run by', object, valid_from: at(from), sentence: `Redis is run by ${object}.`, ...said, ...more };
}

const MO = fact('1', 'Mo', '2024-01-02', { holds: false });
const LENA = fact('2', 'Lena', '2025-03-04', { decision: 'takes the place of earlier values' });

test('a fact is ended by the one that took its place, by what denies it, or on its own day', () => {
  const ends = (facts: Fact[]) => datedOf(facts).map(({ fact, end, by }) => [fact.id, end, by?.id ?? null]);
  expect(ends([LENA, MO])).toEqual([['1', at('2025-03-04'), '2'], ['2', null, null]]);
  const denied = fact('3', 'Mo', '2024-06-01', { denied: true });
  expect(ends([LENA, MO, denied])[0]).toEqual(['1', at('2024-06-01'), '3']);
  expect(ends([{ ...MO, valid_to: at('2024-02-01') }])).toEqual([['1', at('2024-02-01'), null]]);
  expect(ends([{ ...MO, holds: true }, { ...LENA, decision: 'undone: takes the place' }]).map(([, end]) => end)).toEqual([null, null]);
  expect(ends([MO, { ...LENA, predicate: 'is paid by' }]).map(([, end]) => end), 'another fact ends nothing').toEqual([null, null]);
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
  const stays = fact('4', 'Norby', '2020-01-01', { predicate: 'stands in' });
  expect(daysOf({ times, facts: [] }, datedOf([MO, LENA, stays]))).toEqual(['2024-01-02', '2025-03-04', '2025-06-02', '2026-05-01']);
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

test('the ID of a passage is the number that queries have', () => {
  expect(elementOf('c6bf7fac-f9b8-546d-a09b-7988c0a4e097')).toBe('264181461435941719624989686385730707607');
  expect(elementOf('copy-7')).toBe('');
});
