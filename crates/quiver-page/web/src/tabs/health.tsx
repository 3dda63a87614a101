/** How the database is doing: what is in it, and whether every reference holds. */

import { useEffect, useState } from 'preact/hooks';

import { get, post } from '../api.ts';
import type { Counted } from '../forms.ts';
import { messages } from '../messages.ts';
import { session } from '../session.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.health;

export function Health() {
  const request = useRequest();
  const [counted, setCounted] = useState<Counted | null>(null);
  const [violations, setViolations] = useState<string[] | null>(null);
  useEffect(() => request.run(async () => setCounted(await get<Counted>('/v1/stats'))), []);
  const verify = async () => {
    setViolations(null);
    setViolations((await post<{ violations: string[] }>('/v1/verify', {})).violations);
  };
  return (
    <>
      <h1>{words.title}</h1>
      <Problems request={request} />
      {counted && (
        <dl class="sheet counts">
          {rowsOf(counted).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p class="actions">
        <button type="button" class="quiet" disabled={request.isRunning} onClick={() => request.run(verify)}>
          {words.verify}
        </button>
        <button type="button" class="quiet" onClick={() => (session.needsKey.value = true)}>
          {words.workspace}
        </button>
      </p>
      <div role="status">
        {violations && (violations.length === 0 ? <p>{words.sound}</p> : <p class="warning">{words.broken(violations.length)}</p>)}
        <ul class="lines">
          {(violations ?? []).map((violation) => (
            <li key={violation}>
              <bdi>{violation}</bdi>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function rowsOf(counted: Counted): [string, string][] {
  const number = (value: number) => value.toLocaleString('en');
  const total = counted.spent?.total;
  return [
    [words.documents, number(counted.documents)],
    [words.passages, number(counted.passages)],
    [words.entities, number(counted.entities)],
    [words.relations, number(counted.relations)],
    [words.indexed, words.of(number(counted.indexed), number(counted.points))],
    ...(counted.disk_bytes === null ? [] : [[words.disk, words.megabytes(counted.disk_bytes)] as [string, string]]),
    [words.embedder, counted.embedder],
    [words.place, `${counted.backend}: ${counted.location}`],
    [words.workspaceName, counted.workspace],
    ...(total
      ? [[words.spent, messages.answer.spent(total.calls, total.tokens_in + total.tokens_out, total.cost)] as [string, string]]
      : []),
  ];
}
