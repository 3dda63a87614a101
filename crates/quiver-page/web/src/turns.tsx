/** The turns of a session, as they were said. */

import { useEffect, useState } from 'preact/hooks';

import { get, Problem } from './api.ts';
import type { SaidTurn, Turns } from './forms.ts';
import { messages } from './messages.ts';
import { useRequest, type Request } from './tabs/request.tsx';

const words = messages.memory;
/** How many of the latest turns are read at first, and at the most. */
const LISTED = 50;
const LISTED_MAX = 1000;
/** How much of a turn is shown, in characters. */
const SHOWN = 4000;

export interface Read {
  request: Request;
  /** The turns, or that this server does not tell any. */
  turns: SaidTurn[] | 'unknown' | null;
  hasMore: boolean;
  more: () => void;
}

/** Reads the turns of a session, the latest ones first. */
export function useTurns(session: string): Read {
  const request = useRequest();
  const [turns, setTurns] = useState<Read['turns']>(null);
  const [limit, setLimit] = useState(LISTED);
  useEffect(() => {
    void request.run(async () => setTurns((await turnsOf(session, limit)) ?? 'unknown'));
  }, [session, limit]);
  const hasMore = Array.isArray(turns) && turns.length >= limit && limit < LISTED_MAX;
  return { request, turns, hasMore, more: () => setLimit(Math.min(LISTED_MAX, limit * 4)) };
}

/** The latest turns of a session; none from an earlier server, or where nothing was said. */
export async function turnsOf(session: string, limit = LISTED): Promise<SaidTurn[] | null> {
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
