/** Cards of passages: what the search found, and what the answer may use. */

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { messages } from '../messages.ts';
import { OverTime } from './ended.tsx';
import { classes, pointsAt, shade } from './highlight.ts';
import { history, isLater } from './history.ts';
import { shownDay } from './state.ts';
import { NAME_MAX, type Card, type View } from './view.ts';

/** How many cards are shown at first. */
const SHOWN = 5;
/** How long a new answer is shown as plain search sorts it, in milliseconds. */
const SORTED_AFTER = 700;

export function Found({ view }: { view: View }) {
  if (view.found.length === 0) return <p class="note">{messages.found.nothing}</p>;
  return (
    <Cards cards={view.found}>
      {(card) => (
        <>
          <Bar label={messages.found.words} share={featureOf(card, 'lexical')} />
          {hasMeaning(view) && <Bar label={messages.found.meaning} share={featureOf(card, 'dense')} />}
          <small>{why(view, card)}</small>
        </>
      )}
    </Cards>
  );
}

export function Ranked({ view }: { view: View }) {
  const words = messages.ranked;
  const plain = inPlainOrder(view.ranked);
  const isSorted = plain.some((card, at) => card !== view.ranked[at]);
  // A new answer is sorted before one's eyes.
  const [isPlain, setPlain] = useState(() => isSorted && wantsMotion());
  const list = useRef<HTMLDivElement>(null);
  const moves = useMoves(list, isPlain);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sort = (isPlain: boolean) => {
    clearTimeout(timer.current);
    moves.begin();
    setPlain(isPlain);
  };
  useEffect(() => {
    if (isPlain) timer.current = setTimeout(() => sort(false), SORTED_AFTER);
    return () => clearTimeout(timer.current);
  }, []);
  if (view.ranked.length === 0) return <p class="note">{words.nothing}</p>;
  return (
    <div ref={list} class="ordered">
      {isSorted && (
        <fieldset class="order">
          <legend class="hidden">{words.order}</legend>
          {([true, false] as const).map((plain) => (
            <label key={String(plain)}>
              <input type="radio" name="order" checked={isPlain === plain} onChange={() => sort(plain)} />
              {plain ? words.searchOrder : words.finalOrder}
            </label>
          ))}
        </fieldset>
      )}
      <Cards cards={isPlain ? plain : view.ranked}>
        {(card) => (
          <>
            <Bar label={words.score} share={card.candidate.score} />
            {moved(card) && <small>{moved(card)}</small>}
          </>
        )}
      </Cards>
      <p class="note">{words.candidates(view.ranked.length, view.explanation.candidates_count)}</p>
    </div>
  );
}

function wantsMotion(): boolean {
  return globalThis.matchMedia?.('(prefers-reduced-motion: no-preference)').matches ?? false;
}

/** What the answer may use as plain search would sort it; last comes what it does not find. */
export function inPlainOrder(cards: Card[]): Card[] {
  const place = ({ candidate }: Card) => candidate.plain_rank ?? Infinity;
  return [...cards].sort((a, b) => (place(a) === place(b) ? a.rank - b.rank : place(a) - place(b)));
}

/** Lets the cards of a list go to their new places when it is sorted anew, unless less motion is wanted. */
function useMoves(list: RefObject<HTMLElement | null>, order: boolean) {
  const before = useRef(new Map<Element, number>());
  const cards = () => [...(list.current?.querySelectorAll('.cards > li') ?? [])];
  useLayoutEffect(() => {
    if (!wantsMotion()) return;
    for (const card of cards()) {
      const from = before.current.get(card);
      const to = card.getBoundingClientRect().top;
      if (from === undefined || from === to) continue;
      card.animate([{ transform: `translateY(${from - to}px)` }, { transform: 'none' }], { duration: 350, easing: 'ease-in-out' });
    }
    before.current.clear();
  }, [order]);
  return {
    begin: () => {
      before.current = new Map(cards().map((card) => [card, card.getBoundingClientRect().top]));
    },
  };
}

function Cards({ cards, children }: { cards: Card[]; children: (card: Card) => ComponentChildren }) {
  const [all, setAll] = useState(false);
  const shown = all ? cards : cards.slice(0, SHOWN);
  return (
    <>
      <ol class="cards">
        {shown.map((card) => (
          <li key={card.passage}>
            <button
              type="button"
              class={classes('card', card.isPlain ? 'plain' : 'added', shade(card.passage), isLater(history.value, card.passage, shownDay.value) && 'later')}
              {...pointsAt(card.passage)}
            >
              <strong>
                <bdi>{card.title}</bdi>
              </strong>
              {children(card)}
              <OverTime card={card} />
            </button>
          </li>
        ))}
      </ol>
      {cards.length > SHOWN && (
        <button type="button" class="link" onClick={() => setAll(!all)}>
          {all ? messages.fewer : messages.more(cards.length - SHOWN)}
        </button>
      )}
    </>
  );
}

export function Bar({ label, share }: { label: string; share: number }) {
  const value = Math.min(1, Math.max(0, share));
  return (
    <span class="bar">
      <span>{label}</span>
      <svg class="track" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="rail" width="100" height="6" />
        <rect class="fill" width={(value * 100).toFixed(1)} height="6" />
      </svg>
      <span class="figure">{share.toFixed(2)}</span>
    </span>
  );
}

function featureOf(card: Card, name: string): number {
  return card.candidate.features.find((feature) => feature.name === name)?.value ?? 0;
}

function hasMeaning(view: View): boolean {
  return view.found.some((card) => featureOf(card, 'dense') > 0);
}

/** Why the search found a passage. */
function why(view: View, card: Card): string {
  const { names, parts, pinned = [] } = view.explanation;
  const pins = (card.candidate.pinned ?? []).map((at) => `“${pinned[at]!.entity.slice(0, NAME_MAX)}”`);
  if (pins.length > 0) return messages.found.pinned(pins.join(', '));
  const named = card.candidate.names.map((name) => `“${names[name]!.entity.slice(0, NAME_MAX)}”`);
  if (featureOf(card, 'linked_name') + featureOf(card, 'linked_word') > 0 && named.length > 0) {
    return messages.found.about(named.join(', '));
  }
  const said = card.candidate.parts.map((part) => parts[part]!.text);
  return said.length > 0 ? messages.found.shares(said.join(', ')) : messages.found.bySentence;
}

/** How the graph moved a passage. */
function moved(card: Card): string | null {
  const words = messages.ranked;
  const before = card.candidate.plain_rank;
  if (before === null) return words.added;
  if (before === card.rank) return null;
  return before > card.rank ? words.up(before) : words.down(before);
}
