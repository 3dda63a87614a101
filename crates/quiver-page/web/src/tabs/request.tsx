/** A request that a view waits for: how it stands, and what went wrong. */

import { useState } from 'preact/hooks';

import { said } from '../api.ts';

export interface Request {
  isRunning: boolean;
  problem: string | null;
  /** Runs it, unless one runs already, and returns when it has ended. */
  run: (work: () => Promise<void>) => Promise<void>;
}

export function useRequest(): Request {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (work: () => Promise<void>) => {
    if (isRunning) return;
    setRunning(true);
    setProblem(null);
    await work()
      .catch((error: unknown) => setProblem(said(error)))
      .finally(() => setRunning(false));
  };
  return { isRunning, problem, run };
}

export function Problems({ request }: { request: Pick<Request, 'problem'> }) {
  if (request.problem === null) return null;
  return (
    <p class="problem" role="alert">
      {request.problem}
    </p>
  );
}
