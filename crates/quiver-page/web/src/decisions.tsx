/** The decisions about things, and what undoes one or makes it again. */

import { useEffect, useState } from 'preact/hooks';

import { get, put, remove } from './api.ts';
import type { Decided, Decisions as Listed } from './forms.ts';
import { messages } from './messages.ts';
import { Problems, useRequest } from './tabs/request.tsx';

const words = messages.explore;

/** Does what changes something that is shown. Returns whether it was done. */
export type Change = (work: () => Promise<unknown>) => Promise<boolean>;

/** The decisions as they are listed, and what changes one of them. */
export function useDecisions() {
  const request = useRequest();
  const [listed, setListed] = useState<Listed | null>(null);
  const read = async () => setListed(await get<Listed>('/v1/decisions'));
  useEffect(() => void request.run(read), []);
  const change = async (work: () => Promise<unknown>) => {
    let isDone = false;
    await request.run(async () => {
      await work();
      isDone = true;
      await read();
    });
    return isDone;
  };
  return { request, listed, change };
}

/** The decisions about things, to be opened; nothing if there are none. */
export function Decisions({ isOpen }: { isOpen: boolean }) {
  const { request, listed, change } = useDecisions();
  if (!listed || listed.total === 0) return <Problems request={request} />;
  return (
    <details class="decisions" open={isOpen}>
      <summary>{words.decisions}</summary>
      <p class="note">{words.decisionsWhat}</p>
      <Problems request={request} />
      <AllDecisions listed={listed} onChange={change} />
    </details>
  );
}

/** The latest decisions, and how many there are besides. */
export function AllDecisions({ listed, onChange }: { listed: Listed; onChange: Change }) {
  const more = listed.total - listed.decisions.length;
  return (
    <>
      <DecisionList decisions={listed.decisions} onChange={onChange} />
      {more > 0 && <p class="note">{words.decisionsMore(more)}</p>}
    </>
  );
}

/** Decisions, each with what undoes it or makes it again. */
export function DecisionList({ decisions, onChange }: { decisions: Decided[]; onChange: Change }) {
  return (
    <ul class="decided">
      {decisions.map((one) => {
        const what = words.decided[one.kind](one.name.slice(0, 200), (one.other ?? '').slice(0, 200));
        return (
          <li key={one.decision} class={one.is_undone ? 'over' : undefined}>
            <bdi>{what}</bdi> <small class="note">{one.evidence.slice(0, 200)}</small>{' '}
            <Again
              decision={one.decision}
              isUndone={one.is_undone ?? false}
              label={one.is_undone ? words.redoThat(what) : words.undoThat(what)}
              onChange={onChange}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** Undoes a decision, or makes it again. */
export function Again({ decision, isUndone, label, onChange }: { decision: string; isUndone: boolean; label: string; onChange: Change }) {
  const path = `/v1/decisions/${encodeURIComponent(decision)}`;
  return (
    <button type="button" class="link" aria-label={label} onClick={() => onChange(() => (isUndone ? put(path) : remove(path)))}>
      {isUndone ? words.redo : words.undo}
    </button>
  );
}
