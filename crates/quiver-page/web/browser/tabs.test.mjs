import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { clock, fits, HOSTILE, isHarmless, LOOKS, start, violations, visit } from './server.mjs';

let server;
before(async () => (server = await start()));
after(() => server.stop());

/** Answers requests for the turns of a session, the latest as many as are asked for. */
async function tellTurns(page, session, turns) {
  await page.route(`**/v1/sessions/${encodeURIComponent(session)}/turns*`, (route) => {
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
    void route.fulfill({ json: { version: 1, session, turns: turns.slice(-limit) } });
  });
}

/** What is done in each view, so that there is something in it to look at. */
const FILLED = {
  async documents(page) {
    await page.click('td button');
    await page.waitForSelector('dialog .text >> text=/./');
  },
  async memory(page) {
    const facts = page.locator('section', { has: page.locator('#facts-heading') });
    await facts.locator('input').fill('Redis');
    await facts.getByRole('button', { name: 'List' }).click();
    await facts.locator('s').waitFor();
    await page.locator('section', { has: page.locator('#recall-heading') }).locator('input').first().fill('Who runs Redis?');
    await page.click('button:text-is("Recall")');
    await page.waitForSelector('.said');
    await page.click('.sessions button');
    await page.waitForSelector('.sessions ol li');
  },
  async query(page) {
    await page.focus('#cypher');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('.drawing .node');
    await page.locator('.drawing .node').first().click();
    await page.waitForSelector('#node-heading');
  },
  async chat(page) {
    await page.getByLabel('Name of the conversation').fill('ops');
    await page.keyboard.press('Tab');
    await page.waitForSelector('.turns .asks');
    await page.fill('form .field', 'Who runs Redis?');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turns .says details');
    await page.click('.turns .says summary');
  },
  async health(page) {
    await page.click('text=Check now');
    await page.waitForSelector('.sound');
  },
};

test('the views below have something in them', async () => {
  const say = async (path, body) => {
    const headers = { 'content-type': 'application/json', 'quiver-workspace': 'filled' };
    const reply = await fetch(`${server.address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(reply.ok, await reply.text());
  };
  await say('/v1/documents', { documents: [{ key: 'norby', title: 'Norby', text: 'Norby is a yard. It was led by Ida Holm of Voss.' }] });
  const said = [['Redis is run by Mo.', '2024-01-02'], ['From now on Redis is run by Lena.', '2025-03-04']];
  await say('/v1/remember', { turns: said.map(([text, time]) => ({ text, time, session: 'ops', speaker: 'Kim' })) });
  await say('/v1/merges', { one: 'Lena', other: 'Lena Berg' });
});

for (const { width, scheme } of LOOKS) {
  test(`every other view at ${width} pixels, ${scheme}, is accessible and fits`, async () => {
    await visit(server, { width, scheme, workspace: 'filled' }, async (page) => {
      await tellTurns(page, 'ops', [
        { turn: null, speaker: 'Kim', time: Date.UTC(2026, 0, 1), text: 'Redis is run by Mo.', answer: null },
        { turn: 1, speaker: null, time: Date.UTC(2026, 0, 2), text: 'Who runs Redis?', answer: 'Mo' },
      ]);
      for (const [tab, fill] of Object.entries(FILLED)) {
        await page.goto(`${server.address}/#/${tab}`);
        await page.waitForSelector(`nav [aria-current][href="#/${tab}"]`);
        await page.waitForSelector('main h1'); // a view may be loaded when it is opened
        await page.waitForLoadState('networkidle');
        await fits(page, tab);
        await fill(page);
        await fits(page, `${tab} with something in it`);
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
    await page.waitForSelector('.jobs li.done');
    assert.match(await page.textContent('.jobs li.done'), /^aurelia\.md read new: 1 passage, \d+ entit(y|ies), \d+ relations?$/);
    assert.equal(await page.textContent('.jobs [role="status"]'), '1 of 1 documents read, 100 %');
    assert.ok((await page.textContent('.warning')).includes('picture.png'));
    await page.click('td button');
    await page.waitForSelector('dialog >> text=Norby yard');
    assert.equal(await page.textContent('dialog h2'), 'Aurelia');
    await page.click('text=Delete this document');
    await page.click('text=Delete it for good');
    await page.waitForSelector('text=There are no documents yet.');
  });
});

