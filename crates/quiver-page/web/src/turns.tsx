/** The turns of a session, as they were said. */

import { useEffect, useState } from 'preact/hooks';

import { get, Problem, said } from './api.ts';
import type { SaidTurn, Turns } from './forms.ts';
import { messages } from './messages.ts';

const words = messages.memory;
/** How many of the latest turns are read at first, and at the most. */
const LISTED = 50;
const LISTED_MAX = 1000;
/** How much of a turn is shown, in characters. */
export const SHOWN = 4000;

export interface Read {
  /** The turns, or that this server does not tell any; none while they are read. */
  turns: SaidTurn[] | 'unknown' | null;
  problem: string | null;
  hasMore: boolean;
  more: () => void;
}

/** Reads the latest turns of a session, if there is one. */
export function useTurns(session: string | null): Read {
  const [read, setRead] = useState<{ session: string; turns: Read['turns']; problem: string | null } | null>(null);
  const [limits, setLimits] = useState<Record<string, number>>({});
  const limit = (session !== null && limits[session]) || LISTED;
  useEffect(() => {
    if (session === null) return;
    let isOver = false;
    const show = (turns: Read['turns'], problem: string | null) => isOver || setRead({ session, turns, problem });
    turnsOf(session, limit).then(
      (turns) => show(turns ?? 'unknown', null),
      (error: unknown) => show(null, said(error)),
    );
    return () => {
      isOver = true;
    };
  }, [session, limit]);
  // Those of another session are not shown in the meantime.
  const { turns, problem } = read && read.session === session ? read : { turns: null, problem: null };
  const hasMore = Array.isArray(turns) && turns.length >= limit && limit < LISTED_MAX;
  const more = () => session !== null && setLimits({ ...limits, [session]: Math.min(LISTED_MAX, limit * 4) });
  return { turns, problem, hasMore, more };
}

/** The latest turns of a session; none from an earlier server, or where nothing was said. */
async function turnsOf(session: string, limit: number): Promise<SaidTurn[] | null> {
  try {
    return (await get<Turns>(`/v1/sessions/${encodeURIComponent(session)}/turns?limit=${limit}`)).turns;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

export function SaidTurns({ turns, label }: { turns: SaidTurn[]; label: string }) {
  return (
    <ol class="slots" aria-label={label}>
      {turns.map(({ speaker, time, text, answer }, at) => (
        <li key={at}>
          <small>
            {speaker && <bdi>{speaker.slice(0, 200)}, </bdi>}
            {time !== null && dayOf(time)}
          </small>
          <p>
            <bdi class="passage">{text.slice(0, SHOWN)}</bdi>
          </p>
          {answer && (
            <p class="note">
              <bdi>{words.answered(answer.slice(0, SHOWN))}</bdi>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
