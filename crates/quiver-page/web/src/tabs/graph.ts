/** The nodes and relationships in the rows of a query, as a drawing. The same rows give the same drawing. */

import { arranged, nodeOf, type Chord, type Node, type Picture } from '../explore/picture.ts';
import type { Link, Thing } from '../forms.ts';
import { cell } from '../rows.tsx';

/** How many nodes are drawn at the most. */
export const DRAWN_MAX = 500;
/** How deep lists and maps in rows are gone through. */
const DEPTH_MAX = 8;

export interface GraphNode {
  id: string;
  labels: string[];
  properties: Record<string, unknown>;
}

interface Relationship {
  id: string;
  type: string;
  start: string;
  end: string;
}

export interface Graph {
  nodes: Map<string, GraphNode>;
  relationships: Map<string, Relationship>;
  /** The numbers of the rows that each node is in. */
  rows: Map<string, Set<number>>;
}

export function graphOf(rows: Record<string, unknown>[]): Graph {
  const graph: Graph = { nodes: new Map(), relationships: new Map(), rows: new Map() };
  const collect = (value: unknown, row: number, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
    if (isNode(value)) {
      graph.nodes.set(value.id, value);
      const known = graph.rows.get(value.id);
      if (known) known.add(row);
      else graph.rows.set(value.id, new Set([row]));
    } else if (isRelationship(value)) {
      graph.relationships.set(value.id, value);
    } else {
      // A path, a list, or a map.
      for (const each of Object.values(value)) collect(each, row, depth + 1);
    }
  };
  rows.forEach((row, at) => Object.values(row).forEach((value) => collect(value, at, 0)));
  return graph;
}

function isNode(value: object): value is GraphNode {
  const { id, labels, properties } = value as Partial<GraphNode>;
  return typeof id === 'string' && Array.isArray(labels) && typeof properties === 'object' && properties !== null;
}

function isRelationship(value: object): value is Relationship {
  const all = value as Record<string, unknown>;
  return ['id', 'type', 'start', 'end'].every((name) => typeof all[name] === 'string');
}

export function thingOf(node: GraphNode): Thing {
  return { id: node.id, kind: node.labels.includes('Passage') ? 'passage' : 'entity', name: cell(node) };
}

/** Arranges the first nodes as trees along their relationships; further relationships are chords. */
export function pictureOfGraph({ nodes, relationships }: Graph): Picture {
  const drawn = new Set([...nodes.keys()].slice(0, DRAWN_MAX));
  const links = new Map<string, { link: Link; other: string }[]>();
  const add = (id: string, other: string, link: Link) => {
    const list = links.get(id);
    if (list) list.push({ link, other });
    else links.set(id, [{ link, other }]);
  };
  for (const { type, start, end } of relationships.values()) {
    if (!drawn.has(start) || !drawn.has(end) || start === end) continue;
    const kind = type === 'ABOUT' ? 'about' : type === 'MENTIONS' ? 'mention' : 'relation';
    const said = kind === 'relation' ? { kind, predicate: type } as const : { kind } as const;
    add(start, end, { ...said, is_outgoing: true, thing: thingOf(nodes.get(end)!) });
    add(end, start, { ...said, is_outgoing: false, thing: thingOf(nodes.get(start)!) });
  }
  const placed = new Map<string, Node>();
  const roots: Node[] = [];
  const chords: Chord[] = [];
  const joined = new Set<string>();
  for (const id of drawn) {
    if (placed.has(id)) continue;
    const root = nodeOf(thingOf(nodes.get(id)!), null);
    placed.set(id, root);
    roots.push(root);
    const queue = [root];
    for (let from = queue.shift(); from; from = queue.shift()) {
      for (const { link, other } of links.get(from.thing.id) ?? []) {
        const to = placed.get(other);
        if (!to) {
          const child = nodeOf(link.thing, from);
          child.links.push(link);
          placed.set(other, child);
          from.children.push(child);
          queue.push(child);
        } else if (to.parent === from) {
          if (to.links[0] !== link) to.links.push(link);
        } else if (from.parent !== to) {
          const pair = from.thing.id < other ? `${from.thing.id} ${other}` : `${other} ${from.thing.id}`;
          if (!joined.has(pair)) chords.push({ from, to });
          joined.add(pair);
        }
      }
    }
  }
  return arranged(roots, chords);
}
