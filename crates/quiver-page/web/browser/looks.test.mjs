// Whether the views look as they did: each is compared with a reference that is kept in the tree.
//
// A reference is the picture's lightness in cells of 16 pixels. It depends on the fonts and on the version of Chromium,
// which stand in the file: where others are installed, the tests are skipped. REFERENCES=write makes the references
// anew.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { ask, start, visit } from './server.mjs';

const FILE = new URL('references.json', import.meta.url);
const IS_WRITING = process.env.REFERENCES === 'write';
const CELL = 16;
/** How far the lightness of a cell may be off, from 0 to 255, and in how many of a thousand cells it may be further. */
const OFF_MAX = 20;
const CELLS_MAX = 8;
const ANSWER = 'Once dissolved, how long does the antidote to the preferred atrial fibrillation anticoagulant keep?';
const NOT_SURE = 'Who leads the team that makes the recording needed before the penicillin-free pneumonia treatment?';
const OVERVIEW = 'Give an overview of Trombexan';
const VIEWS = [
  ['start', '#/ask', '.examples button', 1440, 'light'],
  ['answer', ANSWER, '.drawing', 1440, 'light'],
  ['answer', ANSWER, '.drawing', 1440, 'dark'],
  ['answer', ANSWER, '.drawing', 800, 'light'],
  ['answer', ANSWER, '.drawing', 360, 'dark'],
  ['not-sure', NOT_SURE, '.answer.found', 1440, 'light'],
  ['not-sure', NOT_SURE, '.answer.found', 360, 'dark'],
  ['overview', OVERVIEW, '.said.long', 800, 'light'],
  ['explore', '#/explore?q=Trombexan', '.sheet.chosen', 1440, 'light'],
  ['explore', '#/explore?q=Trombexan', '.sheet.chosen', 360, 'dark'],
  ['documents', '#/documents', 'main table', 800, 'light'],
  ['memory', '#/memory', 'main form', 800, 'dark'],
  ['query', '#/query', 'textarea#cypher', 1440, 'light'],
  ['chat', '#/chat', 'main form', 360, 'light'],
  ['health', '#/health', '.counts dd', 800, 'dark'],
];

const references = IS_WRITING ? { machine: '', views: {} } : JSON.parse(readFileSync(FILE, 'utf8'));

let server;
before(async () => (server = await start()));
after(async () => {
  await server.stop();
  if (IS_WRITING) writeFileSync(FILE, `${JSON.stringify(references, null, 1)}\n`);
});

/** What the look depends on besides the page: the version of the browser, and how wide its fonts write. */
function machineOf(page) {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d');
    const family = getComputedStyle(document.documentElement).fontFamily;
    const widths = [`400 16px ${family}`, `650 28px ${family}`, '400 14px monospace'].map((font) => {
      context.font = font;
      return context.measureText('Why is the answer the answer? ← 0123456789').width.toFixed(2);
    });
    const [, version] = /Chrome\/(\d+)/.exec(navigator.userAgent);
    return `Chromium ${version}, widths ${widths.join(' ')}`;
  });
}

/** The lightness of each cell of what is seen, in rows. */
async function cellsOf(page) {
  const png = (await page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64');
  const painter = await page.context().newPage();
  try {
    const cells = await painter.evaluate(async ([png, size]) => {
      const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const columns = Math.ceil(width / size);
      const sums = new Array(columns * Math.ceil(height / size)).fill(0);
      const counts = sums.slice();
      for (let at = 0; at < data.length; at += 4) {
        const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
        const cell = Math.floor(y / size) * columns + Math.floor(x / size);
        sums[cell] += 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
        counts[cell]++;
      }
      return sums.map((sum, cell) => Math.round(sum / counts[cell]));
    }, [png, CELL]);
    return Buffer.from(cells);
  } finally {
    await painter.close();
  }
}

/** How many of a thousand cells are off. */
function offIn(cells, reference) {
  if (cells.length !== reference.length) return 1000;
  const off = cells.filter((lightness, cell) => Math.abs(lightness - reference[cell]) > OFF_MAX).length;
  return (1000 * off) / cells.length;
}

for (const [name, view, wanted, width, scheme] of VIEWS) {
  const key = `${name}-${width}-${scheme}`;
  test(`${name} at ${width} pixels, ${scheme}, looks as it did`, async (context) => {
    await visit(server, { width, scheme }, async (page) => {
      await page.goto(view.startsWith('#') ? `${server.address}/${view}` : ask(server, view));
      await page.waitForSelector(wanted);
      const machine = await machineOf(page);
      if (IS_WRITING) references.machine = machine;
      if (references.machine !== machine) {
        context.skip(`the references are of ${references.machine}, and this is ${machine}`);
        return;
      }
      await page.evaluate(() => {
        // Each run takes another time, and a longer one may need another line.
        const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/(< )?[\d.]+ ms\b/, '10 ms');
        document.activeElement?.blur();
      });
      const cells = await cellsOf(page);
      if (IS_WRITING) references.views[key] = cells.toString('base64');
      const reference = Buffer.from(references.views[key], 'base64');
      const off = offIn(cells, reference);
      assert.ok(off <= CELLS_MAX, `${off.toFixed(1)} of 1000 cells are off; REFERENCES=write makes the references anew`);
      // What is compared is not blind: a view without its main part is not the same.
      await page.evaluate(() => (document.querySelector('main').lastElementChild.style.visibility = 'hidden'));
      await page.evaluate(() => (document.querySelector('main').firstElementChild.style.visibility = 'hidden'));
      const blind = offIn(await cellsOf(page), reference);
      assert.ok(blind > CELLS_MAX, `${blind.toFixed(1)} of 1000 cells are off without the first and last part`);
    });
  });
}
