/** The drawing of what was opened: only what can be seen of it is in the document. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { classes } from '../ask/highlight.ts';
import { shorten } from '../ask/layout.ts';
import type { Thing } from '../forms.ts';
import { messages } from '../messages.ts';
import { curve, neighbour } from '../tree.ts';
import { GROUP_COLOURS, type Group } from './communities.ts';
import { NODE_HEIGHT, NODE_WIDTH, type Node, type Picture } from './picture.ts';

const words = messages.explore;
const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT };
/** How many letters of a name fit in a node, and of a predicate on a curve. */
const LETTERS = 22;
const LABEL_LETTERS = 14;
/** How far beyond what can be seen is drawn, in pixels. */
const BEYOND = 400;

interface Props {
  picture: Picture;
  groups: Group[];
  chosen: string | null;
  onChoose: (thing: Thing) => void;
  onMore?: (id: string) => void;
  /** Whether it shows the rows of a query, where nothing begins and nothing is opened. */
  isQueried?: boolean;
}

export function Drawing({ picture, groups, chosen, onChoose, onMore, isQueried = false }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: -BEYOND, bottom: 1200 });
  const [current, setCurrent] = useState<string | null>(null);
  /** The thing that the keyboard goes to once it is drawn. */
  const next = useRef<string | null>(null);
  const nodes = useMemo(
    () => picture.nodes.filter(({ y }) => y + NODE_HEIGHT >= seen.top && y <= seen.bottom),
    [picture, seen],
  );
  const groupOf = useMemo(
    () => new Map(groups.slice(0, GROUP_COLOURS).flatMap(({ members }, at) => members.map((id) => [id, at] as const))),
    [groups],
  );
  const drawn = useMemo(() => new Set(nodes), [nodes]);
  const chords = picture.chords.filter(({ from, to }) => drawn.has(from) || drawn.has(to));
  const look = () => {
    const { scrollTop, clientHeight } = box.current!;
    const [top, bottom] = [scrollTop - BEYOND, scrollTop + clientHeight + BEYOND];
    if (Math.abs(top - seen.top) > BEYOND / 2 || bottom > seen.bottom + BEYOND / 2) setSeen({ top, bottom });
  };
  useEffect(() => {
    const node = picture.nodes.find(({ thing }) => thing.id === chosen);
    if (!node || !box.current) return;
    // What was opened stands to the right of it.
    const { clientWidth } = box.current;
    const end = Math.max(node.x, ...node.children.map((child) => child.x)) + NODE_WIDTH + 8 - clientWidth;
    if (end > box.current.scrollLeft || node.x < box.current.scrollLeft) {
      box.current.scrollTo({ left: Math.max(0, Math.min(node.x - 8, end)) });
    }
  }, [picture]);
  useEffect(() => {
    if (next.current === null) return;
    elementOf(next.current)?.focus();
    next.current = null;
  });
  const elementOf = (id: string) => box.current?.querySelector<SVGGElement>(`[data-id="${CSS.escape(id)}"]`);
  const go = (event: KeyboardEvent, node: Node) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      act(node);
      return;
    }
    const to = neighbour(picture.nodes, node, event.key);
    if (!to) return;
    event.preventDefault();
    setCurrent(to.thing.id);
    const drawn = elementOf(to.thing.id);
    if (drawn) {
      drawn.focus();
      return;
    }
    // It is beyond what is drawn.
    next.current = to.thing.id;
    const { clientHeight } = box.current!;
    const top = Math.max(0, to.y - clientHeight / 2);
    box.current!.scrollTop = top;
    setSeen({ top: top - BEYOND, bottom: top + clientHeight + BEYOND });
  };
  const act = (node: Node) => (node.more > 0 ? onMore?.(node.parent!.thing.id) : onChoose(node.thing));
  const first = nodes.some(({ thing }) => thing.id === current) ? current : nodes[0]?.thing.id;
  return (
    <div class="sheet whole">
      <p class="legend">
        <span>
          <span class="key entity" aria-hidden="true" /> {words.legend.entity}
        </span>
        <span>
          <span class="key passage" aria-hidden="true" /> {words.legend.passage}
        </span>
        <span>
          <span class="rule about" aria-hidden="true" /> {words.legend.about}
        </span>
        <span>
          <span class="rule mention" aria-hidden="true" /> {words.legend.mention}
        </span>
      </p>
      <div ref={box} class="drawing" role="group" aria-label={isQueried ? words.pictureOfRows : words.picture} tabIndex={0} onScroll={look}>
        <svg width={picture.width} height={picture.height} viewBox={`0 0 ${picture.width} ${picture.height}`}>
          {chords.map(({ from, to }) => (
            <path key={`${from.thing.id} ${to.thing.id}`} class="chord" d={from.x <= to.x ? curve(from, to, SIZE) : curve(to, from, SIZE)} />
          ))}
          {nodes.map((node) => node.parent && <Step key={node.thing.id} node={node} />)}
          {nodes.map((node) => node.parent && <Label key={node.thing.id} node={node} />)}
          {nodes.map((node) => (
            <g
              key={node.thing.id}
              data-id={node.thing.id}
              role="button"
              tabindex={node.thing.id === first ? 0 : -1}
              class={classes(
                'node',
                node.more > 0 ? 'more' : node.thing.kind,
                groupOf.has(node.thing.id) && `g${groupOf.get(node.thing.id)}`,
                node.thing.id === chosen && 'chosen',
              )}
              transform={`translate(${node.x} ${node.y})`}
              onKeyDown={(event) => go(event, node)}
              onClick={() => act(node)}
            >
              <title>{spoken(node, isQueried)}</title>
              <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx={node.thing.kind === 'entity' ? NODE_HEIGHT / 2 : 4} />
              {groupOf.has(node.thing.id) && <circle class="group" cx={NODE_WIDTH - 10} cy={NODE_HEIGHT / 2} r="4" />}
              <text x="14" y={NODE_HEIGHT / 2 + 4}>
                {node.more > 0 ? words.more(node.more) : shorten(node.thing.name.slice(0, 200), LETTERS)}
              </text>
            </g>
          ))}
        </svg>
      </div>
    </div>
  );
}

