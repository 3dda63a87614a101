import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';

import { changesOf, Difference, saidIn } from '../src/ask/difference.tsx';
import { Differently } from '../src/ask/differently.tsx';
import { recorded, viewed } from './recorded.ts';

test('passages come, go and move', () => {
  const { ranked, plain } = viewed('answer');
  const titles = (cards: { title: string }[]) => cards.map((card) => card.title);
  const { came, went, moved } = changesOf(plain, ranked);
  expect(titles(came)).toEqual(['Trombexan', 'Heart failure']);
  expect(titles(went)).toEqual(['Pregnancy Medicines Line', 'Medicines Committee']);
  expect(moved.map(({ card, from, to }) => [card.title, from, to])).toEqual([['Sorrel & Daughters', 4, 5]]);
  expect(changesOf(ranked, ranked)).toEqual({ came: [], went: [], moved: [] });
  expect(changesOf([], ranked).came).toEqual(ranked);
});

test('an answer is told in one line', () => {
  expect(saidIn(recorded('answer'))).toBe('four hours');
  const found = recorded('found');
  expect(saidIn(found)).toBe(`Found, but not sure: “${found.found[0]!.sentence}”`);
  expect(saidIn({ ...found, found: [] })).toBe('No answer');
});

test('the difference shows both answers and both lists, or says that the passages are the same', () => {
  const [before, now] = [viewed('answer'), viewed('answer')];
  expect(renderToString(<Difference before={before} now={now} />)).toContain('The passages are the same');
  now.ranked = now.ranked.slice(1);
  const drawn = renderToString(<Difference before={before} now={now} />);
  expect(drawn).toContain('<strong>Gone:</strong> <span><bdi>Atrial fibrillation</bdi>');
  expect(drawn).toContain('Antixabin, from place 2 to 1');
  expect(drawn.match(/<path/g)).toHaveLength(now.ranked.length);
});

test('what is left out and the day that is asked for stand below the question', () => {
  const drawn = (without: string[], asOf: string) =>
    renderToString(<Differently asked={{ question: 'Who?', without, asOf, meanings: { norby: 'e1' }, pinned: ['e2'] }} />);
  expect(drawn(['<b>'], '')).toContain('aria-label="Put back &lt;b>"');
  expect(drawn([], '')).toContain('“norby” means e1');
  expect(drawn([], '')).toContain('aria-label="Any meaning of norby"');
  expect(drawn([], '')).toContain('Starts also from: <bdi>e2</bdi>');
  expect(drawn([], '')).toContain('aria-label="Unpin e2"');
  expect(drawn([], '')).not.toContain('Left out');
  expect(drawn([], '')).not.toContain('Clear the day');
  expect(drawn([], '2026-03-01')).toContain('value="2026-03-01"');
  expect(drawn([], '2026-03-01')).toContain('Clear the day');
});