/** A text that takes a while to read. */
function long(name, sentences = 400) {
  const say = (_, at) => `The ${name} ${at} was built at the Norby yard ${at % 7} by Ida Holm ${at % 11}.`;
  return `# ${name}\n\n${Array.from({ length: sentences }, say).join('\n\n')}\n`;
}

test('files are read one after the other, each shows what was read from it, and one can be cancelled', async () => {
  await visit(server, { workspace: 'files', width: 360 }, async (page) => {
    await page.goto(`${server.address}/#/documents`);
    await page.waitForSelector('text=There are no documents yet.');
    const file = (name, text) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
    const files = Array.from({ length: 12 }, (_, at) => file(`ship-${at}.md`, long(`Ship ${at}`, at === 0 ? 400 : 20)));
    await page.setInputFiles('input[type=file]', [...files, file('again.md', long('Ship'))]);
    await page.waitForSelector('.jobs .warning >> text=keep this tab open until they are sent');
    await page.waitForSelector('text=Reading ship-0.md');
    assert.equal(await page.locator('.jobs > ul > li').count(), 13);
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Cancel ship-11.md' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !document.querySelector('.jobs li.unsent, .jobs li.queued, .jobs li.running'), null, { timeout: 60_000 });
    const [last] = await page.locator('.jobs li', { hasText: 'ship-11.md' }).allTextContents();
    assert.ok(last === undefined || last.includes('cancelled'), last);
    assert.match(await page.textContent('.jobs [role="status"]'), /(12 of 12|13 of 13) documents read, 100 %/);
    assert.match(await page.textContent('.jobs li.done'), /^ship-0\.md read new: \d+ passages, \d+ entities, \d+ relations$/);
    await page.waitForSelector('.list td:has-text("ship-10.md")');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
    await page.click('text=Clear the list');
    await page.waitForSelector('.jobs', { state: 'detached' });
  });
});

