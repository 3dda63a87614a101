import { expect, test } from 'vitest';

import { groupsOf } from '../src/explore/communities.ts';
import { NODE_HEIGHT, NODE_WIDTH, pictureOf, sentenceWith, unlisted } from '../src/explore/picture.ts';
import { saidOf, splitOf, textsOf } from '../src/explore/split.ts';
import { curve, neighbour } from '../src/tree.ts';
import type { Link, Linked, Thing } from '../src/forms.ts';

function thing(id: string): Thing {
  return { id, kind: 'entity', name: id };
}

function linked(id: string, others: string[], all = others.length): Linked {
  const link = (other: string): Link => ({ kind: 'relation', is_outgoing: true, predicate: 'knows', thing: thing(other) });
  return { thing: thing(id), counts: { about: 0, relation: all, mention: 0 }, links: others.map(link) };
}

function opened(...all: Linked[]): Map<string, Linked> {
  return new Map(all.map((each) => [each.thing.id, each]));
}

test('a thing stays where it was first seen, and further links to it are chords', () => {
  const before = pictureOf(thing('a'), opened(linked('a', ['b', 'c', 'd'])));
  const after = pictureOf(thing('a'), opened(linked('a', ['b', 'c', 'd']), linked('c', ['a', 'e', 'b'])));
  const parents = (picture: typeof after) => picture.nodes.map(({ thing, parent }) => [thing.id, parent?.thing.id]);
  expect(parents(before)).toEqual([['a', undefined], ['b', 'a'], ['c', 'a'], ['d', 'a']]);
  expect(parents(after)).toEqual([['a', undefined], ['b', 'a'], ['c', 'a'], ['e', 'c'], ['d', 'a']]);
  expect(after.chords.map(({ from, to }) => [from.thing.id, to.thing.id])).toEqual([['c', 'b']]);
});

test('no two things stand at one place, and the picture has room for all', () => {
  const { nodes, width, height } = pictureOf(thing('a'), opened(linked('a', ['b', 'c'], 9), linked('b', ['d', 'e', 'a']), linked('e', ['f'])));
  expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
  for (const node of nodes) {
    expect(node.x).toBeLessThan(width);
    expect(node.y).toBeLessThan(height);
    if (node.parent) expect(curve(node.parent, node, { width: NODE_WIDTH, height: NODE_HEIGHT })).toMatch(/^M/);
  }
});

test('things with more links among themselves belong together, and the same drawing has the same groups', () => {
  const steps = [linked('a', ['b', 'c', 'd']), linked('b', ['c', 'e']), linked('d', ['f', 'g', 'h']), linked('f', ['g', 'h', 'd'], 9)];
  const groups = groupsOf(pictureOf(thing('a'), opened(...steps)));
  expect(groups.map(({ head, members }) => [head, [...members].sort()])).toEqual([
    ['b', ['a', 'b', 'c', 'e']],
    ['d', ['d', 'f', 'g', 'h']],
  ]);
  expect(groupsOf(pictureOf(thing('a'), opened(...steps)))).toEqual(groups);
  expect(groupsOf(pictureOf(thing('a'), new Map()))).toEqual([]);
  const many = [linked('a', Array.from({ length: 2500 }, (_, at) => `a${at}`)), linked('a0', Array.from({ length: 2500 }, (_, at) => `b${at}`))];
  const began = performance.now();
  expect(groupsOf(pictureOf(thing('a'), opened(...many))).map(({ members }) => members.length)).toEqual([2501, 2500]);
  expect(performance.now() - began).toBeLessThan(1000);
});

test('links that are not listed are counted in a stub', () => {
  const one = linked('a', ['b', 'c'], 40);
  expect(unlisted(one)).toBe(38);
  expect(pictureOf(thing('a'), opened(one)).nodes.map(({ more }) => more)).toEqual([0, 0, 0, 38]);
});

