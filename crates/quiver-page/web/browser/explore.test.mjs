import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { clock, fits, HOSTILE, LOOKS, picture, start, violations, visit } from './server.mjs';

let server;
before(async () => (server = await start()));
after(() => server.stop());

const explore = (text) => `${server.address}/#/explore?${new URLSearchParams({ q: text })}`;

for (const { width, scheme } of LOOKS) {
  test(`Explore at ${width} pixels, ${scheme}, is accessible and fits`, async () => {
    await visit(server, { width, scheme }, async (page) => {
      for (const [text, wanted] of [['', '.explore'], ['kidney', '.found'], ['nobodywasevercalledthis', '.gap'], ['Trombexan', '.chosen']]) {
        await page.goto('about:blank');
        await page.goto(explore(text));
        await page.waitForSelector(wanted);
        await fits(page, text);
      }
    });
  });
}

test('a thing is found, and what it is linked to is opened step by step, with the sentences that say it', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(explore(''));
    await page.fill('form[role=search] input', 'trombexan');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chosen');
    assert.equal(await page.textContent('.chosen h2'), 'Trombexan');
    const before = await page.locator('.node').count();
    await page.locator('.node', { hasText: 'Dorimycin' }).click();
    await page.waitForSelector('.chosen h2:has-text("Dorimycin")');
    assert.ok((await page.locator('.node').count()) > before);
    const row = page.locator('.chosen tr:has(button:has-text("Lanternfield"))');
    assert.deepEqual(await row.locator('td').first().textContent(), 'mentions');
    assert.equal(await row.locator('mark').textContent(), 'Lanternfield');
    await picture(page, 'page-explore');
    await page.click('text=Close its links');
    await page.waitForFunction((count) => document.querySelectorAll('.node').length === count, before);
  });
});

test('two names are decided to be one thing, and that is undone and decided again', async () => {
  await visit(server, { workspace: 'merged' }, async (page) => {
    const told = await fetch(`${server.address}/v1/documents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'merged' },
      body: JSON.stringify({ documents: [{ key: 'a', title: 'Aurelia', text: 'The Aurelia was built at the Norby yard.' }] }),
    });
    assert.ok(told.ok);
    await page.goto(explore('Aurelia'));
    await page.waitForSelector('.sheet.chosen');
    await page.locator('.decide summary').click();
    await page.getByLabel('The other name').fill('Aurora');
    await page.keyboard.press('Enter');
    const row = page.locator('.chosen tr', { hasText: 'Aurora' });
    await row.locator('button', { hasText: 'Undo' }).waitFor();
    assert.match(await row.locator('td').first().textContent(), /same as/);
    assert.deepEqual(await violations(page), []);
    await row.locator('button', { hasText: 'Undo' }).click();
    await row.locator('button', { hasText: 'Decide again' }).waitFor();
    assert.equal(await row.getAttribute('class'), 'over');
    await row.locator('button', { hasText: 'Decide again' }).click();
    await row.locator('button', { hasText: 'Undo' }).waitFor();
  });
});

test('a thing is renamed and deleted, and both are undone', async () => {
  await visit(server, { workspace: 'decided' }, async (page) => {
    const told = await fetch(`${server.address}/v1/documents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'decided' },
      body: JSON.stringify({ documents: [{ key: 'a', title: 'Aurelia', text: 'The Aurelia was built at the Norby yard.' }] }),
    });
    assert.ok(told.ok);
    await page.goto(explore('Aurelia'));
    await page.waitForSelector('.sheet.chosen');
    await page.locator('.decide summary').click();
    await page.getByLabel('Its new name').fill('Stella');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chosen h2:has-text("Stella")');
    assert.equal(await page.textContent('.node.chosen text'), 'Stella');
    const renamed = page.locator('.chosen .decided li');
    assert.match(await renamed.textContent(), /Aurelia is called Stella/);
    assert.deepEqual(await violations(page), []);
    await renamed.locator('button', { hasText: 'Undo' }).click();
    await page.waitForSelector('.chosen h2:has-text("Aurelia")');
    assert.equal(await renamed.getAttribute('class'), 'over');

    await page.locator('.decide button', { hasText: 'Delete' }).click();
    await page.locator('.decide button', { hasText: 'until this is undone' }).click();
    const hidden = page.locator('.decisions li', { hasText: 'Aurelia is deleted' });
    await hidden.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.fill('form[role=search] input', 'aurelia');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chosen h2:has-text("Aurelia")');
    assert.equal(await page.locator('.node.entity text', { hasText: 'Aurelia' }).count(), 0);
    assert.equal(await page.locator('.node.more').count(), 0);
    await page.goto(explore(''));
    await page.reload();
    await page.locator('.decisions summary').click();
    await hidden.locator('button', { hasText: 'Undo' }).click();
    await hidden.locator('button', { hasText: 'Decide again' }).waitFor();
    await page.goto(explore('Aurelia'));
    await page.waitForSelector('.chosen .decide');
    assert.equal(await page.textContent('.chosen h2'), 'Aurelia');
  });
});

