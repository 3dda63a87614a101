/** The four columns, from the question to the answer. They fill one after the other while the server works. */

import type { ComponentChildren } from 'preact';

import type { Considered, Stage } from '../forms.ts';
import { messages } from '../messages.ts';
import { Bar, Found, Ranked } from './cards.tsx';
import { classes } from './highlight.ts';
import { Hops } from './hops.tsx';
import { hopsMade, stages, view } from './state.ts';
import { Understood } from './understood.tsx';
import { Followed } from './ways.tsx';
import type { View } from './view.ts';

const words = messages.columns;

interface Column {
  key: 'understood' | 'found' | 'followed' | 'ranked';
  /** The stages whose times and lines belong here. */
  stages: string[];
  body: (view: View) => ComponentChildren;
}

const COLUMNS: Column[] = [
  { key: 'understood', stages: ['contextualise', 'understand'], body: (view) => <Understood view={view} /> },
  { key: 'found', stages: ['search'], body: (view) => <Found view={view} /> },
  { key: 'followed', stages: ['expand'], body: (view) => <Followed view={view} /> },
  {
    key: 'ranked',
    stages: ['rerank', 'answer'],
    body: (view) => (
      <>
        <Ranked view={view} />
        <Options considered={view.answered.considered} />
      </>
    ),
  },
];

export function Columns() {
  // What a query over records answers was not searched for.
  const isQueried = view.value?.answered.query !== undefined && view.value.found.length === 0;
  const columns = isQueried ? COLUMNS.slice(0, 1) : COLUMNS;
  return (
    <div class={classes('columns', isQueried && 'alone')}>
      {columns.map((column) => {
        const ended = stages.value.filter((stage) => column.stages.includes(stage.kind));
        const isBegun = ended.length > 0 || (column.key === 'followed' && hopsMade.value.length > 0);
        return (
          <section key={column.key} class={classes(column.key, isBegun && 'ended')} aria-labelledby={`${column.key}-heading`}>
            <h2 id={`${column.key}-heading`}>
              {words[column.key]}
              {ended.length > 0 && <small>{messages.time(ended.reduce((sum, stage) => sum + stage.duration_us, 0))}</small>}
            </h2>
            <p class="note">{words.what[column.key]}</p>
            {!view.value && column.key === 'followed' && <Hops hops={hopsMade.value} />}
            {view.value ? column.body(view.value) : <Lines stages={ended} />}
            {view.value && <Details stages={ended} />}
          </section>
        );
      })}
    </div>
  );
}

function Lines({ stages }: { stages: Stage[] }) {
  return (
    <ul class="lines" tabIndex={0} aria-label={words.details}>
      {stages.flatMap((stage) => stage.lines.map((line, at) => <li key={`${stage.kind}${at}`}>{line}</li>))}
    </ul>
  );
}

function Details({ stages }: { stages: Stage[] }) {
  if (stages.every((stage) => stage.lines.length === 0)) return null;
  return (
    <details>
      <summary>{words.details}</summary>
      <Lines stages={stages} />
    </details>
  );
}

/** What was considered as the answer. */
function Options({ considered }: { considered: Considered[] }) {
  if (considered.length === 0) return null;
  return (
    <details>
      <summary>{messages.answer.considered}</summary>
      <ol class="considered">
        {considered.map((option, at) => (
          <li key={at}>
            <bdi>{option.text}</bdi>
            <Bar label="" share={option.confidence} />
            {option.objection && <small>{messages.answer.objections[option.objection] ?? option.objection}</small>}
          </li>
        ))}
      </ol>
    </details>
  );
}

export function Legend({ view }: { view: View }) {
  if (view.found.length === 0) return null;
  return (
    <p class="legend">
      <span>
        <span class="key plain" aria-hidden="true" /> {words.legendPlain}
      </span>
      <span>
        <span class="key added" aria-hidden="true" /> {words.legendGraph}
      </span>
    </p>
  );
}
