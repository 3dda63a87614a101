import { expect, test } from 'vitest';

import { DRAWN_MAX, graphOf, pictureOfGraph } from '../src/tabs/graph.ts';

const node = (id: string, label = 'Entity') => ({ id, labels: [label], properties: { name: id.toUpperCase() } });
const link = (start: string, end: string, type = 'KNOWS') => ({ id: `${start}${type}${end}`, type, start, end, properties: {} });

test('nodes and relationships are found in cells, lists, maps and paths, with the rows that they are in', () => {
  const graph = graphOf([
    { a: node('a'), r: link('a', 'b'), b: node('b') },
    { a: [node('a'), { deep: node('c') }], r: null, b: 'text' },
    { p: { nodes: [node('b'), node('d')], relationships: [link('b', 'd')] } },
  ]);
  expect([...graph.nodes.keys()]).toEqual(['a', 'b', 'c', 'd']);
  expect([...graph.relationships.keys()]).toEqual(['aKNOWSb', 'bKNOWSd']);
  expect([...graph.rows].map(([id, rows]) => [id, [...rows]])).toEqual([['a', [0, 1]], ['b', [0, 2]], ['c', [1]], ['d', [2]]]);
  expect(graphOf([{ name: 'a', count: 3, nothing: null }]).nodes.size).toBe(0);
});

test('rows are drawn as trees along the relationships, and further relationships are chords', () => {
  const rows = [
    { a: node('a'), r: link('a', 'b'), b: node('b') },
    { a: node('c'), r: link('c', 'a', 'ABOUT'), b: node('a') },
    { a: node('b'), r: link('b', 'c'), b: node('c') },
    { a: node('e', 'Passage'), r: link('e', 'e'), b: null },
    { a: node('f'), r: link('f', 'gone'), b: null },
  ];
  const { nodes, chords } = pictureOfGraph(graphOf(rows));
  expect(nodes.map(({ thing, parent, y }) => [thing.name, parent?.thing.id, y])).toEqual([
    ['A', undefined, 4],
    ['B', 'a', 4],
    ['C', 'a', 46],
    ['E', undefined, 88],
    ['F', undefined, 130],
  ]);
  expect(nodes[2]!.links.map(({ kind, is_outgoing }) => [kind, is_outgoing])).toEqual([['about', false]]);
  expect(nodes[3]!.thing.kind).toBe('passage');
  expect(chords.map(({ from, to }) => [from.thing.id, to.thing.id])).toEqual([['b', 'c']]);
  expect(pictureOfGraph(graphOf(rows))).toEqual(pictureOfGraph(graphOf(structuredClone(rows))));
});

test('two relationships between the same nodes are one curve, and only so many nodes are drawn', () => {
  const both = pictureOfGraph(graphOf([{ a: node('a'), b: node('b'), r: link('a', 'b'), s: link('b', 'a', 'LIKES') }]));
  expect([both.nodes[1]!.links.length, both.chords.length]).toEqual([2, 0]);
  const many = Array.from({ length: DRAWN_MAX + 5 }, (_, at) => ({ a: node(`n${at}`) }));
  expect(pictureOfGraph(graphOf(many)).nodes.length).toBe(DRAWN_MAX);
});
