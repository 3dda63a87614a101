/** The files and web pages that are read: how far that is, and what was read from each. */

import type { Ingested } from '../forms.ts';
import { messages } from '../messages.ts';
import { cancel, cancelAll, clear, entries, sums, type Entry } from './jobs.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.documents;

export function Jobs() {
  const request = useRequest();
  if (entries.value.length === 0) return null;
  const { done, total, unsent, current, isRunning } = sums.value;
  return (
    <section class="sheet jobs" aria-labelledby="jobs-heading">
      <h2 id="jobs-heading">{words.jobs}</h2>
      <div role="status">
        <p>{words.done(done, total)}</p>
        {current !== null && (
          <p class="note">
            <bdi>{words.readingFile(cut(current))}</bdi>
          </p>
        )}
      </div>
      <progress max={total} value={done} aria-label={words.progress} />
      {unsent > 0 && <p class="warning">{words.waiting(unsent)}</p>}
      <ul tabIndex={0} aria-labelledby="jobs-heading">
        {entries.value.map((entry) => (
          <File key={entry.at} entry={entry} onCancel={() => request.run(() => cancel(entry))} />
        ))}
      </ul>
      <Problems request={request} />
      <p class="actions">
        {isRunning ? (
          <button type="button" class="link" onClick={() => request.run(cancelAll)}>
            {words.cancelAll}
          </button>
        ) : (
          <button type="button" class="link" onClick={clear}>
            {words.clear}
          </button>
        )}
      </p>
    </section>
  );
}

/** A name of at most 200 characters; a longer one shows that it goes on. */
function cut(name: string): string {
  return name.length > 200 ? `${name.slice(0, 199)}…` : name;
}

function File({ entry, onCancel }: { entry: Entry; onCancel: () => void }) {
  const { name, job, state, receipt, problem } = entry;
  const { done, total } = job?.documents ?? { done: 0, total: 1 };
  const called = cut(name ?? job?.document ?? words.jobOf(total));
  const isOpen = state === 'unsent' || state === 'queued' || state === 'running';
  return (
    <li class={state}>
      <p>
        <strong>
          <bdi>{called}</bdi>
        </strong>{' '}
        <small>
          {words.states[state]}
          {total > 1 && `, ${words.partOf(done, total)}`}
        </small>{' '}
        {isOpen && (
          <button type="button" class="link" aria-label={words.cancelThat(called)} onClick={onCancel}>
            {words.cancel}
          </button>
        )}
      </p>
      {receipt && <Read receipt={receipt} told={problem} />}
      {problem !== null && (
        <p class="warning">
          <bdi>{problem}</bdi>
        </p>
      )}
    </li>
  );
}

/** What was read from a file, with the problems but the one that is told already. */
function Read({ receipt, told }: { receipt: Ingested; told: string | null }) {
  const { documents, passages, entities, relations, skipped = [] } = receipt;
  const problems = [...receipt.problems, ...skipped].filter((problem) => problem !== told);
  const counts = words.counts(documents.added, documents.replaced, documents.unchanged);
  return (
    <>
      {counts && (
        <p class="note">
          {counts}
          {documents.added + documents.replaced > 0 && `: ${words.what(passages.written, entities, relations)}`}
        </p>
      )}
      {problems.length > 0 && (
        <details open={problems.length < 4}>
          <summary>{words.problems(problems.length)}</summary>
          <ul class="lines" tabIndex={0} aria-label={words.problems(problems.length)}>
            {problems.map((problem, at) => (
              <li key={at} class="warning">
                <bdi>{problem.slice(0, 1000)}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
