/** Where each thing stands in the drawing of Explore. The same steps give the same drawing. */

import type { Link, Linked, Thing } from '../forms.ts';

export const NODE_WIDTH = 178;
export const NODE_HEIGHT = 32;
const GAP_X = 88;
const GAP_Y = 10;
const MARGIN = 4;

/** A thing in the drawing, or the stub for those that are not listed yet. */
export interface Node {
  thing: Thing;
  parent: Node | null;
  /** What leads here from the parent. */
  links: Link[];
  /** How many more links the parent has; 0 for a thing. */
  more: number;
  children: Node[];
  x: number;
  y: number;
}

/** A link between two things that stand in the drawing already. */
export interface Chord {
  from: Node;
  to: Node;
}

export interface Picture {
  nodes: Node[];
  chords: Chord[];
  width: number;
  height: number;
}

/** How many links of a thing are not listed. */
export function unlisted({ counts, links }: Linked): number {
  return Math.max(0, counts.about + counts.relation + counts.mention - links.length);
}

/** Arranges what was opened, in the order in which it was opened: a thing stays where it was first seen. */
export function pictureOf(root: Thing, opened: Map<string, Linked>): Picture {
  // As it was read last: it may have been renamed since.
  const node = (thing: Thing, parent: Node | null, more = 0) => nodeOf(opened.get(thing.id)?.thing ?? thing, parent, more);
  const first = node(root, null);
  const placed = new Map([[root.id, first]]);
  const chords: Chord[] = [];
  const joined = new Set<string>();
  for (const [id, linked] of opened) {
    const from = placed.get(id);
    if (!from) continue;
    for (const link of linked.links) {
      const to = placed.get(link.thing.id);
      if (!to) {
        const child = node(link.thing, from);
        child.links.push(link);
        placed.set(link.thing.id, child);
        from.children.push(child);
      } else if (to.parent === from) {
        to.links.push(link);
      } else if (from.parent !== to && from !== to) {
        const pair = from.thing.id < to.thing.id ? `${from.thing.id} ${to.thing.id}` : `${to.thing.id} ${from.thing.id}`;
        if (!joined.has(pair)) chords.push({ from, to });
        joined.add(pair);
      }
    }
    const rest = unlisted(linked);
    if (rest > 0) from.children.push(node({ id: `${id}+`, kind: 'entity', name: '' }, from, rest));
  }
  return arranged([first], chords);
}

export function nodeOf(thing: Thing, parent: Node | null, more = 0): Node {
  return { thing, parent, links: [], more, children: [], x: parent ? parent.x + NODE_WIDTH + GAP_X : MARGIN, y: 0 };
}

/** Gives each thing of some trees its row: the first child stands beside its parent, and the others below it. */
export function arranged(roots: Node[], chords: Chord[]): Picture {
  const nodes: Node[] = [];
  let row = 0;
  let width = 0;
  const stack = roots.toReversed();
  for (let at = stack.pop(); at; at = stack.pop()) {
    if (at.parent ? at.parent.children[0] !== at : at !== roots[0]) row += 1;
    at.y = MARGIN + row * (NODE_HEIGHT + GAP_Y);
    width = Math.max(width, at.x + NODE_WIDTH + MARGIN);
    nodes.push(at);
    for (let child = at.children.length - 1; child >= 0; child--) stack.push(at.children[child]!);
  }
  return { nodes, chords, width, height: 2 * MARGIN + (row + 1) * (NODE_HEIGHT + GAP_Y) - GAP_Y };
}

/** The sentence of a text that says a name, with the name as it is written there. */
export function sentenceWith(text: string, name: string): { sentence: string; written: string } | null {
  const wanted = name.toLowerCase();
  for (const sentence of text.split(/(?<=[.!?])\s+|\n+/)) {
    // A heading names a thing and says nothing of it.
    if (sentence.startsWith('#')) continue;
    const at = sentence.toLowerCase().indexOf(wanted);
    if (wanted && at >= 0) return { sentence: sentence.trim(), written: sentence.slice(at, at + name.length) };
  }
  return null;
}
