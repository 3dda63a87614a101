/** Which things of the drawing belong together: groups with more links within than chance would give. */

import type { Picture } from './picture.ts';

/** How many colours there are for groups. */
export const GROUP_COLOURS = 5;
/** The smallest group that is shown. */
const MEMBERS_MIN = 3;
/** How often all things are gone through at the most; mostly it is settled sooner. */
const ROUNDS_MAX = 20;

/** Things that belong together. */
export interface Group {
  /** The thing with the most links in it. */
  head: string;
  members: string[];
}

/**
 * The groups of a drawing, the largest first: the first level of Louvain's method, which moves each thing to the group
 * of its neighbours that raises modularity the most. Things are gone through as they stand, and the first of equals
 * counts, so that the same drawing has the same groups.
 */
export function groupsOf({ nodes, chords }: Picture): Group[] {
  const things = nodes.filter(({ more }) => more === 0);
  const indices = new Map(things.map((node, at) => [node, at]));
  const neighbours: number[][] = things.map(() => []);
  const join = (from: number | undefined, to: number | undefined) => {
    if (from === undefined || to === undefined || from === to) return;
    neighbours[from]!.push(to);
    neighbours[to]!.push(from);
  };
  for (const node of things) if (node.parent) join(indices.get(node), indices.get(node.parent));
  for (const { from, to } of chords) join(indices.get(from), indices.get(to));
  const ends = neighbours.reduce((sum, list) => sum + list.length, 0);
  if (ends === 0) return [];
  const groups = things.map((_, at) => at);
  /** How many ends of links each group has. */
  const totals = neighbours.map((list) => list.length);
  for (let round = 0, moved = true; moved && round < ROUNDS_MAX; round++) {
    moved = false;
    for (const [at, list] of neighbours.entries()) {
      const own = groups[at]!;
      const links = new Map<number, number>([[own, 0]]);
      for (const other of list) links.set(groups[other]!, (links.get(groups[other]!) ?? 0) + 1);
      totals[own]! -= list.length;
      const gain = (group: number) => links.get(group)! - (totals[group]! * list.length) / ends;
      let best = own;
      for (const group of links.keys()) if (gain(group) > gain(best)) best = group;
      totals[best]! += list.length;
      groups[at] = best;
      moved ||= best !== own;
    }
  }
  const members = new Map<number, number[]>();
  for (const [at, group] of groups.entries()) {
    const list = members.get(group);
    if (list) list.push(at);
    else members.set(group, [at]);
  }
  const within = (at: number) => neighbours[at]!.filter((other) => groups[other] === groups[at]).length;
  const shown = [...members.values()].filter((list) => list.length >= MEMBERS_MIN);
  shown.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  return shown.map((list) => {
    const head = list.reduce((best, at) => (within(at) > within(best) ? at : best));
    return { head: things[head]!.thing.id, members: list.map((at) => things[at]!.thing.id) };
  });
}
