/** A request that a view waits for: how it stands, and what went wrong. */

import { useState } from 'preact/hooks';

import { said } from '../api.ts';

export interface Request {
  isRunning: boolean;
  problem: string | null;
  /** Runs it, unless it runs already. */
  run: (work: () => Promise<void>) => void;
}

export function useRequest(): Request {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = (work: () => Promise<void>) => {
    if (isRunning) return;
    setRunning(true);
    setProblem(null);
    work()
      .catch((error: unknown) => setProblem(said(error)))
      .finally(() => setRunning(false));
  };
  return { isRunning, problem, run };
}

export function Problems({ request }: { request: Request }) {
  if (request.problem === null) return null;
  return (
    <p class="problem" role="alert">
      {request.problem}
    </p>
  );
}
