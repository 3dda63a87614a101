import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';

import { Drawing, Followed } from '../src/ask/ways.tsx';
import { viewed } from './recorded.ts';

test('the same trace gives the same drawing, byte for byte', async () => {
  const draw = () => {
    const view = viewed('answer');
    return renderToString(<Drawing view={view} ways={view.ways} />);
  };
  expect(draw()).toBe(draw());
  await expect(draw().replaceAll('><', '>\n<')).toMatchFileSnapshot('recorded/answer.svg.html');
});

test('each passage tells the way to it in words', () => {
  const view = viewed('answer');
  const drawn = renderToString(<Drawing view={view} ways={view.ways} />);
  expect(drawn).toContain('Antixabin: it is about “antixabin”, which the passage before mentions. Path: Atrial fibrillation, then Trombexan, then Antixabin');
});

test('hostile titles are text', () => {
  const view = viewed('answer');
  for (const card of view.cards.values()) card.title = '<img src=x onerror=alert(1)>';
  const drawn = renderToString(<Drawing view={view} ways={view.ways} />);
  expect(drawn).not.toContain('<img');
});

test('what a budget cut is a stub with the names cut', () => {
  const view = viewed('answer');
  const drawn = () => renderToString(<Followed view={view} />);
  expect(drawn(), 'answers of earlier versions tell of no cuts').not.toContain('stub');
  const [known] = [...view.cards.keys()];
  view.explanation.cuts = [
    { hop: 2, budget: 'passages_followed', passages_count: 1238, names: [{ name: '<b>', passages_count: 1 }, { name: 'Known', passage: known!, passages_count: 1 }] },
    { hop: 2, budget: 'passages_read', passages_count: 3, names: [{ name: 'Runde', passages_count: 3 }] },
  ];
  expect(drawn()).toContain('<summary>+1,238 not followed at hop 2</summary>');
  expect(drawn()).toContain('<bdi>&lt;b></bdi>');
  expect(drawn()).toContain('<button type="button" class="link"><bdi>Known</bdi></button>');
  expect(drawn()).toContain('and 1,236 more');
  expect(drawn()).toContain('<summary>+3 not read at hop 2</summary>');
  expect(drawn()).toContain('<bdi>Runde</bdi><small> 3 passages</small>');
});
