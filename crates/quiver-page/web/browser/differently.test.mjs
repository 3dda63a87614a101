// What a budget cut, what a question is started from, and answers over time without a server.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { ask, fits, HOSTILE, LOOKS, quiver, start, visit } from './server.mjs';

const LOST = 'Which lamps do the ships of the Norby yard carry?';
const SHOP = 'Who ran the shop in Odda?';

let server;
before(async () => {
  server = await start();
  const ships = Array.from({ length: 40 }, (_, at) => `Ship ${at}`);
  await add('cut', [
    { key: 'yard', title: 'Norby yard', text: `The Norby yard built ${ships.join(', ')}.` },
    { key: 'hostile', title: `Ship of the Norby yard ${HOSTILE}`, text: 'It carries lamps.' },
    ...ships.map((ship) => ({ key: ship, title: ship, text: 'It is a ship of the Norby yard and carries green lamps.' })),
  ]);
  await add('pins', [
    { key: 'shop', title: 'The shop', text: 'The shop in Odda was run by Ida Holm.' },
    { key: 'ida', title: 'Ida Holm', text: 'Ida Holm kept bees and left the valley for Runde in 1911.' },
    ...Array.from({ length: 9 }, (_, at) => ({ key: `odda ${at}`, title: `Odda ${at}`, text: 'The owner of a shop could live there.' })),
  ]);
});
after(() => server.stop());

async function add(workspace, documents) {
  const told = await fetch(`${server.address}/v1/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'quiver-workspace': workspace },
    body: JSON.stringify({ documents }),
  });
  assert.ok(told.ok, `${told.status}`);
}

for (const { width, scheme } of LOOKS) {
  test(`what a budget cut is a stub that opens, at ${width} pixels, ${scheme}`, async () => {
    await visit(server, { workspace: 'cut', width, scheme }, async (page) => {
      await page.goto(ask(server, LOST));
      const stub = page.locator('.followed .stub').first();
      await stub.waitFor();
      assert.match(await stub.locator('summary').textContent(), /^\+\d+ not followed at hop \d+$/);
      const count = Number(/^\+(\d+)/.exec(await stub.locator('summary').textContent())[1]);
      await stub.locator('summary').focus();
      await page.keyboard.press('Enter');
      await stub.locator('li').first().waitFor();
      const listed = await stub.locator('li').count();
      assert.equal(listed, Math.min(count, 20));
      assert.equal(await page.evaluate(() => globalThis.hostile), undefined);
      await fits(page, 'a stub');
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `stub-${width}-${scheme}.png`), fullPage: true });
    });
  });

  test(`a name in a passage is started from, and the difference is shown, at ${width} pixels, ${scheme}`, async () => {
    await visit(server, { workspace: 'pins', width, scheme }, async (page) => {
      await page.goto(ask(server, SHOP));
      await page.locator('.columns .ranked .card', { hasText: 'The shop' }).click();
      await page.locator('dialog button', { hasText: 'Start from a name' }).click();
      const name = page.locator('.pins button', { hasText: 'Ida Holm' });
      await name.waitFor();
      await fits(page, 'names to start from');
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `pins-${width}-${scheme}.png`) });
      await name.focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('#difference-heading');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'differently');
      assert.match(page.url(), /pin=[0-9a-f-]{36}/);
      assert.match(await page.textContent('.differently li'), /Starts also from: Ida Holm/);
      const found = page.locator('.columns .found');
      const more = found.locator('button.link', { hasText: 'more' });
      if (await more.count()) await more.click();
      assert.match(await found.locator('.card', { hasText: 'kept' }).or(found.locator('.card', { hasText: 'you start from it' })).first().textContent(), /you start from it/);
      // Pointing at a card greys the rest.
      await page.mouse.move(0, 0);
      await fits(page, 'a pinned entity');
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `pinned-${width}-${scheme}.png`), fullPage: true });
      await page.reload();
      await page.waitForSelector('.differently li >> text=Starts also from: Ida Holm');
      await page.waitForSelector('.columns .ranked .card');
      await page.locator('.differently button', { hasText: 'Unpin' }).click();
      await page.waitForSelector('#difference-heading');
      assert.equal(await page.locator('.differently li').count(), 0);
      assert.ok(!page.url().includes('pin='), page.url());
    });
  });
}

test('a recorded answer is looked at over the days without a server', async () => {
  const { directory } = server;
  const remember = (text, day) =>
    quiver(directory, 'remember', '--path', 'turns', '--session', 'ops', '--speaker', 'Kim', '--at', day, text);
  remember('Redis is run by Mo.', '2024-01-02');
  remember('From now on Redis is run by Lena.', '2025-03-04');
  quiver(directory, 'ask', '--path', 'turns', 'Who runs Redis?', '--html', 'over.html');
  for (const [width, scheme] of [[1280, 'light'], [360, 'dark']]) {
    await visit(server, { width, scheme }, async (page) => {
      await page.goto(pathToFileURL(join(directory, 'over.html')).href);
      const slider = page.getByRole('slider');
      await slider.waitFor();
      const changed = page.getByRole('list', { name: 'What changed' });
      assert.equal(await changed.locator('s').textContent(), 'Redis is run by Mo');
      await slider.focus();
      await page.keyboard.press('Home');
      assert.equal(await page.textContent('.differently output'), '2024-01-02');
      assert.match(await page.textContent('.differently .note'), /The answer was recorded later/);
      assert.equal(await changed.locator('s').count(), 0);
      assert.match(await page.locator('.columns .card.later').first().textContent(), /written after 2024-01-02/);
      assert.equal(await page.locator('form').count(), 0);
      await fits(page, 'a recorded answer over time');
      if (process.env.LOOK) await page.screenshot({ path: join(process.env.LOOK, `over-${width}-${scheme}.png`) });
    });
  }
});
