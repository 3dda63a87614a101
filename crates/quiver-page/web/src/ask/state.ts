/** The state of the ask view. */

import { computed, signal } from '@preact/signals';

import { events, Problem, said } from '../api.ts';
import type { Answered, MadeHop, Stage } from '../forms.ts';
import { messages } from '../messages.ts';
import type { Asked } from './place.ts';
import { litBy, viewOf, type View } from './view.ts';

export const question = signal('');
export const effort = signal('');
export const hops = signal('');
export const passages = signal('');

/** What was asked last. */
export const asked = signal<Asked | null>(null);
/** The day that the slider stands at, if it was moved since the question was asked; empty for any. */
export const chosenDay = signal<string | null>(null);
/** The day whose state is shown, such as 2026-03-01; empty for any. */
export const shownDay = computed(() => chosenDay.value ?? asked.value?.asOf ?? '');
/** The answer before, where the same question was asked differently. */
export const before = signal<View | null>(null);
export const isWorking = signal(false);
/** The stages that have ended. */
export const stages = signal<Stage[]>([]);
/** The hops that were made. What is drawn of an answer does not depend on them. */
export const hopsMade = signal<MadeHop[]>([]);
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
let sent: Record<string, unknown> | null = null;

export function show(recorded: Answered): void {
  question.value = recorded.question;
  stages.value = recorded.trace?.stages ?? [];
  pointed.value = null;
  answered.value = recorded;
}

/** Asks the server. A question that is still being answered is given up. */
export async function ask(wanted: Asked): Promise<void> {
  const body = request(wanted);
  if (!body.question) return;
  if (sent?.question !== body.question) before.value = null;
  else if (view.value && JSON.stringify(sent) !== JSON.stringify(body)) before.value = view.value;
  [sent, asked.value, question.value, chosenDay.value] = [body, wanted, wanted.question, null];
  running?.abort();
  const control = new AbortController();
  running = control;
  isWorking.value = true;
  [answered.value, failure.value, pointed.value, stages.value, hopsMade.value] = [null, null, null, [], []];
  try {
    for await (const { name, data } of events('/v1/ask/stream', body, control.signal)) {
      if (name === 'step') stages.value = [...stages.value, data as Stage];
      else if (name === 'hop') hopsMade.value = [...hopsMade.value, data as MadeHop];
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

function request({ question, without, asOf, meanings, pinned }: Asked): Record<string, unknown> {
  const all: Record<string, unknown> = { question: question.trim(), trace: true };
  if (effort.value) all.profile = effort.value;
  if (hops.value) all.hops = Number(hops.value);
  if (passages.value) all.passages = Number(passages.value);
  if (without.length > 0) all.without = without;
  if (asOf) all.as_of = asOf;
  if (Object.keys(meanings).length > 0) all.meanings = meanings;
  if (pinned.length > 0) all.pinned = pinned;
  return all;
}
