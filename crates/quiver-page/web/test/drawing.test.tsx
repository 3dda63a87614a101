import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';

import { Drawing } from '../src/ask/ways.tsx';
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