test('Explore is walked by the keyboard', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(explore('Trombexan'));
    await page.waitForSelector('.sheet.chosen');
    await page.locator('.node[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement.querySelector('title')?.textContent.startsWith('Trombexan glycalor'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chosen h2:has-text("Lanternfield")');
  });
});

test('a passage of an answer is explored from where it is read', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(`${server.address}/#/ask?${new URLSearchParams({ q: 'What is antixabin?' })}`);
    await page.locator('.columns .ranked .card', { hasText: 'Antixabin' }).first().click();
    await page.click('dialog >> text=Explore from here');
    await page.waitForSelector('.chosen h2:has-text("Antixabin")');
    assert.equal(await page.locator('dialog').count(), 0);
  });
});

test('hostile names are shown as text in Explore', async () => {
  await visit(server, { workspace: 'hostile' }, async (page) => {
    await page.goto(explore('Aurelia'));
    await page.waitForSelector('.sheet.chosen');
    await page.locator('.node.passage').first().click();
    await page.waitForSelector('.chosen .text');
    assert.ok((await page.textContent('.chosen .text')).includes('<img src=x onerror='));
    assert.equal(await page.evaluate(() => globalThis.hostile), undefined);
    assert.equal(await page.locator('main img, main script').count(), 0);
    await page.goto(explore('Borealis'));
    await page.waitForSelector('.thing, .node');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
  });
});

test('5,000 things stay usable: what is scrolled to is drawn within 100 ms, and what cannot be seen is not in the document', async () => {
  await visit(server, {}, async (page) => {
    const thing = (id) => ({ id, kind: 'entity', name: `${id} ${HOSTILE}` });
    await page.route('**/v1/things?*', (route) => route.fulfill({ json: { version: 1, things: [thing('h0')] } }));
    await page.route('**/v1/things/*', (route) => {
      const id = new URL(route.request().url()).pathname.split('/').at(-1);
      const at = Number(id.slice(1));
      const others = [`h${at + 1}`, ...Array.from({ length: 999 }, (_, leaf) => `${id}-${leaf}`)];
      const links = others.map((other) => ({ kind: 'relation', is_outgoing: true, predicate: 'knows', sentence: 'It knows it.', thing: thing(other) }));
      return route.fulfill({ json: { version: 1, thing: thing(id), counts: { about: 0, relation: 1000, mention: 0 }, links } });
    });
    await page.goto(explore('h0'));
    let opened = 0;
    for (let at = 1; at < 5; at++) {
      const spent = await clock(page);
      await page.locator(`.node[data-id="h${at}"]`).click();
      await page.waitForSelector(`.node[data-id="h${at + 1}"]`);
      opened = await spent();
    }
    assert.ok(opened < 1000, `the last thousand took ${opened} ms`);
    const count = await page.locator('.node').count();
    assert.ok(count < 200, `${count} things in the document`);
    const rows = page.locator('.chosen tbody tr');
    assert.equal(await rows.count(), 100);
    await page.locator('.chosen > button', { hasText: '900 more' }).click();
    await rows.nth(199).waitFor();
    assert.equal(await rows.count(), 200);
    const spent = await clock(page);
    await page.evaluate(async () => {
      document.querySelector('.whole .drawing').scrollTop = 100_000;
      const isThere = () => [...document.querySelectorAll('.node')].some((node) => node.dataset.id.startsWith('h2-'));
      for (let frame = 0; frame < 600 && !isThere(); frame++) await new Promise(requestAnimationFrame);
      if (!isThere()) throw new Error('what was scrolled to is not drawn');
    });
    const took = await spent();
    assert.ok(took < 100, `${took} ms`);
    console.log(`# 5,000 things: the last thousand opened in ${Math.round(opened)} ms, scrolled to others in ${Math.round(took)} ms`);
  });
});