test('what is linked twice stands once, with both links', () => {
  const { nodes } = pictureOf(thing('a'), opened(linked('a', ['b', 'b', 'a'])));
  expect(nodes.map(({ thing, links }) => [thing.id, links.length])).toEqual([['a', 0], ['b', 2]]);
});

test('what was opened below something that is closed is not drawn', () => {
  const { nodes } = pictureOf(thing('a'), opened(linked('a', ['b']), linked('z', ['y'])));
  expect(nodes.map(({ thing }) => thing.id)).toEqual(['a', 'b']);
});

test('5,000 things are arranged within 100 ms', () => {
  const all = Array.from({ length: 5 }, (_, at) => linked(`h${at}`, [`h${at + 1}`, ...Array.from({ length: 999 }, (_, leaf) => `${at}-${leaf}`)]));
  const began = performance.now();
  const { nodes } = pictureOf(thing('h0'), opened(...all));
  expect(performance.now() - began).toBeLessThan(100);
  expect(nodes.length).toBe(5001);
});

test('arrow keys go from thing to thing', () => {
  const picture = pictureOf(thing('a'), opened(linked('a', ['b', 'c']), linked('b', ['d'])));
  const at = (id: string) => picture.nodes.find(({ thing }) => thing.id === id)!;
  const to = (id: string, key: string) => neighbour(picture.nodes, at(id), key)?.thing.id;
  expect([to('a', 'ArrowRight'), to('b', 'ArrowDown'), to('c', 'ArrowUp'), to('d', 'ArrowLeft')]).toEqual(['b', 'c', 'b', 'b']);
  expect([to('a', 'ArrowLeft'), to('b', 'ArrowUp'), to('d', 'ArrowRight'), to('a', 'x')]).toEqual([undefined, undefined, undefined, undefined]);
});

test('the sentence that says a name is found as it is written, and no heading is taken for one', () => {
  const text = '# Trombexan\n\nIt is a tablet. The effect of TROMBEXAN wears off! Trombexan again.';
  expect(sentenceWith(text, 'Trombexan')).toEqual({ sentence: 'The effect of TROMBEXAN wears off!', written: 'TROMBEXAN' });
  expect(sentenceWith(text, 'nobody')).toBeNull();
  expect(sentenceWith(text, '')).toBeNull();
});

test('a thing is split by whole texts, or by some passages of one', () => {
  const link = (id: string, document: string, session?: string): Link => ({
    kind: 'mention',
    is_outgoing: false,
    thing: { id, kind: 'passage', name: id, document, ...(session === undefined ? {} : { session }) },
  });
  const links = [link('t1', 'race', 'race'), link('p1', 'team.md'), link('p2', 'planet.md'), link('p3', 'team.md'), link('c1', 'quiver:conversation', 'chat')];
  const mercury: Linked = { thing: thing('Mercury'), counts: { about: 0, relation: 1, mention: 5 }, links: [...linked('Mercury', ['x']).links, ...links] };
  const texts = textsOf(mercury);
  expect(texts.map(({ name, isSession, passages }) => [name, isSession, passages.map(({ id }) => id)])).toEqual([
    ['planet.md', false, ['p2']],
    ['team.md', false, ['p1', 'p3']],
    ['race', true, ['t1']],
  ]);
  const keys = texts.map(({ key }) => key);
  expect(splitOf(texts, new Set(['p3', 't1']))).toEqual({ documents: [], sessions: [], passages: ['p3', 't1'] });
  expect(splitOf(texts, new Set([...keys.slice(1), 'p3', 't1']))).toEqual({ documents: ['team.md'], sessions: ['race'], passages: [] });
});

test('a thing that was split off is called what its texts call it', () => {
  const of = (is_outgoing: boolean): Linked => {
    const link: Link = { kind: 'relation', is_outgoing, predicate: 'split into', decision: 'd', thing: thing('Mercury') };
    return { thing: thing('Mercury (team)'), counts: { about: 0, relation: 1, mention: 0 }, links: [link] };
  };
  expect(saidOf(of(false))).toBe('Mercury');
  expect(saidOf(of(true))).toBe('Mercury (team)');
});
