import { render } from 'preact-render-to-string';
import { afterEach, expect, test, vi } from 'vitest';

import { Jobs } from '../src/tabs/files.tsx';
import { add, addressesOf, entries } from '../src/tabs/jobs.ts';

afterEach(() => vi.unstubAllGlobals());

test('addresses of pages are told from other words, each once', () => {
  expect(addressesOf(' https://a.example/x?y=1#z  notes\nHTTP://b.example ftp://c.example https://a.example/x?y=1#z http:// ')).toEqual({
    addresses: ['https://a.example/x?y=1#z', 'HTTP://b.example'],
    others: ['notes', 'ftp://c.example', 'http://'],
  });
  expect(addressesOf(' ')).toEqual({ addresses: [], others: [] });
});

/** A server that takes every page as a job, and can't read those that are called missing. */
function server(sent: unknown[]): typeof fetch {
  const ids: string[] = [];
  const job = (url: string) => {
    const missing = `${url}: the server returned 404 Not Found; check the address`;
    const receipt = {
      documents: { added: url.includes('missing') ? 0 : 1, replaced: 0, unchanged: 0 },
      passages: { written: 2 },
      entities: 3,
      relations: 0,
      problems: [],
      skipped: url.includes('missing') ? [missing] : [],
    };
    const error = url.includes('missing') ? { error: { code: 'unfetched', detail: missing } } : {};
    return { documents: { done: 1, total: 1 }, state: url.includes('missing') ? 'failed' : 'done', receipt, ...error };
  };
  return async (path, request) => {
    if (request?.method === 'POST') {
      const body = JSON.parse(String(request.body)) as { documents: { url: string }[] };
      sent.push(body);
      ids.push(body.documents[0]!.url);
      const queued = { id: String(ids.length), state: 'queued', documents: { done: 0, total: 1 } };
      return Response.json(queued, { status: 202 });
    }
    const id = /jobs\/(\d+)\/events/.exec(String(path))![1]!;
    const ended = { id, ...job(ids[Number(id) - 1]!) };
    return new Response(`event: job\ndata: ${JSON.stringify(ended)}\n\n`);
  };
}

test('each page is a job of the server, with its progress and what could not be read, told once', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', server(sent));
  add(['https://a.example/', 'https://a.example/missing'].map((url) => ({ url })));
  await vi.waitFor(() => expect(entries.value.map(({ state }) => state)).toEqual(['done', 'failed']));
  expect(sent).toEqual([{ documents: [{ url: 'https://a.example/' }] }, { documents: [{ url: 'https://a.example/missing' }] }]);
  const shown = render(<Jobs />);
  expect(shown).toContain('2 of 2 documents read, 100 %');
  expect(shown).toContain('new: 2 passages, 3 entities, 0 relations');
  expect(shown.split('404 Not Found')).toHaveLength(2);
  add([{ url: `https://a.example/${'long/'.repeat(50)}` }]);
  await vi.waitFor(() => expect(entries.value.at(-1)!.state).toBe('done'));
  expect(render(<Jobs />)).toContain('/l…</bdi>');
});
