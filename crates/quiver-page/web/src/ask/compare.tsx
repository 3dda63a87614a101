/** What plain search alone would have shown, beside what was shown. */

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
  const same = plain.length === ranked.length && plain.every((card, at) => card.passage === ranked[at]!.passage);
  const rows = Math.max(plain.length, ranked.length);
  const y = (row: number) => row * ROW + CARD / 2;
  return (
    <section class="compare" aria-labelledby="compare-heading">
      <h2 id="compare-heading">{words.title}</h2>
      <p class="note">{same ? words.same : words.what}</p>
      {!same && (
        <div class="sides">
          <Side title={words.title} cards={plain} />
          <svg width={GAP} height={rows * ROW} viewBox={`0 0 ${GAP} ${rows * ROW}`} aria-hidden="true">
            {plain.map((card, from) => {
              const to = ranked.findIndex((other) => other.passage === card.passage);
              if (to < 0) return null;
              const path = `M0 ${y(from)}C${GAP / 2} ${y(from)} ${GAP / 2} ${y(to)} ${GAP} ${y(to)}`;
              return <path key={card.passage} class={shade(card.passage)} d={path} />;
            })}
          </svg>
          <Side title={words.with} cards={ranked} />
        </div>
      )}
    </section>
  );
}

function Side({ title, cards }: { title: string; cards: Card[] }) {
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
