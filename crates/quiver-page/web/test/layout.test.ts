import { expect, test } from 'vitest';

import { layoutOf, linesOf, shorten } from '../src/ask/layout.ts';
import { neighbour } from '../src/tree.ts';
import type { Way } from '../src/ask/view.ts';
import { viewed } from './recorded.ts';

function way(...passages: string[]): Way {
  const steps = passages.slice(1).map((to, at) => ({
    from: passages[at]!,
    step: 'mention' as const,
    text: to,
    name: to,
  }));
  return { passages, steps };
}

test('ways that begin alike share their beginning, and the first goes straight on', () => {
  const { nodes } = layoutOf([way('a', 'b', 'c'), way('a', 'd'), way('a', 'b', 'e'), way('f')]);
  const rows = new Map(nodes.map((node) => [node.key, node.y]));
  expect([...rows.keys()]).toEqual(['a', 'a/b', 'a/b/c', 'a/b/e', 'a/d', 'f']);
  expect(rows.get('a')).toBe(rows.get('a/b/c'));
  expect(new Set(rows.values()).size).toBe(4);
});

test('no two passages stand at one place, and each stands to the right of the one before', () => {
  const { nodes, width, height } = layoutOf([...viewed('answer').ways, ...viewed('answer').otherWays]);
  expect(new Set(nodes.map((node) => `${node.x} ${node.y}`)).size).toBe(nodes.length);
  for (const node of nodes) {
    if (node.parent) expect(node.x).toBeGreaterThan(node.parent.x);
    expect(node.x).toBeLessThan(width);
    expect(node.y).toBeLessThan(height);
  }
});

test('300 ways are arranged within 100 ms', () => {
  const ways = Array.from({ length: 300 }, (_, at) => way(`a${at % 7}`, `b${at % 40}`, `c${at % 120}`, `d${at}`));
  const began = performance.now();
  const { nodes } = layoutOf(ways);
  expect(performance.now() - began).toBeLessThan(100);
  expect(nodes.length).toBeGreaterThan(300);
});

test('arrow keys go from hop to hop', () => {
  const layout = layoutOf([way('a', 'b', 'c'), way('a', 'd')]);
  const at = (key: string) => layout.nodes.find((node) => node.key === key)!;
  expect(neighbour(layout.nodes, at('a'), 'ArrowRight')?.key).toBe('a/b');
  expect(neighbour(layout.nodes, at('a/b'), 'ArrowDown')?.key).toBe('a/d');
  expect(neighbour(layout.nodes, at('a/d'), 'ArrowUp')?.key).toBe('a/b');
  expect(neighbour(layout.nodes, at('a/b'), 'ArrowLeft')?.key).toBe('a');
  expect(neighbour(layout.nodes, at('a'), 'ArrowLeft')).toBeNull();
  expect(neighbour(layout.nodes, at('a'), 'x')).toBeNull();
});

test('no ways need no room', () => {
  expect(layoutOf([])).toEqual({ nodes: [], width: 0, height: 0 });
});

test('titles are cut to the lines of a node, by letters and not by halves of them', () => {
  expect(linesOf('Trombexan')).toEqual(['Trombexan']);
  expect(linesOf('Pneumonia caught at home')).toEqual(['Pneumonia', 'caught at home']);
  expect(linesOf('a very long title that no node has room for')).toEqual(['a very long', 'title that no…']);
  expect(linesOf('x'.repeat(10_000))).toEqual([`${'x'.repeat(14)}…`]);
  expect(shorten('🜁'.repeat(20), 5)).toBe(`${'🜁'.repeat(4)}…`);
  expect(linesOf('')).toEqual([]);
});