function Step({ node }: { node: Node }) {
  const { parent, links } = node;
  const kind = links.some((link) => link.kind === 'about') ? 'about' : (links[0]?.kind ?? 'relation');
  return (
    <g class={classes('step', kind)} aria-hidden="true">
      <path d={curve(parent!, node, SIZE)} />
    </g>
  );
}

/** What a relation says, above all curves. */
function Label({ node }: { node: Node }) {
  const predicate = node.links.find((link) => link.predicate)?.predicate;
  if (!predicate) return null;
  const middle = node.y + NODE_HEIGHT / 2;
  return (
    <g class="step" aria-hidden="true">
      <text x={node.x - 6} y={node.y === node.parent!.y ? middle - 5 : middle + 13} text-anchor="end">
        {shorten(predicate.slice(0, 100), LABEL_LETTERS)}
      </text>
    </g>
  );
}

/** What is read out for a thing. */
function spoken(node: Node, isQueried: boolean): string {
  const { thing, parent, links, more } = node;
  if (more > 0) return words.moreOf(more, parent!.thing.name.slice(0, 200));
  const name = thing.name.slice(0, 200);
  if (!parent) return isQueried ? name : words.begins(name);
  const [link] = links;
  const from = parent.thing.name.slice(0, 200);
  if (link?.predicate) return link.is_outgoing ? `${from} ${link.predicate} ${name}` : `${name} ${link.predicate} ${from}`;
  const [passage, entity] = thing.kind === 'passage' ? [name, from] : [from, name];
  return link?.kind === 'about' ? words.saidAbout(passage, entity, name) : words.saidMention(passage, entity, name);
}
