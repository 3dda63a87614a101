// A server with the demo handbook, and a browser without a window.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const QUIVER = process.env.QUIVER ?? 'quiver';
const PICTURES = process.env.PICTURES;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Markup, scripts, terminal escapes and an override that turns the direction of writing. */
export const HOSTILE =
  '<img src=x onerror="window.hostile=1"><script>window.hostile=1</script> \u202egnirts\u202c \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J';

/** The widths and colours that every view is looked at in. */
export const LOOKS = [360, 768, 1280].flatMap((width) => [{ width, scheme: 'light' }, { width, scheme: 'dark' }]);

/** Starts a clock of the processor time that a page takes, in milliseconds: other programs don't lengthen it. */
export async function clock(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  const before = await spent();
  return async () => (await spent()) - before;
}

/** Runs the command in a directory, and gives what it prints. */
export function quiver(directory, ...args) {
  const run = spawnSync(QUIVER, args, { cwd: directory, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (run.error) throw run.error;
  return run.stdout;
}

/** Adds documents to a workspace of a server. */
export async function add({ address }, workspace, documents) {
  const told = await fetch(`${address}/v1/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'quiver-workspace': workspace },
    body: JSON.stringify({ documents }),
  });
  if (!told.ok) throw new Error(await told.text());
}

/** Starts a server with the handbook, hostile documents in the workspace `hostile`, and records in `records`. */
export async function start() {
  const directory = mkdtempSync(join(tmpdir(), 'quiver-page-'));
  quiver(directory, 'demo', '--path', 'data');
  const records = (name, lines, ...args) => {
    writeFileSync(join(directory, name), `${lines.join('\n')}\n`);
    quiver(directory, '--path', 'data', '--workspace', 'records', 'load', name, ...args);
  };
  records('teams.csv', ['name', 'Search', 'Billing'], '--label', 'Team', '--key', 'name');
  records('services.csv', ['name', 'crawler', 'indexer', 'invoices'], '--label', 'Service', '--key', 'name');
  const owns = ['from,to', 'Search,crawler', 'Search,indexer', 'Billing,invoices'];
  records('owns.csv', owns, '--type', 'OWNS', '--from', 'Team.name', '--to', 'Service.name');
  const child = spawn(QUIVER, ['serve', '--path', 'data', '--listen', '127.0.0.1:0'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise((resolve) => lines.once('line', resolve));
  const address = line.replace('listening on ', '');
  await add({ address }, 'hostile', [
    { key: HOSTILE, title: `Aurelia ${HOSTILE}`, text: `The Aurelia ${HOSTILE} was built at the Norby yard in 1911.` },
    { key: 'long', title: 'N'.repeat(10_000), text: `The Borealis was built in 1950. ${'word '.repeat(200_000)}` },
  ]);
  return {
    address,
    directory,
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(directory, { recursive: true });
    },
  };
}

/** Opens a browser that notes what must not happen: errors, and requests to other addresses. */
async function browse(server, { width = 1440, height = 900, scheme = 'light', motion = 'reduce', workspace, expected } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'quiver-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: motion,
  });
  const page = context.pages()[0];
  const wrong = [];
  page.on('console', (message) => {
    const isBad = ['error', 'warning'].includes(message.type());
    if (isBad && !expected?.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.address) && !/^(file|data|chrome|about):/.test(url)) wrong.push(`request: ${url}`);
  });
  // While one works on the page, its files in place of those that were built into the program.
  const dist = process.env.DIST;
  for (const name of dist ? ['page.js', 'explorer.js', 'page.css'] : []) {
    await page.route(`**/${name}`, (route) => route.fulfill({ path: join(dist, name) }));
  }
  if (workspace) {
    await page.addInitScript((name) => sessionStorage.setItem('quiver-workspace', name), workspace);
  }
  return {
    page,
    wrong,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a page, looks at it, and checks that nothing went wrong on the way. */
export async function visit(server, options, look) {
  const { page, wrong, close } = await browse(server, options);
  try {
    await look(page);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
  }
}

const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** What axe finds wrong with a page. */
export async function violations(page) {
  // The policy of the page allows no other script, so axe comes in by the debugger.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Checks that a view is accessible and as wide as the screen. */
export async function fits(page, what) {
  assert.deepEqual(await violations(page), [], what);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${what} is ${overflow} pixels too wide`);
}

/** Checks that what is hostile was shown as text and did nothing. */
export async function isHarmless(page, what) {
  assert.equal(await page.evaluate(() => globalThis.hostile), undefined, what);
  assert.equal(await page.locator('main img, main script, main iframe').count(), 0, what);
  assert.ok((await page.textContent('main')).includes('<img src=x onerror='), `${what} shows it`);
}

/** Writes a picture for the documentation, where that is wanted. */
export async function picture(page, name) {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

export function ask(server, question) {
  return `${server.address}/#/ask?${new URLSearchParams({ q: question })}`;
}
