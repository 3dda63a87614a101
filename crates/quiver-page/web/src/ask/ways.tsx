/** The third column: a drawing of the ways from passage to passage. */

import { useMemo, useRef, useState } from 'preact/hooks';

import type { HopCut } from '../forms.ts';
import { messages } from '../messages.ts';
import { classes, pointsAt, shade } from './highlight.ts';
import { curve, neighbour } from '../tree.ts';
import { layoutOf, linesOf, NODE_HEIGHT, NODE_WIDTH, shorten, type Node } from './layout.ts';
import { opened } from './state.ts';
import { chainsOf, NAME_MAX, titleOf, wayTo, type View } from './view.ts';

const words = messages.followed;
const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT };
/** How many letters of a name fit on its curve. */
const LETTERS = 11;
/** How much of its width a drawing may be made smaller to, where it would not fit. */
const LEAST = 0.85;
/** How many of the other ways are opened at once. */
const OPENED = 60;

export function Followed({ view }: { view: View }) {
  const [opened, setOpened] = useState(0);
  const { otherWays } = view;
  // What the search found and nothing leads on from stands in the column before.
  const ways = useMemo(() => view.ways.filter(({ steps }) => steps.length > 0), [view]);
  const drawn = useMemo(() => [...ways, ...otherWays.slice(0, opened)], [ways, opened]);
  const next = Math.min(OPENED, otherWays.length - opened);
  return (
    <>
      {ways.length === 0 && <p class="note">{words.none}</p>}
      {drawn.length > 0 && <Drawing view={view} ways={drawn} />}
      {next > 0 && (
        <button type="button" class="link" onClick={() => setOpened(opened + next)}>
          {words.others(next, otherWays.length - opened)}
        </button>
      )}
      {opened > 0 && (
        <button type="button" class="link" onClick={() => setOpened(0)}>
          {words.fewer}
        </button>
      )}
      {(view.explanation.cuts ?? []).map((cut, at) => (
        <NotFollowed key={at} view={view} cut={cut} />
      ))}
    </>
  );
}

/** What a budget cut at a hop, as a stub that opens. */
function NotFollowed({ view, cut }: { view: View; cut: HopCut }) {
  const { hop, budget, passages_count: count, names } = cut;
  const rest = count - names.reduce((sum, name) => sum + name.passages_count, 0);
  return (
    <details class="stub">
      <summary>{budget === 'passages_read' ? words.notRead(count, hop) : words.notFollowed(count, hop)}</summary>
      <p class="note">{words.cutBy[budget] ?? words.cutBy.other}</p>
      <ul>
        {names.map(({ name, passage, passages_count: many }, at) => (
          <li key={at}>
            {passage && view.cards.has(passage) ? (
              <button type="button" class="link" onClick={() => (opened.value = passage)}>
                <bdi>{name.slice(0, NAME_MAX)}</bdi>
              </button>
            ) : (
              <bdi>{name.slice(0, NAME_MAX)}</bdi>
            )}
            {budget === 'passages_read' && <small> {messages.count(many, 'passage')}</small>}
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="note">{words.cutMore(rest)}</p>}
    </details>
  );
}

export function Drawing({ view, ways }: { view: View; ways: View['ways'] }) {
  const layout = useMemo(() => layoutOf(ways), [ways]);
  const [current, setCurrent] = useState<string | null>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const first = layout.nodes[0]?.key;
  const cited = useMemo(() => citedIn(view), [view]);
  const go = (event: KeyboardEvent, node: Node) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      opened.value = node.passage;
      return;
    }
    const next = neighbour(layout.nodes, node, event.key);
    if (!next) return;
    event.preventDefault();
    setCurrent(next.key);
    drawing.current?.querySelector<SVGGElement>(`[data-at="${layout.nodes.indexOf(next)}"]`)?.focus();
  };
  return (
    // It scrolls where it is wider than its column, which the keyboard has to reach.
    <div class="drawing" role="group" aria-label={words.picture} tabIndex={0}>
      <svg
        ref={drawing}
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        style={{ '--least': `${Math.round(layout.width * LEAST)}px` }}
      >
        {layout.nodes.map((node) => node.parent && <Step key={node.key} node={node} isCited={cited.has(node.key)} />)}
        {layout.nodes.map((node, at) => (
          <g
            key={node.key}
            data-at={at}
            role="button"
            tabindex={node.key === (current ?? first) ? 0 : -1}
            class={classes('node', view.cards.get(node.passage)?.isPlain ? 'plain' : 'added', cited.has(node.key) && 'cited', shade(node.passage))}
            transform={`translate(${node.x} ${node.y})`}
            onKeyDown={(event) => go(event, node)}
            {...pointsAt(node.passage)}
          >
            <title>{spoken(view, node)}</title>
            <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
            <Title title={titleOf(view, node.passage)} />
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The way to the sentence that the answer rests on, by the keys of its nodes. */
function citedIn(view: View): Set<string> {
  const [first] = chainsOf(view.answered);
  const { passages } = first ? wayTo(first.passage, first.path) : { passages: [] };
  return new Set(passages.map((_, at) => passages.slice(0, at + 1).join('/')));
}

function Title({ title }: { title: string }) {
  const lines = linesOf(title);
  const top = NODE_HEIGHT / 2 + 4 - (lines.length - 1) * 7.5;
  return (
    <text x="10" y={top}>
      {lines.map((line, at) => (
        <tspan key={at} x="10" dy={at === 0 ? 0 : 15}>
          {line}{' '}
        </tspan>
      ))}
    </text>
  );
}

function Step({ node, isCited }: { node: Node; isCited: boolean }) {
  const { parent, step } = node;
  if (!parent || !step) return null;
  const shaded = shade(parent.passage) === 'lit' && shade(node.passage) === 'lit' ? 'lit' : shade(node.passage) && 'dim';
  const isName = step.step === 'mention' || step.step === 'bridge';
  // A curve comes from above, so its name stands below it.
  const middle = node.y + NODE_HEIGHT / 2;
  const y = node.y === parent.y ? middle - 5 : middle + 14;
  return (
    <g class={classes('step', step.step, isCited && 'cited', shaded)} aria-hidden="true">
      <path d={curve(parent, node, SIZE)} />
      {isName && (
        <text x={node.x - 7} y={y} text-anchor="end">
          {shorten(step.name, LETTERS)}
        </text>
      )}
    </g>
  );
}

/** What is read out for a passage: how it was reached, from the beginning. */
function spoken(view: View, node: Node): string {
  const title = titleOf(view, node.passage);
  if (!node.step || !node.parent) return `${title}: ${words.starts}`;
  const titles: string[] = [];
  for (let at: Node | null = node; at; at = at.parent) titles.unshift(titleOf(view, at.passage));
  return `${title}: ${words.steps[node.step.step](node.step.name.slice(0, NAME_MAX))}. ${words.path(titles)}`;
}
