/** Where each passage of the ways stands in the drawing. The same ways give the same drawing. */

import type { Hop } from '../forms.ts';
import type { Way } from './view.ts';

export const NODE_WIDTH = 132;
export const NODE_HEIGHT = 42;
const GAP_X = 78;
const GAP_Y = 20;
const MARGIN = 4;
/** Letters in a line of a node, and lines in a node. */
const LETTERS = 15;
const LINES = 2;

/** A passage on a way. A passage that several ways reach stands once for each of them. */
export interface Node {
  key: string;
  passage: string;
  /** The step that leads here; none where a way begins. */
  step: Hop | null;
  parent: Node | null;
  children: Node[];
  depth: number;
  x: number;
  y: number;
}

export interface Layout {
  nodes: Node[];
  width: number;
  height: number;
}

/** Arranges the ways as a forest: ways that begin alike share their beginning, and hops are columns. */
export function layoutOf(ways: Way[]): Layout {
  const roots: Node[] = [];
  const nodes: Node[] = [];
  for (const way of ways) {
    let siblings = roots;
    let parent: Node | null = null;
    way.passages.forEach((passage, depth) => {
      const known: Node | undefined = siblings.find((node) => node.passage === passage);
      const node: Node = known ?? {
        key: parent ? `${parent.key}/${passage}` : passage,
        passage,
        step: depth > 0 ? (way.steps[depth - 1] ?? null) : null,
        parent,
        children: [],
        depth,
        x: MARGIN + depth * (NODE_WIDTH + GAP_X),
        y: 0,
      };
      if (!known) {
        siblings.push(node);
        nodes.push(node);
      }
      parent = node;
      siblings = node.children;
    });
  }
  let row = 0;
  const place = (node: Node): void => {
    // The first way goes straight on; the others branch off below it.
    node.y = MARGIN + row * (NODE_HEIGHT + GAP_Y);
    node.children.forEach((child, at) => {
      if (at > 0) row += 1;
      place(child);
    });
  };
  roots.forEach((root, at) => {
    if (at > 0) row += 1;
    place(root);
  });
  const columns = nodes.reduce((most, node) => Math.max(most, node.depth + 1), 0);
  const ordered = [...nodes].sort((a, b) => a.y - b.y || a.x - b.x);
  return {
    nodes: ordered,
    width: columns === 0 ? 0 : 2 * MARGIN + columns * NODE_WIDTH + (columns - 1) * GAP_X,
    height: nodes.length === 0 ? 0 : 2 * MARGIN + (row + 1) * NODE_HEIGHT + row * GAP_Y,
  };
}

/** Cuts a text to so many letters. */
export function shorten(text: string, letters: number): string {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, letters - 1).join('').trimEnd()}…`;
}

/** Breaks a title into the lines of a node. */
export function linesOf(title: string): string[] {
  const lines: string[] = [];
  let rest = title.slice(0, 500).split(/\s+/).filter(Boolean);
  while (rest.length > 0 && lines.length < LINES) {
    let line = rest.shift()!;
    while (rest.length > 0 && [...line, ...rest[0]!].length < LETTERS) line += ` ${rest.shift()}`;
    if (lines.length === LINES - 1 && rest.length > 0) line = `${shorten(line, LETTERS - 1)}…`.replace('……', '…');
    lines.push(shorten(line, LETTERS));
  }
  return lines;
}