test('a job that is under way is shown when the tab is opened again, and can be cancelled', async () => {
  await visit(server, { workspace: 'jobs' }, async (page) => {
    const documents = Array.from({ length: 40 }, (_, at) => ({ key: `long-${at}`, text: long(`Boat ${at}`) }));
    const told = await fetch(`${server.address}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'jobs' },
      body: JSON.stringify({ documents }),
    });
    assert.equal(told.status, 202);
    await page.goto(`${server.address}/#/documents`);
    await page.waitForSelector('.jobs li.running >> text=of 40 documents');
    await page.click('nav a:text-is("Health")');
    await page.waitForSelector('.jobs', { state: 'detached' });
    await page.click('nav a:text-is("Documents")');
    await page.waitForSelector('.jobs li.running');
    assert.equal(await page.locator('.jobs > ul > li').count(), 1);
    await page.reload();
    await page.waitForSelector('.jobs li.running');
    await page.click('text=Cancel all');
    await page.waitForSelector('.jobs li.cancelled', { timeout: 60_000 });
    const { jobs } = await (await fetch(`${server.address}/v1/jobs`, { headers: { 'quiver-workspace': 'jobs' } })).json();
    assert.equal(jobs[0].state, 'cancelled');
  });
});

test('a server that keeps no jobs reads the files all the same', async () => {
  const refused = /status of 404/;
  await visit(server, { workspace: 'jobless', expected: refused }, async (page) => {
    await page.route('**/v1/jobs', (route) => route.fulfill({ status: 404, contentType: 'application/json', body: '{"detail":"no jobs"}' }));
    await page.goto(`${server.address}/#/documents`);
    await page.waitForSelector('text=There are no documents yet.');
    await page.setInputFiles('input[type=file]', [{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Norby is a yard.') }]);
    await page.waitForSelector('.jobs li.done >> text=new: 1 passage');
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

test('sessions are listed with their turns, and what is remembered goes to the session that is named', async () => {
  await visit(server, { workspace: 'sessions' }, async (page) => {
    await page.goto(`${server.address}/#/memory`);
    await page.waitForSelector('text=Nothing was said yet.');
    const remember = page.locator('section', { has: page.locator('#remember-heading') });
    assert.equal(await remember.getByLabel('Session').inputValue(), 'page');
    await remember.getByLabel('What was said').fill('Redis is run by Mo.');
    await remember.getByLabel('Session').fill('stand-up');
    await remember.getByRole('button', { name: 'Keep it' }).click();
    const listed = page.locator('.sessions li', { hasText: 'stand-up' });
    await listed.waitFor();
    assert.equal(await listed.textContent(), 'stand-up 1 turn');
    await listed.getByRole('button').click();
    await listed.locator('ol li').waitFor();
    assert.match(await listed.locator('ol li').textContent(), /^\d{4}-\d\d-\d\dRedis is run by Mo\.$/);
    await listed.getByRole('button').click();
    const turn = (at) => ({ turn: null, speaker: 'Kim', time: Date.UTC(2026, 0, 1), text: `Turn ${at}.` });
    const turns = [...Array.from({ length: 60 }, (_, at) => turn(at)), { turn: 1, speaker: null, time: null, text: 'Who runs it?', answer: 'Mo' }];
    await tellTurns(page, 'stand-up', turns);
    await listed.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await listed.locator('ol li').first().waitFor();
    assert.equal(await listed.getByRole('button', { expanded: true }).count(), 1);
    assert.equal(await listed.locator('ol li').count(), 50);
    assert.equal(await listed.locator('ol li').nth(48).textContent(), 'Kim, 2026-01-01Turn 59.');
    assert.equal(await listed.locator('ol li').last().textContent(), 'Who runs it?Answered: Mo');
    await listed.getByRole('button', { name: 'Earlier turns' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.sessions ol li').length === 61);
    assert.equal(await listed.getByRole('button', { name: 'Earlier turns' }).count(), 0);
    assert.deepEqual(await violations(page), []);
  });
});

test('a server that lists no turns still lists the sessions', async () => {
  await visit(server, { workspace: 'sessions', expected: /status of 404/ }, async (page) => {
    await page.route('**/v1/sessions/*/turns*', (route) => route.fulfill({ status: 404, json: { detail: 'there is none' } }));
    await page.goto(`${server.address}/#/memory`);
    await page.locator('.sessions button', { hasText: 'stand-up' }).click();
    await page.waitForSelector('text=This server does not list the turns of a session.');
  });
});

test('decisions are listed in the memory, and one is undone and made again', async () => {
  await visit(server, { workspace: 'decided' }, async (page) => {
    await page.goto(`${server.address}/#/memory`);
    await page.waitForSelector('text=Nothing was decided yet.');
    for (const text of ['Redis is run by Mo.', 'From now on Redis is run by Lena.']) {
      await page.fill('textarea', text);
      await page.click('button:text-is("Keep it")');
      await page.waitForFunction(() => document.querySelector('textarea').value === '');
    }
    const told = await fetch(`${server.address}/v1/merges`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'decided' },
      body: JSON.stringify({ one: 'Lena', other: 'Lena Berg' }),
    });
    assert.ok(told.ok);
    await page.reload();
    await page.getByRole('button', { name: 'Undo: Lena is the same as Lena Berg' }).click();
    await page.waitForSelector('.decided .over');
    await page.getByRole('button', { name: 'Decide again: Lena is the same as Lena Berg' }).click();
    await page.waitForSelector('.decided .over', { state: 'detached' });

    // A fact that took the place of another one decided that, too.
    const facts = page.locator('section', { has: page.locator('#facts-heading') });
    await facts.locator('input').fill('Redis');
    await facts.getByRole('button', { name: 'List' }).click();
    await facts.locator('s').waitFor();
    await facts.getByRole('button', { name: /^Undo what this fact decided: Redis is run by Lena/ }).click();
    await facts.locator('s').waitFor({ state: 'detached' });
    await facts.getByRole('button', { name: /^Decide again by this fact/ }).click();
    await facts.locator('s').waitFor();
    assert.deepEqual(await violations(page), []);
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

for (const [width, scheme] of [
  [1280, 'light'],
  [360, 'dark'],
]) {
  test(`the nodes and relationships of rows are drawn beside them at ${width} pixels, ${scheme}`, async () => {
    await visit(server, { width, scheme }, async (page) => {
      await page.goto(`${server.address}/#/query`);
      await page.fill('#cypher', "MATCH (a {name: 'Trombexan'})-[r]->(b) RETURN a, r, b");
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('.drawing .node');
      const rows = await page.locator('tbody tr').count();
      assert.equal(await page.locator('.drawing .node').count(), rows + 1, 'a thing in many rows is drawn once');
      assert.equal(await page.locator('.drawing .step path').count(), rows);
      await page.locator('.drawing .node').first().focus();
      await page.keyboard.press('ArrowRight');
      const spoken = await page.evaluate(() => document.activeElement.querySelector('title').textContent);
      assert.ok(spoken.startsWith('Trombexan '), spoken);
      await page.keyboard.press('Enter');
      await page.waitForSelector('#node-heading');
      assert.equal(await page.locator('tbody tr.lit').count(), 1);
      assert.match(await page.locator('section', { has: page.locator('#node-heading') }).textContent(), new RegExp(`in 1 of ${rows} rows`));
      assert.deepEqual(await violations(page), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} pixels too wide`);
      await page.fill('#cypher', 'MATCH (a)-[r]->(b) RETURN a.name AS name LIMIT 3');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('text=Rows with whole nodes and relationships');
      assert.equal(await page.locator('.drawing').count(), 0);
    });
  });
}

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
    assert.match(await page.textContent('.understood .note:has(q)'), /In the conversation it was asked as: Who makes it\?/);
  });
});

test('a conversation that is chosen shows what was said in it, and goes on from there', async () => {
  await visit(server, { workspace: 'sessions', width: 360, scheme: 'dark' }, async (page) => {
    const told = await fetch(`${server.address}/v1/remember`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'sessions' },
      body: JSON.stringify({ turns: [{ text: 'Vault is run by Pia.', session: 'ops' }, { text: 'Mail is run by Ida.', session: 'other' }] }),
    });
    assert.ok(told.ok);
    await tellTurns(page, 'ops', [
      { turn: null, speaker: 'Kim', time: Date.UTC(2026, 0, 1), text: 'Vault is run by Pia.', answer: null },
      { turn: 1, speaker: null, time: Date.UTC(2026, 0, 2), text: 'Who runs Vault?', answer: 'Pia' },
      { turn: 2, speaker: null, time: Date.UTC(2026, 0, 3), text: 'Since when?', answer: null },
    ]);
    await page.goto(`${server.address}/#/chat`);
    const name = page.getByLabel('Name of the conversation');
    await page.route('**/v1/sessions', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.reload();
    await name.fill('op');
    await page.waitForSelector('#sessions option', { state: 'attached' });
    assert.equal(await name.inputValue(), 'op', 'the list that comes leaves alone what is written');
    const choose = async (session) => {
      await name.fill(session);
      await name.press('Tab');
    };
    await choose('ops');
    const earlier = page.getByRole('list', { name: 'Said before in ops' });
    await earlier.waitFor();
    assert.deepEqual(await earlier.locator(':scope > li').allTextContents(), [
      'Kim 2026-01-01Vault is run by Pia.',
      '2026-01-02Who runs Vault?Pia',
      '2026-01-03Since when?It was not answered.',
    ]);
    assert.deepEqual(await violations(page), []);
    await page.fill('form .field', 'Who runs Vault?');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turns[aria-live] li .says a');
    assert.equal(await earlier.locator(':scope > li').count(), 3);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
    await choose('other');
    // These are as the server tells them.
    await page.getByRole('list', { name: 'Said before in other' }).waitFor();
    assert.match(await page.locator('.turns li').textContent(), /Mail is run by Ida\.$/);
    assert.equal(await page.locator('.turns li').count(), 1);
    await choose('new');
    await page.waitForFunction(() => document.querySelectorAll('.turns li').length === 0);
  });
});

test('health counts and verifies', async () => {
  await visit(server, {}, async (page) => {
    await page.goto(`${server.address}/#/health`);
    await page.waitForSelector('dd');
    const pairs = await page.locator('.pairs > div').allTextContents();
    assert.ok(pairs.some((pair) => /^Journal(empty: everything is in the database|[\d.]+ MB, written again after a crash)$/.test(pair)), `${pairs}`);
    assert.ok(pairs.includes('Language modelsnone has been called'), `${pairs}`);
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

test('hostile keys and texts of documents, and names of files, are shown as text', async () => {
  await visit(server, { workspace: 'hostile' }, async (page) => {
    await page.goto(`${server.address}/#/documents`);
    const button = page.locator('td button', { hasText: '<img' });
    await button.waitFor();
    assert.equal(await button.textContent(), HOSTILE);
    await button.click();
    await page.waitForSelector('dialog >> text=<script>');
    await isHarmless(page, 'Documents');
    await page.keyboard.press('Escape');
    const name = '<img src=x onerror="window.hostile=1">\x1b[31m.txt';
    await page.setInputFiles('input[type=file]', [{ name, mimeType: 'text/plain', buffer: Buffer.from(HOSTILE) }]);
    await page.waitForSelector('.jobs li.done >> text=<img src=x');
    await isHarmless(page, 'files');
    await fits(page, 'Documents');
  });
});

test('what is hostile is shown as text in Memory and Chat', async () => {
  await visit(server, { workspace: 'hostile', width: 360 }, async (page) => {
    const long = `${HOSTILE} ${'N'.repeat(10_000)}`;
    const fact = (object) => ({ subject: `Redis ${HOSTILE}`, predicate: 'is run by', object });
    const turn = { text: long, session: HOSTILE.slice(0, 60), speaker: HOSTILE, facts: [fact(HOSTILE), fact('N'.repeat(2000))] };
    const told = await fetch(`${server.address}/v1/remember`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'hostile' },
      body: JSON.stringify({ turns: [turn] }),
    });
    assert.ok(told.ok, await told.text());
    const merged = await fetch(`${server.address}/v1/merges`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'quiver-workspace': 'hostile' },
      body: JSON.stringify({ one: `Redis ${HOSTILE}`, other: `Cache ${HOSTILE}` }),
    });
    assert.ok(merged.ok, await merged.text());
    await page.route('**/v1/sessions/*/turns*', (route) => {
      const said = { turn: 1, speaker: HOSTILE, time: 0, text: long, answer: long };
      void route.fulfill({ json: { version: 1, session: turn.session, turns: [said] } });
    });
    await page.goto(`${server.address}/#/memory`);
    await page.locator('.sessions button').first().click();
    await page.waitForSelector('.sessions ol li');
    const facts = page.locator('section', { has: page.locator('#facts-heading') });
    await facts.locator('input').fill(`Redis ${HOSTILE}`);
    await facts.getByRole('button', { name: 'List' }).click();
    await facts.locator('.slots li').first().waitFor();
    await page.waitForSelector('.decided li');
    await page.locator('section', { has: page.locator('#recall-heading') }).locator('input').first().fill(`Who runs Redis ${HOSTILE}?`);
    await page.click('button:text-is("Recall")');
    await page.waitForSelector('#recall-heading ~ [aria-live]');
    await isHarmless(page, 'Memory');
    await fits(page, 'Memory');

    await page.goto(`${server.address}/#/chat`);
    await page.getByLabel('Name of the conversation').fill(turn.session);
    await page.keyboard.press('Tab');
    await page.waitForSelector('.turns .asks');
    await page.fill('form .field', `Where was the Aurelia ${HOSTILE} built?`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turns[aria-live] .says a', { timeout: 60_000 });
    await page.locator('.turns[aria-live] .says summary').click();
    await isHarmless(page, 'Chat');
    await fits(page, 'Chat');
  });
});

test('what is hostile is shown as text in Query and Health', async () => {
  await visit(server, { workspace: 'hostile', width: 360, scheme: 'dark', expected: /status of 400/ }, async (page) => {
    await page.goto(`${server.address}/#/query`);
    const run = async (query, wanted) => {
      await page.fill('#cypher', query);
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector(wanted);
      await isHarmless(page, query);
      await fits(page, query);
    };
    const literal = `'${HOSTILE.replaceAll('\\', '')}'`;
    await run(`MATCH (p:Passage)-[r]->(e) RETURN p, r, e, ${literal} AS \`${HOSTILE}\``, '.drawing .node');
    await page.locator('.drawing .node.passage').first().click();
    await page.waitForSelector('#node-heading');
    await isHarmless(page, 'a node');
    await fits(page, 'a node');
    await run(`MATCH (a {name: ${literal}})-[r:Ghost]->() RETURN a`, '.gap');
    await run(`MATCH (a) RETRN ${literal}`, '.wrong, .problem');
    await page.fill('#cypher', `MATCH (a {name: ${literal}}) RETURN a`);
    await page.click('button:text-is("Show the plan")');
    await page.waitForSelector('.plan li');
    await isHarmless(page, 'the plan');

    await page.route('**/v1/stats', async (route) => {
      const reply = await (await route.fetch()).json();
      const spent = { total: {}, jobs: { [HOSTILE]: { calls: 1, tokens_in: 2, tokens_out: 3, cost: 0 } } };
      const texts = Object.fromEntries(['backend', 'location', 'workspace', 'embedder'].map((name) => [name, `${HOSTILE}${'N'.repeat(10_000)}`]));
      await route.fulfill({ json: { ...reply, ...texts, spent } });
    });
    await page.route('**/v1/verify', (route) => route.fulfill({ json: { version: 1, violations: [HOSTILE, 'N'.repeat(10_000)] } }));
    await page.goto(`${server.address}/#/health`);
    await page.click('text=Check now');
    await page.waitForSelector('text=2 things are broken:');
    await isHarmless(page, 'Health');
    await fits(page, 'Health');
  });
});

test('what draws graphs is loaded when it is opened, and the first view is small', async () => {
  const zipped = async (path) => gzipSync(Buffer.from(await (await fetch(`${server.address}${path}`)).arrayBuffer())).length;
  await visit(server, {}, async (page) => {
    const loaded = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(server.address);
    await page.waitForSelector('.examples button');
    const files = loaded.filter((path) => !path.startsWith('/v1/'));
    assert.deepEqual(files.sort(), ['/', '/page.css', '/page.js']);
    const sizes = await Promise.all(files.map(zipped));
    const size = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`# first view: ${(size / 1000).toFixed(1)} kB gzipped`);
    assert.ok(size < 100_000, `${size} bytes`);
    await page.getByRole('link', { name: 'Health' }).click();
    await page.waitForSelector('.counts dd');
    assert.ok(!loaded.includes('/explorer.js'), 'it draws no graph');
    await page.getByRole('link', { name: 'Explore' }).click();
    await page.waitForSelector('.explore');
    await page.getByRole('link', { name: 'Query' }).click();
    await page.waitForSelector('#cypher');
    assert.equal(loaded.filter((path) => path === '/explorer.js').length, 1);
  });
});

test('where what draws graphs cannot be loaded, the page says so and goes on', async () => {
  await visit(server, { expected: /ERR_FAILED/ }, async (page) => {
    await page.route('**/explorer.js', (route) => route.abort(), { times: 1 });
    await page.goto(`${server.address}/#/explore`);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByRole('alert').textContent(), 'This view could not be loaded. Reload the page.');
    await page.getByRole('link', { name: 'Health' }).click();
    await page.waitForSelector('.counts dd');
    await page.getByRole('link', { name: 'Explore' }).click();
    await page.getByRole('alert').waitFor();
    await page.reload();
    await page.waitForSelector('.explore');
  });
});

test('a question that is asked back is answered by a click', async () => {
  await visit(server, { workspace: 'hostile' }, async (page) => {
    const sent = [];
    await page.route('**/v1/chat/stream', (route) => {
      const { question } = route.request().postDataJSON();
      sent.push(question);
      const asks = sent.length === 1 ? { said: HOSTILE, options: ['The Aurelia', HOSTILE] } : undefined;
      const reply = { version: 1, question, standalone: question, rewrites: [], degraded: [], asks };
      void route.fulfill({ contentType: 'text/event-stream', body: `event: reply\ndata: ${JSON.stringify(reply)}\n\n` });
    });
    await page.goto(`${server.address}/#/chat`);
    await page.fill('form .field', 'When was it built?');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.says button');
    await isHarmless(page, 'a question asked back');
    await fits(page, 'a question asked back');
    await page.locator('.says button', { hasText: 'The Aurelia' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.turns .asks', { hasText: 'The Aurelia' }).waitFor();
    assert.deepEqual(sent, ['When was it built?', 'The Aurelia']);
  });
});

test('a key is asked for where one is needed, and kept for this tab alone', async () => {
  await visit(server, { expected: /status of 401/ }, async (page) => {
    const isMissing = (request) => request.headers().authorization !== 'Bearer qk_secret';
    await page.route('**/v1/**', (route) =>
      isMissing(route.request())
        ? route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{"title":"Unauthorized","detail":"a key is needed"}' })
        : route.continue(),
    );
    await page.goto(server.address);
    await page.waitForSelector('.keyform');
    await fits(page, 'the form for a key');
    await page.getByLabel('Key').fill('qk_secret');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.examples button');
    const kept = await page.evaluate(() => [sessionStorage.getItem('quiver-key'), localStorage.length, document.cookie]);
    assert.deepEqual(kept, ['qk_secret', 0, '']);
    assert.ok(!page.url().includes('secret'));
  });
});

for (const [view, wanted] of [
  [`ask?${new URLSearchParams({ q: 'What is antixabin?' })}`, '.columns .ranked .card'],
  ['explore?q=Trombexan', '.sheet.chosen'],
  ['documents', 'main table'],
  ['memory', 'main form'],
  ['query', '#cypher'],
  ['chat', 'main form'],
  ['health', '.counts dd'],
]) {
  test(`all that can be used in ${view.split('?')[0]} is reached by the Tab key`, async () => {
    await visit(server, {}, async (page) => {
      await page.goto(`${server.address}/#/${view}`);
      await page.waitForSelector(wanted);
      await page.waitForLoadState('networkidle');
      const wantedCount = await page.evaluate(() => {
        const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role="button"]')];
        // Of the nodes of a drawing one is in the order, and arrow keys go to the others.
        const usable = all.filter((each) => each.checkVisibility() && !each.disabled && each.getAttribute('tabindex') !== '-1' && each.type !== 'radio');
        usable.forEach((each) => (each.dataset.usable = ''));
        document.body.tabIndex = -1;
        document.body.focus();
        return usable.length;
      });
      for (let at = 0; at < wantedCount * 3 + 30; at++) {
        await page.keyboard.press('Tab');
        await page.evaluate(() => delete document.activeElement.dataset.usable);
      }
      const missed = await page.locator('[data-usable]').evaluateAll((all) => all.map((each) => each.outerHTML.slice(0, 120)));
      assert.deepEqual(missed, []);
    });
  });
}

test('a document of 1 MB with a title of 10,000 characters is opened', async () => {
  await visit(server, { workspace: 'hostile', width: 360 }, async (page) => {
    await page.goto(`${server.address}/#/documents`);
    const spent = await clock(page);
    await page.getByRole('button', { name: 'long', exact: true }).click();
    await page.locator('dialog .text', { hasText: 'word word' }).waitFor();
    assert.ok((await spent()) < 1000, 'it is there within a second');
    await fits(page, 'a long document');
  });
});
