/** The files and web pages that are being read: each is a job of the server, which goes on if the page is closed. */

import { computed, signal } from '@preact/signals';

import { events, get, post, Problem, remove, said } from '../api.ts';
import type { Ingested, Job, JobState } from '../forms.ts';
import { session } from '../session.ts';

/** How many jobs of this page may be unended at once. A server takes 16 of a key, which others may use as well. */
const UNENDED_MAX = 8;
/** After how many milliseconds a request that was refused for now is sent again. */
const AGAIN_AFTER = 3000;

/** A document as it is sent: its text, or the address of a web page that the server fetches. */
export type Sent = { key: string; text: string; format: string; title?: string } | { url: string };

/** The addresses of web pages in a text, each once, and the other words in it. */
export function addressesOf(text: string): { addresses: string[]; others: string[] } {
  const words = [...new Set(text.split(/\s+/).filter(Boolean))];
  const isAddress = (word: string) => /^https?:\/\//i.test(word) && URL.canParse(word);
  return { addresses: words.filter(isAddress), others: words.filter((word) => !isAddress(word)) };
}

const nameOf = (document: Sent) => ('url' in document ? document.url : document.key);

/** A file or a page that is read, or a job that was there before. */
export interface Entry {
  /** Its place in the list, which does not change. */
  at: number;
  /** The file or the address; none if another tab or program sent the job. */
  name: string | null;
  /** What is to be sent; none once it was. */
  document: Sent | null;
  job: Job | null;
  state: JobState | 'unsent';
  receipt: Ingested | null;
  problem: string | null;
}

export const entries = signal<Entry[]>([]);
/** Counts what has ended, so that the list of documents is read again. */
export const ended = signal(0);

const isOver = ({ state }: Entry) => state === 'done' || state === 'cancelled' || state === 'failed';

export interface Sums {
  done: number;
  total: number;
  unsent: number;
  /** What is read now. */
  current: string | null;
  isRunning: boolean;
}

export const sums = computed<Sums>(() => sumsOf(entries.value));

export function sumsOf(entries: Entry[]): Sums {
  const running = entries.find(({ state }) => state === 'running' || state === 'cancelling');
  const totalOf = ({ job }: Entry) => job?.documents.total ?? 1;
  return {
    // What was cancelled or failed is as far as it gets.
    done: entries.reduce((sum, entry) => sum + (isOver(entry) ? totalOf(entry) : (entry.job?.documents.done ?? 0)), 0),
    total: entries.reduce((sum, entry) => sum + totalOf(entry), 0),
    unsent: entries.filter(({ state }) => state === 'unsent').length,
    current: running?.job?.document ?? running?.name ?? null,
    isRunning: entries.some((entry) => !isOver(entry)),
  };
}

let next = 0;
let isSending = false;
let isWatching = false;
/** Whether the server keeps jobs; one with its database elsewhere may not. */
let hasJobs = true;
/** The key and workspace that the entries belong to. */
let owner = '';

function change(at: number, with_: Partial<Entry>): void {
  entries.value = entries.value.map((entry) => (entry.at === at ? { ...entry, ...with_ } : entry));
}

/** Reads documents, each as a job. */
export function add(documents: Sent[]): void {
  const added = documents.map((document): Entry => ({
    at: next++,
    name: nameOf(document),
    document,
    job: null,
    state: 'unsent',
    receipt: null,
    problem: null,
  }));
  entries.value = [...entries.value.filter((entry) => !isOver(entry)), ...added];
  void send();
}

/** Looks which jobs are under way, whoever sent them. */
export async function look(): Promise<void> {
  const now = `${session.key.value} ${session.workspace.value}`;
  if (owner !== now) [entries.value, owner, hasJobs] = [[], now, true];
  const jobs = await get<{ jobs: Job[] }>('/v1/jobs').then(
    ({ jobs }) => jobs,
    (error: unknown) => {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      hasJobs = false;
      return [];
    },
  );
  const names = namesOf();
  const known = new Set(entries.value.map(({ job }) => job?.id));
  const isUnder = ({ state }: Job) => state === 'queued' || state === 'running' || state === 'cancelling';
  // The latest comes first, and what was sent first is read first.
  const found = jobs.filter((job) => isUnder(job) && !known.has(job.id)).reverse();
  const others = found.map((job): Entry => ({
    at: next++,
    name: names[job.id] ?? null,
    document: null,
    job,
    state: job.state,
    receipt: null,
    problem: null,
  }));
  if (others.length > 0) entries.value = [...others, ...entries.value];
  void watch();
}

