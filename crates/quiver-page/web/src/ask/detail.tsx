/** What is known of one passage: its text with what the answer rests on, how it was reached, what its place rests on. */

import { useEffect, useRef } from 'preact/hooks';

import { messages } from '../messages.ts';
import { leaveOut } from './differently.tsx';
import { excerptOf } from './marks.ts';
import { Pins } from './pins.tsx';
import { hashOf, isRecorded } from './place.ts';
import { asked, opened } from './state.ts';
import { Marked } from './text.tsx';
import { supportOf, textOf, titleOf, type Card, type View } from './view.ts';

const words = messages.detail;
/** A feature that adds less than this is named and has no bar. */
const ADDS_MIN = 0.005;

export function Detail({ view }: { view: View }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const passage = opened.value;
  useEffect(() => {
    if (passage && !dialog.current?.open) dialog.current?.showModal();
  }, [passage]);
  if (!passage) return null;
  const card = view.cards.get(passage);
  const text = textOf(view, passage);
  const leaveThisOut = () => {
    // As long as the dialog is open, nothing else can have the focus.
    dialog.current?.close();
    leaveOut(passage, titleOf(view, passage));
  };
  const isCut = !view.answered.passages.some((each) => each.passage === passage) && [...text].length >= 4000;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="detail-heading"
      onClose={() => (opened.value = null)}
      onClick={(event) => event.target === event.currentTarget && dialog.current?.close()}
    >
      <header>
        <h2 id="detail-heading">
          <bdi>{titleOf(view, passage)}</bdi>
        </h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {messages.close}
        </button>
      </header>
      {card && (
        <p class="note">
          <bdi>{card.document}</bdi>
        </p>
      )}
      {!isRecorded && (
        <p class="actions">
          {card && (
            <a href={hashOf(card.title.slice(0, 200), 'explore')} onClick={() => (opened.value = null)}>
              {messages.explore.from}
            </a>
          )}
          {asked.value && !asked.value.without.includes(passage) && (
            <button type="button" class="link" onClick={leaveThisOut}>
              {messages.differently.leaveOut}
            </button>
          )}
        </p>
      )}
      {asked.value && <Pins key={passage} passage={passage} asked={asked.value} onPin={() => dialog.current?.close()} />}
      {card && <Path view={view} card={card} />}
      <h3>{words.text}</h3>
      <p class="text" tabIndex={0}>
        <Marked text={text} marks={supportOf(view, passage).map((text) => ({ text, mark: 'support' }))} />
        {isCut && <em> {words.cut}</em>}
      </p>
      {card && <Features card={card} />}
    </dialog>
  );
}

function Path({ view, card }: { view: View; card: Card }) {
  const steps = card.candidate.path;
  if (steps.length === 0) return null;
  return (
    <>
      <h3>{words.path}</h3>
      <ol class="steps">
        {steps.map((step, at) => (
          <li key={at}>
            <strong>
              <bdi>{titleOf(view, step.from)}</bdi>
            </strong>
            {': '}
            {step.sentence ? (
              <q>
                <Marked text={excerptOf(step.sentence, step.name)} marks={[{ text: step.name, mark: 'bridge' }]} />
              </q>
            ) : (
              <bdi>{step.text}</bdi>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The features as a waterfall: each bar begins where the one before ends. */
function Features({ card }: { card: Card }) {
  const { features, stages, score } = card.candidate;
  let sum = 0;
  const bars = features.map((feature) => {
    const start = sum;
    sum += feature.adds;
    return { feature, start, end: sum };
  });
  const edges = bars.flatMap(({ start, end }) => [start, end]);
  const [least, most] = [Math.min(0, ...edges), Math.max(0.001, ...edges)];
  const adding = bars.filter(({ feature }) => Math.abs(feature.adds) >= ADDS_MIN);
  const rest = bars.filter((bar) => !adding.includes(bar)).map(({ feature }) => words.names[feature.name] ?? feature.name);
  const x = (value: number) => ((value - least) / (most - least)) * 100;
  return (
    <>
      <h3>{words.features}</h3>
      <p class="facts">
        <span>{words.likely}</span>
        {stages.map((share, at) => (
          <span key={at}>
            {words.share(share)} {words.stages[at]}
          </span>
        ))}
        <strong>
          {words.share(score)} {words.final}
        </strong>
      </p>
      <table class="features">
        <thead>
          <tr>
            <th scope="col">{words.feature}</th>
            <th scope="col">{words.value}</th>
            <th scope="col" colSpan={2}>
              {words.adds}
            </th>
          </tr>
        </thead>
        <tbody>
          {adding.map(({ feature, start, end }) => (
            <tr key={feature.name}>
              <th scope="row">{words.names[feature.name] ?? feature.name}</th>
              <td>{feature.value.toFixed(2)}</td>
              <td>{feature.adds.toFixed(2)}</td>
              <td>
                <svg class="track" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class={end < start ? 'less' : 'fill'}
                    x={x(Math.min(start, end)).toFixed(1)}
                    width={Math.max(0.5, Math.abs(x(end) - x(start))).toFixed(1)}
                    height="8"
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length > 0 && <p class="note">{words.addNothing(rest)}</p>}
      <p class="note">{words.featuresWhat}</p>
    </>
  );
}
