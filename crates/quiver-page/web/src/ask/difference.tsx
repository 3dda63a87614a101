/** What is different from the answer before, when the same question was asked differently. */

import type { Answered } from '../forms.ts';
import { messages } from '../messages.ts';
import { kindOf } from './answer.tsx';
import { isSame, Sides } from './compare.tsx';
import type { Card, View } from './view.ts';

const words = messages.difference;

export function Difference({ before, now }: { before: View; now: View }) {
  const changes = changesOf(before.ranked, now.ranked);
  const same = isSame(before.ranked, now.ranked);
  return (
    <section class="compare" aria-labelledby="difference-heading">
      <h2 id="difference-heading">{words.title}</h2>
      <dl class="then">
        <dt>{words.before}</dt>
        <dd>
          <bdi>{saidIn(before.answered)}</bdi>
        </dd>
        <dt>{words.now}</dt>
        <dd>
          <bdi>{saidIn(now.answered)}</bdi>
        </dd>
      </dl>
      {same ? (
        <p class="note">{words.same}</p>
      ) : (
        <>
          <ul class="changes">
            <Change what={words.came} titles={changes.came.map((card) => card.title)} />
            <Change what={words.went} titles={changes.went.map((card) => card.title)} />
            <Change what={words.moved} titles={changes.moved.map(({ card, from, to }) => words.from(card.title, from, to))} />
          </ul>
          <Sides left={{ title: words.before, cards: before.ranked }} right={{ title: words.now, cards: now.ranked }} />
        </>
      )}
    </section>
  );
}

function Change({ what, titles }: { what: string; titles: string[] }) {
  if (titles.length === 0) return null;
  return (
    <li>
      <strong>{what}</strong>{' '}
      {titles.map((title, at) => (
        <span key={at}>
          {at > 0 && '; '}
          <bdi>{title}</bdi>
        </span>
      ))}
    </li>
  );
}

/** What an answer says, in one line. */
export function saidIn(answered: Answered): string {
  const kind = kindOf(answered);
  if (kind === 'answer') return answered.answer ?? '';
  if (kind === 'refused') return messages.answer.refused;
  return words.found(answered.found[0]?.sentence ?? '');
}

export interface Changes {
  came: Card[];
  went: Card[];
  /** The passages in both lists at other places, from 1. */
  moved: { card: Card; from: number; to: number }[];
}

export function changesOf(before: Card[], now: Card[]): Changes {
  const placeIn = (cards: Card[], card: Card) => cards.findIndex((other) => other.passage === card.passage) + 1;
  const places = now.map((card, at) => ({ card, from: placeIn(before, card), to: at + 1 }));
  return {
    came: now.filter((card) => placeIn(before, card) === 0),
    went: before.filter((card) => placeIn(now, card) === 0),
    moved: places.filter(({ from, to }) => from > 0 && from !== to),
  };
}
