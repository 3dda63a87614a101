/** How the database is doing: what is in it, how it runs, and whether every reference holds. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { get, post } from '../api.ts';
import type { Counted } from '../forms.ts';
import { messages } from '../messages.ts';
import { session } from '../session.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.health;
const number = (value: number) => value.toLocaleString('en');

export function Health() {
  const request = useRequest();
  const [counted, setCounted] = useState<Counted | null>(null);
  useEffect(() => void request.run(async () => setCounted(await get<Counted>('/v1/stats'))), []);
  return (
    <>
      <h1>{words.title}</h1>
      <Problems request={request} />
      {counted && <Content counted={counted} />}
      {counted && (
        <div class="halves">
          <Running counted={counted} />
          <Check />
        </div>
      )}
    </>
  );
}

function Content({ counted }: { counted: Counted }) {
  const counts: [string, number][] = [
    [words.documents, counted.documents],
    [words.passages, counted.passages],
    [words.entities, counted.entities],
    [words.relations, counted.relations],
  ];
  return (
    <section class="sheet" aria-labelledby="content-heading">
      <h2 id="content-heading">{words.content}</h2>
      <dl class="counts">
        {counts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Running({ counted }: { counted: Counted }) {
  const { indexed, points, disk_bytes, journal_bytes, spent } = counted;
  const isWordsOnly = / without an embedder$/.test(counted.embedder);
  return (
    <section class="sheet" aria-labelledby="running-heading">
      <h2 id="running-heading">{words.running}</h2>
      <dl class="pairs">
        <Pair name={words.embedder}>{isWordsOnly ? words.byWords : words.byMeaning}</Pair>
        <Pair name={words.search}>
          {indexed === 0 ? words.unindexed(number(points)) : words.indexed(number(indexed), number(points))}
        </Pair>
        {disk_bytes !== null && <Pair name={words.disk}>{words.megabytes(disk_bytes)}</Pair>}
        <Pair name={words.journal}>{journal_bytes === null ? words.noJournal : words.journalHolds(journal_bytes)}</Pair>
        <Pair name={words.place}>
          {counted.backend}, <bdi>{counted.location}</bdi>
        </Pair>
        <Pair name={words.workspaceName}>
          <bdi>{counted.workspace}</bdi>{' '}
          <button type="button" class="link" onClick={() => (session.needsKey.value = true)}>
            {words.workspace}
          </button>
        </Pair>
        <Pair name={words.spent}>
          {!spent && words.notSpent}
          {spent && Object.keys(spent.jobs).length > 1 && (
            <div>{words.spentOn(words.inAll, spent.total.calls, spent.total.tokens_in + spent.total.tokens_out, spent.total.cost)}</div>
          )}
          {spent &&
            Object.entries(spent.jobs).map(([job, { calls, tokens_in, tokens_out, cost }]) => (
              <div key={job}>{words.spentOn(job, calls, tokens_in + tokens_out, cost)}</div>
            ))}
        </Pair>
        <Pair name={words.fingerprint}>
          <small>{counted.embedder}</small>
        </Pair>
      </dl>
    </section>
  );
}

function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Check() {
  const request = useRequest();
  const [violations, setViolations] = useState<string[] | null>(null);
  const verify = async () => {
    setViolations(null);
    setViolations((await post<{ violations: string[] }>('/v1/verify', {})).violations);
  };
  return (
    <section class="sheet" aria-labelledby="check-heading">
      <h2 id="check-heading">{words.check}</h2>
      <p class="note">{words.checkWhat}</p>
      <button type="button" class="quiet" disabled={request.isRunning} onClick={() => request.run(verify)}>
        {request.isRunning ? words.checking : words.verify}
      </button>
      <Problems request={request} />
      <div role="status">
        {violations && (violations.length === 0 ? <p class="sound">{words.sound}</p> : <p class="warning">{words.broken(violations.length)}</p>)}
        {violations && violations.length > 0 && (
          <ul class="lines" tabIndex={0} aria-labelledby="check-heading">
            {violations.map((violation) => (
              <li key={violation}>
                <bdi>{violation}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
