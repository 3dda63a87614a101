/** The state of the ask view. */

import { computed, signal } from '@preact/signals';

import { events, Problem, said } from '../api.ts';
import type { Answered, Stage } from '../forms.ts';
import { messages } from '../messages.ts';
import { litBy, viewOf } from './view.ts';

export const question = signal('');
export const effort = signal('');
export const hops = signal('');
export const passages = signal('');

export const isWorking = signal(false);
/** The stages that have ended. */
export const stages = signal<Stage[]>([]);
export const answered = signal<Answered | null>(null);
export const failure = signal<string | null>(null);

/** The passage whose way is lit. */
export const pointed = signal<string | null>(null);
/** The passage that is open. */
export const opened = signal<string | null>(null);

export const view = computed(() => (answered.value ? viewOf(answered.value) : null));
export const lit = computed(() =>
  view.value && pointed.value !== null ? litBy(view.value, pointed.value) : null,
);

let running: AbortController | null = null;

export function show(recorded: Answered): void {
  question.value = recorded.question;
  stages.value = recorded.trace?.stages ?? [];
  pointed.value = null;
  answered.value = recorded;
}

/** Asks the server. A question that is still being answered is given up. */
export async function ask(): Promise<void> {
  const text = question.value.trim();
  if (!text) return;
  running?.abort();
  const control = new AbortController();
  running = control;
  isWorking.value = true;
  [answered.value, failure.value, pointed.value, stages.value] = [null, null, null, []];
  try {
    for await (const { name, data } of events('/v1/ask/stream', request(text), control.signal)) {
      if (name === 'step') stages.value = [...stages.value, data as Stage];
      else if (name === 'answer') show(data as Answered);
      else if (name === 'error') throw new Problem(500, (data as { detail: string }).detail);
    }
    if (!answered.value) throw new Problem(500, messages.errors.brokenOff);
  } catch (error) {
    if (!control.signal.aborted) failure.value = said(error);
  } finally {
    if (running === control) isWorking.value = false;
  }
}

function request(text: string): Record<string, unknown> {
  const all: Record<string, unknown> = { question: text, trace: true };
  if (effort.value) all.profile = effort.value;
  if (hops.value) all.hops = Number(hops.value);
  if (passages.value) all.passages = Number(passages.value);
  return all;
}
