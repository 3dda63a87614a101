import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { HOSTILE, start, violations, visit } from './server.mjs';

let server;
before(async () => (server = await start()));
after(() => server.stop());

for (const [width, scheme] of [
  [1440, 'light'],
  [800, 'dark'],
  [360, 'light'],
]) {
  test(`every other view at ${width} pixels, ${scheme}, is accessible and fits`, async () => {
    await visit(server, { width, scheme }, async (page) => {
      for (const tab of ['documents', 'memory', 'query', 'chat', 'health']) {
        await page.goto(`${server.address}/#/${tab}`);
        await page.waitForSelector(`nav [aria-current][href="#/${tab}"]`);
        await page.waitForLoadState('networkidle');
        assert.deepEqual(await violations(page), [], tab);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${tab} is ${overflow} pixels too wide`);
      }
    });
  });
}

test('a document is dropped, listed, read and deleted', async () => {
  await visit(server, { workspace: 'new' }, async (page) => {
    await page.goto(`${server.address}/#/documents`);
    await page.waitForSelector('text=There are no documents yet.');
    await page.setInputFiles('input[type=file]', [
      { name: 'aurelia.md', mimeType: 'text/markdown', buffer: Buffer.from('# Aurelia\n\nIt was built at the Norby yard.\n') },
      { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from('x') },
    ]);
    await page.waitForSelector('text=1 added, 0 replaced, 0 unchanged');
    assert.ok((await page.textContent('.warning')).includes('picture.png'));
    await page.click('td button');
    await page.waitForSelector('dialog >> text=Norby yard');
    assert.equal(await page.textContent('dialog h2'), 'Aurelia');
    await page.click('text=Delete this document');
    await page.click('text=Delete it for good');
    await page.waitForSelector('text=There are no documents yet.');
  });
});

test('what is remembered is recalled, and what holds no more is struck through', async () => {
  await visit(server, { workspace: 'told' }, async (page) => {
    await page.goto(`${server.address}/#/memory`);
    for (const text of ['Redis is run by Mo.', 'From now on Redis is run by Lena.']) {
      await page.fill('textarea', text);
      await page.click('button:text-is("Keep it")');
      await page.waitForFunction(() => document.querySelector('textarea').value === '');
    }
    await page.locator('section', { hasText: 'As of' }).locator('input').first().fill('Who runs Redis?');
    await page.click('button:text-is("Recall")');
    await page.waitForSelector('.said');
    assert.equal(await page.textContent('.said'), 'Lena');
    await page.locator('section', { hasText: 'Facts about a thing' }).locator('input').fill('Redis');
    await page.click('button:text-is("List")');
    await page.waitForSelector('s');
    assert.equal(await page.textContent('s'), 'Mo');
  });
});

test('a query shows rows with proofs, its plan, its mistake, and why there are no rows', async () => {
  await visit(server, {}, async (page) => {
    const run = async (query, button) => {
      await page.fill('#cypher', query);
      await page.click(`button:text-is("${button}")`);
    };
    await page.goto(`${server.address}/#/query`);
    await run("MATCH (a {name: 'Antixabin'})-[r]->(b) RETURN b.name AS name", 'Run');
    await page.waitForSelector('tbody tr');
    assert.ok((await page.locator('tbody tr').first().locator('td').last().textContent()).includes('Antixabin'));
    await run('MATCH (a) RETURN a', 'Show the plan');
    await page.waitForSelector('.plan li');
    await run('MATCH (a:Ghost) RETURN a', 'Run');
    await page.waitForSelector('.gap');
    assert.ok((await page.textContent('.gap')).includes('Ghost'));
  });
});

test('a mistake in a query is underlined where it stands, until the query is changed', async () => {
  // The browser notes the refused request itself.
  const refused = /status of 400/;
  await visit(server, { expected: refused }, async (page) => {
    await page.goto(`${server.address}/#/query`);
    await page.fill('#cypher', "MATCH (a)-[r]->(b)\nWHER a.name = 'x'\nRETURN a");
    await page.click('button:text-is("Run")');
    await page.waitForSelector('.wrong');
    assert.equal(await page.textContent('.wrong'), 'WHER');
    assert.match(await page.textContent('#mistake'), /^Expected a clause/);
    const { x, y } = await page.locator('#mistake').boundingBox();
    const top = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).id, [x + 20, y + 10]);
    assert.equal(top, 'mistake', 'nothing covers the message');
    assert.equal(await page.getAttribute('#cypher', 'aria-describedby'), 'mistake');
    assert.deepEqual(await violations(page), []);
    const [mirror, editor] = await Promise.all(['.editor > pre', '#cypher'].map((one) => page.locator(one).evaluate((element) => {
      const { font, lineHeight, padding, width } = getComputedStyle(element);
      return { font, lineHeight, padding, width };
    })));
    assert.deepEqual(mirror, editor, 'the line is drawn under the letters it belongs to');
    await page.locator('#cypher').press('End');
    await page.keyboard.type(' ');
    await page.waitForSelector('.wrong', { state: 'detached' });
  });
});

