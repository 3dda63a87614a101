import { renderToString } from 'preact-render-to-string';
import { afterEach, expect, test, vi } from 'vitest';

import { Columns } from '../src/ask/columns.tsx';
import { answered, ask, hopsMade, isWorking, show } from '../src/ask/state.ts';
import { recorded } from './recorded.ts';

afterEach(() => vi.unstubAllGlobals());

const WANTED = { question: 'Who?', without: [], asOf: '', meanings: {}, pinned: [] };

/** A server that sends an event whenever it is told to. */
function server(): (name: string, data: unknown) => void {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  vi.stubGlobal('fetch', async () => new Response(readable));
  return (name, data) => {
    void writer.write(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    if (name === 'answer') void writer.close();
  };
}

const hop = (hop: number, reached: number) => ({ hop, started_from: 12, reached, links: 20 + hop, candidates: 30 + reached, duration_us: 1200 });

test('each hop lights up in its column when it was made, and the answer takes their place', async () => {
  const send = server();
  const asked = ask(WANTED);
  expect(hopsMade.value).toEqual([]);
  send('step', { stage: 'search', kind: 'search', duration_us: 900, lines: [] });
  send('hop', hop(1, 8));
  await vi.waitFor(() => expect(hopsMade.value).toHaveLength(1));
  let drawn = renderToString(<Columns />);
  expect(drawn).toContain('<section class="followed ended"');
  expect(drawn).toContain('<section class="ranked"');
  expect(drawn).toContain('21 links from 12 passages: 8 new passages');
  expect(drawn).not.toContain('Hop 2');
  send('hop', hop(2, 0));
  await vi.waitFor(() => expect(hopsMade.value).toHaveLength(2));
  drawn = renderToString(<Columns />);
  expect(drawn).toContain('22 links from 12 passages: nothing new');
  send('answer', recorded('answer'));
  await asked;
  expect(isWorking.value).toBe(false);
  expect(renderToString(<Columns />)).not.toContain('class="hops"');
});

test('the same trace gives the same picture, whichever hops were told before', () => {
  show(recorded('answer'));
  hopsMade.value = [];
  const before = renderToString(<Columns />);
  hopsMade.value = [hop(1, 8), hop(2, 3)];
  expect(renderToString(<Columns />)).toBe(before);
  answered.value = null;
});

test('another question forgets the hops of the last one', async () => {
  hopsMade.value = [hop(1, 8)];
  const send = server();
  const asked = ask({ ...WANTED, question: 'Where?' });
  expect(hopsMade.value).toEqual([]);
  send('answer', recorded('answer'));
  await asked;
});
