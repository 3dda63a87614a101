import { expect, test } from 'vitest';

import { complete, KNOWN, mistakeIn, type Schema } from '../src/tabs/cypher.ts';

const SCHEMA: Schema = { labels: ['Person', 'Passage'], types: ['KNOWS', 'is led by'], properties: ['name', 'note', 'text'] };

/** What is proposed where `|` stands. */
function proposed(query: string, isAsked = false): string[] {
  const caret = query.indexOf('|');
  const found = complete(query.replace('|', ''), caret, SCHEMA, isAsked);
  return found?.proposals.map(({ text }) => text) ?? [];
}

test('labels, types, properties, variables, keywords and functions are proposed where they may stand', () => {
  expect(proposed('MATCH (a:P|')).toEqual(['Person', 'Passage']);
  expect(proposed('MATCH (a:|) RETURN a')).toEqual(['Person', 'Passage']);
  expect(proposed('MATCH (:Person)-[r:|')).toEqual(['KNOWS', '`is led by`']);
  expect(proposed('MATCH (:Person)-[r:K|]->(b)')).toEqual(['KNOWS']);
  expect(proposed('MATCH (a) RETURN a.n|')).toEqual(['name', 'note']);
  expect(proposed('MATCH (a {na|')).toEqual(['name: ']);
  expect(proposed("MATCH (a {name: 'x', t|")).toEqual(['text: ']);
  expect(proposed('MATCH (person) WHERE pe|')).toEqual(['person']);
  expect(proposed('MATCH (a) RET|')).toEqual(['RETURN ']);
  expect(proposed('MATCH (a) RETURN toLo|')).toEqual(['toLower(']);
});

test('nothing is proposed inside of a text, a comment or a number, or where a word is complete', () => {
  expect(proposed("MATCH (a {name: 'na|")).toEqual([]);
  expect(proposed("MATCH (a) WHERE a.name = 'it\\'s na|")).toEqual([]);
  expect(proposed('MATCH (a) // na|')).toEqual([]);
  expect(proposed('RETURN 1.|')).toEqual([]);
  expect(proposed('MATCH (a) RETURN a.note|')).toEqual([]);
  expect(proposed('MATCH (a) |')).toEqual([]);
  expect(proposed('MATCH (a) RETURN a|')).toEqual([]);
  expect(proposed('MATCH (a) |', true)).toContain('MATCH ');
});

test('every graph has passages that mention entities', () => {
  expect(complete('MATCH (:Pas', 11, KNOWN)?.proposals.map(({ name }) => name)).toEqual(['Passage']);
  expect(complete('MATCH ()-[:M', 12, KNOWN)?.proposals.map(({ name }) => name)).toEqual(['MENTIONS']);
});

test('a mistake stands where its message says', () => {
  const query = "MATCH (a)\nWHER a.name = 'x'\nRETURN a";
  const marked = (message: string, text = query) => {
    const mistake = mistakeIn(text, message);
    return mistake && [text.slice(mistake.start, mistake.end), mistake.message];
  };
  expect(marked('running the query: line 2, column 1: expected a clause')).toEqual(['WHER', 'expected a clause']);
  expect(marked('line 2, column 15: a text')).toEqual(["'", 'a text']);
  expect(marked('line 3, column 9: expected more')).toEqual(['a', 'expected more']);
  expect(marked('line 1, column 6: letters, not bytes', '🜁🜁🜁 abc')).toEqual(['bc', 'letters, not bytes']);
  expect(marked('line 9, column 1: elsewhere')).toBeNull();
  expect(marked('it took too long')).toBeNull();
  expect(marked('line 1, column 1: nothing at all', '')).toEqual(['', 'nothing at all']);
});
