/** Facts that have ended, struck through, with what ended them. */

import { messages } from '../messages.ts';
import { dayOf } from '../turns.tsx';
import { dated, endedIn, history, isLater, stateOf, type Dated } from './history.ts';
import { shownDay } from './state.ts';
import type { Card } from './view.ts';

const words = messages.differently;

/** What a card says that holds no more, and whether it was written later than the day that is shown. */
export function OverTime({ card }: { card: Card }) {
  const day = shownDay.value;
  if (isLater(history.value, card.passage, day)) return <small>{words.later(day)}</small>;
  return <Ended passage={card.candidate} />;
}

/** The facts in a passage that have ended. */
export function Ended({ passage }: { passage: { document: string; text: string } }) {
  return (
    <>
      {endedIn(dated.value, passage, shownDay.value).map((each) => (
        <small key={each.fact.id} class="ended">
          <Fact dated={each} />
        </small>
      ))}
    </>
  );
}

/** The facts that changed over time, as they stand on the day that is shown. */
export function Changed() {
  const changed = dated.value;
  if (changed.length === 0) return null;
  return (
    <ul class="changed" aria-label={words.facts}>
      {changed.slice(0, 12).map((each) => (
        <li key={each.fact.id} class={stateOf(each, shownDay.value)}>
          <Fact dated={each} />
        </li>
      ))}
    </ul>
  );
}

function Fact({ dated }: { dated: Dated }) {
  const { fact, by } = dated;
  const state = stateOf(dated, shownDay.value);
  const said = `${fact.subject} ${fact.predicate} ${fact.denied ? messages.memory.denied : ''} ${fact.object}`.replaceAll(/\s+/g, ' ');
  const text = <bdi>{said.slice(0, 300)}</bdi>;
  const since = dayOf(fact.begin);
  if (state !== 'ended') return <>{text} <small>{state === 'later' ? words.notYet(since) : words.since(since)}</small></>;
  return (
    <>
      <s>{text}</s> <small>{fact.end === null ? words.over : words.until(dayOf(fact.end))}</small>
      {by && (
        <>
          {' '}
          <small>{words.endedBy}</small>{' '}
          <q>
            <bdi>{by.sentence.slice(0, 300)}</bdi>
          </q>
        </>
      )}
    </>
  );
}
