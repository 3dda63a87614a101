// The page inside of a client of the Model Context Protocol, which is a page with a frame here.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { picture, start, visit } from './server.mjs';

const QUESTION = 'Once dissolved, how long does the antidote to the preferred atrial fibrillation anticoagulant keep?';

let server;
before(async () => (server = await start()));
after(() => server.stop());

/** Sends a message to the tools of the server. */
async function send(method, params, workspace) {
  const reply = await fetch(`${server.address}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'mcp-protocol-version': '2025-06-18', ...(workspace && { 'quiver-workspace': workspace }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await reply.json()).result;
}

/** The page that the tool names; while one works on it, that of the files in place of what was built in. */
async function appOf(tool) {
  const { tools } = await send('tools/list', {});
  const { resourceUri } = tools.find(({ name }) => name === tool)._meta.ui;
  const { contents } = await send('resources/read', { uri: resourceUri });
  assert.equal(contents[0].mimeType, 'text/html;profile=mcp-app');
  const dist = process.env.DIST;
  return dist ? readFileSync(join(dist, 'single.html'), 'utf8').replace('{"recorded":null}', '{"app":true}') : contents[0].text;
}

/** What the client does: it greets the page, hands the call and its result to it, and passes its calls on. */
function client({ question, result, theme }) {
  const frame = document.querySelector('iframe');
  globalThis.sent = [];
  addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    globalThis.sent.push(data.method);
    const reply = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*');
    if (data.method === 'ui/initialize') {
      reply({ id: data.id, result: { protocolVersion: '2026-01-26', hostCapabilities: {}, hostInfo: {}, hostContext: { theme } } });
    } else if (data.method === 'ui/notifications/initialized') {
      reply({ method: 'ui/notifications/tool-input', params: { arguments: { question } } });
      reply({ method: 'ui/notifications/tool-result', params: result });
    } else if (data.method === 'ui/notifications/size-changed') {
      frame.style.height = `${data.params.height}px`;
    } else if (data.method === 'tools/call') {
      const passed = await globalThis.pass(data.method, data.params);
      reply(passed ? { id: data.id, result: passed } : { id: data.id, error: { code: -32000, message: 'refused' } });
    }
  });
}

async function show(page, { passes, theme = 'light', question = QUESTION, workspace }) {
  const call = { name: 'ask', arguments: { question } };
  const [html, result] = await Promise.all([appOf('ask'), send('tools/call', call, workspace)]);
  await page.exposeFunction('pass', (method, params) => (passes ? send(method, params, workspace) : null));
  const body = '<!doctype html><title>Client</title><iframe title="Answer" sandbox="allow-scripts" style="width: 100%; border: 0"></iframe>';
  await page.route('**/client', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${server.address}/client`);
  await page.evaluate(client, { question, result, theme });
  await page.evaluate((html) => (document.querySelector('iframe').srcdoc = html), html);
  return page.frameLocator('iframe');
}

test('a client shows beside an answer how it was found, in its own colours', async () => {
  await visit(server, { width: 900 }, async (page) => {
    const frame = await show(page, { passes: true, theme: 'dark' });
    await frame.locator('.drawing').waitFor();
    assert.equal(await frame.locator('.said').textContent(), 'four hours');
    assert.equal(await frame.locator('h1.asked').textContent(), QUESTION);
    assert.equal(await frame.locator('form, nav, .recorded').count(), 0, 'nothing in it needs the server');
    assert.equal(await frame.locator('html').evaluate((html) => getComputedStyle(html).backgroundColor), 'rgb(21, 23, 26)');
    await frame.locator('.columns .ranked .card').first().click();
    await frame.locator('dialog[open] h2').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('iframe').clientHeight > 700);
    const sent = await page.evaluate(() => [...new Set(globalThis.sent)].sort());
    assert.deepEqual(sent, ['tools/call', 'ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed']);
    await picture(page, 'page-app');
  });
});

for (const [width, scheme] of [[900, 'light'], [360, 'dark']]) {
  test(`beside an answer a slider goes over the days on which something changed, at ${width} pixels, ${scheme}`, async () => {
    const workspace = `over-${width}`;
    const turn = (text, time) => ({ session: 'ops', speaker: 'Kim', text, time });
    const told = await fetch(`${server.address}/v1/remember`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': workspace },
      body: JSON.stringify({
        turns: [turn('Redis is run by Mo.', '2024-01-02'), turn('From now on Redis is run by Lena.', '2025-03-04')],
      }),
    });
    assert.ok(told.ok, await told.text());
    await visit(server, { width, scheme }, async (page) => {
      const frame = await show(page, { passes: true, theme: scheme, question: 'Who runs Redis?', workspace });
      const slider = frame.getByRole('slider');
      await slider.waitFor();
      const changed = frame.getByRole('list', { name: 'What changed' });
      assert.equal(await changed.locator('s').textContent(), 'Redis is run by Mo');
      assert.equal(await slider.getAttribute('aria-valuetext'), 'any day');
      await slider.focus();
      await page.keyboard.press('Home');
      assert.equal(await frame.locator('.differently output').textContent(), '2024-01-02');
      assert.equal(await slider.getAttribute('aria-valuetext'), '2024-01-02');
      assert.equal(await changed.locator('s').count(), 0, 'nothing has ended by then');
      assert.match(await frame.locator('.columns .card.later').first().textContent(), /written after 2024-01-02/);
      await page.keyboard.press('ArrowRight');
      assert.equal(await frame.locator('.differently output').textContent(), '2025-03-04');
      assert.equal(await changed.locator('s').count(), 1);
      assert.equal(await frame.locator('.columns .card.later').count(), 0);
      const sent = await page.evaluate(() => globalThis.sent.filter((method) => method === 'tools/call').length);
      assert.equal(sent, 1, 'the slider asks nothing again');
      const overflow = await frame.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
      assert.ok(overflow <= 0, `${overflow} pixels too wide`);
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `app-over-${width}-${scheme}.png`), fullPage: true });
    });
  });
}

test('a client that passes no calls on still shows the answer', async () => {
  await visit(server, {}, async (page) => {
    const frame = await show(page, { passes: false });
    await frame.locator('.problem').waitFor();
    assert.match(await frame.locator('.problem').textContent(), /four hours · refused/);
    assert.equal(await frame.locator('[role="status"]').textContent(), '');
  });
});