/** Adds two texts that call two things Mercury, and a turn. */
async function addMercury(workspace) {
  const send = async (path, body) => {
    const headers = { 'content-type': 'application/json', 'quiver-workspace': workspace };
    const sent = await fetch(`${server.address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(sent.ok, await sent.text());
  };
  const planet = { key: 'planet.md', title: 'Mercury', text: 'Mercury is the smallest planet. Lena Voss mapped Mercury.' };
  const team = { key: 'team.md', title: 'Mercury', text: 'Toto Brandt leads Mercury. It builds cars.' };
  await send('/v1/documents', { documents: [planet, team] });
  await send('/v1/remember', { turns: [{ session: 'race', text: 'Mercury is sponsored by Petra Oil.' }] });
}

test('a thing that is two is split by its texts, told apart, and that is undone', async () => {
  const workspace = 'split';
  const refused = /status of 400/;
  await visit(server, { workspace, expected: refused }, async (page) => {
    await addMercury(workspace);
    await page.goto(explore('Mercury'));
    await page.locator('.decide summary').first().click();
    await page.click('text=Choose these texts…');
    const send = page.locator('.split button[type=submit]');
    await page.getByLabel('team.md').check();
    await page.getByLabel('The name of the other one').fill('Mercury (team)');
    await page.getByLabel('team.md').uncheck();
    assert.ok(await send.isDisabled());
    await page.getByLabel('team.md').check();
    await page.locator('.split details summary').last().click();
    await page.getByLabel('Mercury is sponsored by Petra Oil.').check();
    assert.deepEqual(await violations(page), []);
    // A refused name keeps what was chosen.
    await page.getByLabel('The name of the other one').fill('Toto Brandt');
    await send.click();
    await page.locator('.problem', { hasText: 'is the name of another entity' }).waitFor();
    assert.equal(await page.getByLabel('The name of the other one').inputValue(), 'Toto Brandt');
    assert.ok(await page.getByLabel('team.md').isChecked());
    await page.getByLabel('The name of the other one').fill('Mercury (team)');
    await send.click();
    const row = page.locator('.chosen tr', { hasText: 'split into' });
    await row.locator('button', { hasText: 'Undo' }).waitFor();
    assert.equal(await page.locator('.chosen tr', { hasText: 'Petra Oil' }).count(), 0);
    // What is of the other one now is not offered again.
    await page.getByLabel('team.md').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('planet.md').count(), 1);
    await row.locator('button', { hasText: 'Mercury (team)' }).click();
    await page.waitForSelector('.chosen h2:has-text("Mercury (team)")');
    // Its texts call it otherwise, and the sentences that say so stand beside its links.
    await page.locator('.chosen q', { hasText: 'Toto Brandt leads Mercury.' }).waitFor();
    assert.deepEqual(await violations(page), []);

    await page.goto(`${server.address}/#/?${new URLSearchParams({ q: 'Who leads Mercury (team)?' })}`);
    await page.waitForSelector('.answer:has-text("Toto Brandt")');
    assert.equal(await page.inputValue('#question'), 'Who leads Mercury (team)?');
    await page.goto(explore(''));
    await page.reload();
    await page.locator('.decisions summary').click();
    const taken = page.locator('.decisions li', { hasText: 'Mercury was split: some texts are about Mercury (team)' });
    await taken.locator('button', { hasText: 'Undo' }).click();
    await taken.locator('button', { hasText: 'Decide again' }).waitFor();
    await page.goto(explore('Mercury'));
    await page.locator('.chosen tr', { hasText: 'Petra Oil' }).first().waitFor();
  });
});

for (const scheme of ['light', 'dark']) {
  test(`choosing the texts of a split fits 360 pixels and is accessible, ${scheme}`, async () => {
    const workspace = `split-${scheme}`;
    await visit(server, { workspace, width: 360, scheme }, async (page) => {
      const fits = async (what) => {
        assert.deepEqual(await violations(page), [], what);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${what}: ${overflow} pixels too wide`);
      };
      await addMercury(workspace);
      await page.goto(explore('Mercury'));
      await page.locator('.decide summary').first().click();
      await page.click('text=Choose these texts…');
      await page.locator('.split details summary').last().click();
      await fits('open');
      await page.getByLabel('team.md').check();
      await page.getByLabel('The name of the other one').fill('Mercury (the team with a name that is longer than the page is wide)');
      await page.click('.split button[type=submit]');
      await page.locator('.chosen tr', { hasText: 'split into' }).waitFor();
      await fits('split');
    });
  });
}

for (const scheme of ['light', 'dark']) {
  test(`deciding about a thing fits 360 pixels and is accessible, ${scheme}`, async () => {
    const workspace = `narrow-${scheme}`;
    await visit(server, { workspace, width: 360, scheme }, async (page) => {
      const fits = async (what) => {
        assert.deepEqual(await violations(page), [], what);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${what}: ${overflow} pixels too wide`);
      };
      await fetch(`${server.address}/v1/documents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'quiver-workspace': workspace },
        body: JSON.stringify({ documents: [{ key: 'a', title: 'Aurelia', text: 'The Aurelia was built at the Norby yard.' }] }),
      });
      await page.goto(explore('Aurelia'));
      await page.locator('.decide summary').click();
      await fits('open');
      const name = 'Stella of the very long name that a ship may have';
      await page.getByLabel('Its new name').fill(name);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`.chosen h2:has-text("${name}")`);
      await fits('renamed');
      await page.locator('.decide button', { hasText: 'Delete' }).click();
      await fits('asked');
      await page.locator('.decide button', { hasText: 'until this is undone' }).click();
      await page.locator('.decisions li', { hasText: 'is deleted' }).waitFor();
      await fits('deleted');
    });
  });
}
