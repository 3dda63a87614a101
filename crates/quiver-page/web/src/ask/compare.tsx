/** Two lists of passages side by side: what plain search alone would have shown beside what was shown, and others. */

import { messages } from '../messages.ts';
import { classes, pointsAt, shade } from './highlight.ts';
import { shorten } from './layout.ts';
import type { Card, View } from './view.ts';

const words = messages.compare;
/** The height of a row and of the card in it, as in the style. */
const ROW = 44;
const CARD = 38;
const GAP = 80;

export function Compare({ view }: { view: View }) {
  const { plain, ranked } = view;
  if (plain.length === 0) return null;
  const same = isSame(plain, ranked);
  return (
    <section class="compare" aria-labelledby="compare-heading">
      <h2 id="compare-heading">{words.title}</h2>
      <p class="note">{same ? words.same : words.what}</p>
      {!same && <Sides left={{ title: words.title, cards: plain }} right={{ title: words.with, cards: ranked }} />}
    </section>
  );
}

/** Whether two lists have the same passages in the same order. */
export function isSame(left: Card[], right: Card[]): boolean {
  return left.length === right.length && left.every((card, at) => card.passage === right[at]!.passage);
}

interface SideProps {
  title: string;
  cards: Card[];
}

/** Two lists, with a line from each passage to its place in the other. */
export function Sides({ left, right }: { left: SideProps; right: SideProps }) {
  const rows = Math.max(left.cards.length, right.cards.length);
  const y = (row: number) => row * ROW + CARD / 2;
  return (
    <div class="sides">
      <Side {...left} />
      <svg width={GAP} height={rows * ROW} viewBox={`0 0 ${GAP} ${rows * ROW}`} preserveAspectRatio="none" aria-hidden="true">
        {left.cards.map((card, from) => {
          const to = right.cards.findIndex((other) => other.passage === card.passage);
          if (to < 0) return null;
          const path = `M0 ${y(from)}C${GAP / 2} ${y(from)} ${GAP / 2} ${y(to)} ${GAP} ${y(to)}`;
          return <path key={card.passage} class={shade(card.passage)} d={path} />;
        })}
      </svg>
      <Side {...right} />
    </div>
  );
}

function Side({ title, cards }: SideProps) {
  return (
    <div>
      <h3>{title}</h3>
      <ol>
        {cards.map((card) => (
          <li key={card.passage}>
            <button
              type="button"
              class={classes('card', card.isPlain ? 'plain' : 'added', shade(card.passage))}
              {...pointsAt(card.passage)}
            >
              <bdi>{shorten(card.title, 60)}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