test('names are completed from the graph, by the keyboard alone', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(`${server.address}/#/query`);
    const learned = page.waitForResponse((reply) => reply.request().postData()?.includes('db.propertyKeys'));
    await page.fill('#cypher', '');
    await page.focus('#cypher');
    await learned;
    await page.keyboard.type('MATCH (p:Pas');
    await page.waitForSelector('.proposals li');
    assert.deepEqual(await page.locator('.proposals li bdi').allTextContents(), ['Passage']);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Tab');
    await page.keyboard.type(' {ti');
    await page.waitForSelector('.proposals li:has-text("title")');
    const editor = await page.locator('#cypher').boundingBox();
    const list = await page.locator('.proposals').boundingBox();
    assert.ok(list.y > editor.y + 20 && list.x > editor.x + 60, 'the names stand below the word that they complete');
    await page.keyboard.press('ArrowDown');
    const [time, title] = await page.locator('.proposals li').all();
    assert.deepEqual([await time.getAttribute('aria-selected'), await title.getAttribute('aria-selected')], ['true', 'false']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type("'Trombexan'}) RET");
    await page.keyboard.press('Tab');
    await page.keyboard.type('p.doc');
    await page.keyboard.press('Tab');
    assert.equal(await page.inputValue('#cypher'), "MATCH (p:Passage {title: 'Trombexan'}) RETURN p.document");
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('td:has-text("trombexan.md")');
  });
});

test('a follow-up is understood from the conversation', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(`${server.address}/#/chat`);
    for (const question of ['Which antidote reverses trombexan?', 'Who makes it?']) {
      await page.fill('form .field', question);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`.turns li:has-text("${question}") .says a`);
    }
    const second = page.locator('.turns > li').nth(1);
    assert.ok((await second.textContent()).includes('Understood as:'));
    await second.locator('summary').click();
    assert.deepEqual(await second.locator('.lines strong').allTextContents(), [
      'understanding the question',
      'searching for seeds',
      'expanding the seeds',
      'ranking the evidence',
      'answering',
    ]);
    await page.locator('.turns a').last().click();
    await page.waitForSelector('.answer');
  });
});

test('health counts and verifies', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(`${server.address}/#/health`);
    await page.waitForSelector('dd');
    await page.click('text=Check now');
    await page.waitForSelector('text=Sound: every reference and invariant holds.');
  });
});

test('names in a table of a query are not broken on a narrow screen', async () => {
  await visit(server, { width: 360 }, async (page) => {
    await page.goto(`${server.address}/#/query`);
    await page.fill('#cypher', "MATCH (a {name: 'Antixabin'})-[r]->(b) RETURN a.name AS a, b.name AS b, type(r) AS how, a.name AS again");
    await page.click('button:text-is("Run")');
    const cell = page.locator('tbody td').first();
    assert.equal(await cell.textContent(), 'Antixabin');
    const height = await cell.evaluate((cell) => cell.querySelector('bdi').getBoundingClientRect().height);
    assert.ok(height < 30, `${height} pixels`);
  });
});

test('hostile keys and texts of documents are shown as text', async () => {
  await visit(server, { workspace: 'hostile' }, async (page) => {
    await page.goto(`${server.address}/#/documents`);
    const button = page.locator('td button', { hasText: '<img' });
    await button.waitFor();
    assert.equal(await button.textContent(), HOSTILE);
    await button.click();
    await page.waitForSelector('dialog >> text=<script>');
    assert.equal(await page.evaluate(() => globalThis.hostile), undefined);
    assert.equal(await page.locator('main img, main script').count(), 0);
  });
});