/** Cancels a file: one that was not sent is left out. */
export async function cancel(entry: Entry): Promise<void> {
  if (!entry.job) {
    entries.value = entries.value.filter(({ at }) => at !== entry.at);
    return;
  }
  take(entry.at, await remove<Job>(`/v1/jobs/${encodeURIComponent(entry.job.id)}`));
  void watch();
}

export async function cancelAll(): Promise<void> {
  const open = entries.value.filter((entry) => !isOver(entry));
  // Those that were not sent go first, so that none of them is sent in the meantime.
  for (const entry of open.filter(({ job }) => !job)) await cancel(entry);
  for (const entry of open.filter(({ job }) => job)) await cancel(entry);
}

export function clear(): void {
  entries.value = entries.value.filter((entry) => !isOver(entry));
}

function take(at: number, job: Job): void {
  const before = entries.value.find((entry) => entry.at === at);
  if (!before || isOver(before)) return;
  change(at, { job, state: job.state, receipt: job.receipt ?? null, problem: job.error?.detail ?? null });
  if (job.state === 'done' || job.state === 'cancelled' || job.state === 'failed') ended.value++;
}

/** Sends what waits, a few at a time. */
async function send(): Promise<void> {
  if (isSending) return;
  isSending = true;
  try {
    for (;;) {
      const open = entries.value.filter(({ job, state }) => job && !isOver({ state } as Entry)).length;
      const entry = entries.value.find(({ state }) => state === 'unsent');
      if (!entry || open >= UNENDED_MAX) return;
      await hand(entry);
    }
  } finally {
    isSending = false;
  }
}

async function hand({ at, document }: Entry): Promise<void> {
  const body = { documents: [document] };
  try {
    if (!hasJobs) {
      change(at, { document: null, state: 'running' });
      const receipt = await post<Ingested>('/v1/documents', body);
      change(at, { state: 'done', receipt });
      ended.value++;
      return;
    }
    const job = await post<Job>('/v1/jobs', body);
    keep(job.id, nameOf(document!));
    change(at, { document: null, job, state: job.state });
    void watch();
  } catch (error) {
    const status = error instanceof Problem ? error.status : 0;
    if (status === 404 && hasJobs) hasJobs = false;
    else if (status === 429 || status === 503) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
    else change(at, { document: null, state: 'failed', problem: said(error) });
  }
}

/** Follows the first job that has not ended, and then the next: the jobs of a workspace run one after the other. */
async function watch(): Promise<void> {
  if (isWatching) return;
  isWatching = true;
  try {
    for (let tries = 0; tries < 5; ) {
      const entry = entries.value.find((entry) => entry.job && !isOver(entry));
      if (!entry) return;
      tries = (await follow(entry)) ? 0 : tries + 1;
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
      void send();
    }
  } finally {
    isWatching = false;
  }
}

/** Returns whether it was followed to its end. */
async function follow({ at, job }: Entry): Promise<boolean> {
  try {
    for await (const { name, data } of events(`/v1/jobs/${encodeURIComponent(job!.id)}/events`, undefined, new AbortController().signal)) {
      take(at, data as Job);
      if (name === 'job') return true;
    }
    // The server was told to end, and goes on with the job when it is started again.
    return false;
  } catch (error) {
    const isGone = error instanceof Problem && error.status === 404;
    if (!isGone) return false;
    change(at, { state: 'failed', problem: said(error) });
    return true;
  }
}

function namesOf(): Record<string, string> {
  try {
    return JSON.parse(session.jobs.value || '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

/** Keeps the name of a job's file for as long as the job may be under way. */
function keep(id: string, name: string): void {
  const kept = Object.entries(namesOf()).slice(-99);
  session.jobs.value = JSON.stringify({ ...Object.fromEntries(kept), [id]: name });
}
