/** What was found, over time: when each passage was written, which facts held when, and what ended them. */

import { computed, signal } from '@preact/signals';

import type { DatedFact } from '../forms.ts';
import type { View } from './view.ts';

const DAY = 86_400_000;

export interface History {
  /** The times of passages by their IDs, in milliseconds since 1970. */
  times: Map<string, number>;
  /** The facts that ended, and those that ended them. */
  facts: DatedFact[];
}

/** A fact, with what took its place or says that it is over. */
export interface Dated {
  fact: DatedFact;
  by: DatedFact | null;
}

const NONE: History = { times: new Map(), facts: [] };

export const history = signal<History>(NONE);
export const dated = computed(() => datedOf(history.value.facts));

let question = '';

/** Takes the times from what an answer tells. What was known of the same question stays known. */
export function learn({ answered, explanation }: View): void {
  const { times, facts } = question === answered.question ? history.value : NONE;
  question = answered.question;
  const all = new Map(facts.map((fact) => [fact.id, fact]));
  // Answers that were recorded by earlier versions have none.
  explanation.facts?.forEach((fact) => all.set(fact.id, fact));
  const dated = explanation.candidates.flatMap(({ passage, time }): [string, number][] => (time == null ? [] : [[passage, time]]));
  history.value = { times: new Map([...times, ...dated]), facts: [...all.values()] };
}

/** The days at which something of it changes, by ascending date. What was said in the course of a day counts from the next one. */
export function daysOf({ times, facts }: History): string[] {
  const changed = facts.flatMap(({ begin, end }) => [begin, ...(end === null ? [] : [end])]);
  const moments = [...times.values(), ...changed].filter((moment) => moment > 0 && moment < Date.UTC(10_000, 0));
  return [...new Set(moments.map((moment) => new Date(Math.ceil(moment / DAY) * DAY).toISOString().slice(0, 10)))].sort();
}

/** Facts with what ended them. */
export function datedOf(facts: DatedFact[]): Dated[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  return facts.map((fact) => ({ fact, by: (fact.ended_by !== null && byId.get(fact.ended_by)) || null }));
}

/** How a fact stands at the beginning of a day; without one, now. */
export function stateOf({ fact: { begin, end, holds } }: Dated, day: string): 'holds' | 'later' | 'ended' {
  if (!day) return holds ? 'holds' : 'ended';
  const moment = Date.parse(day);
  if (begin > moment) return 'later';
  return end !== null && end <= moment ? 'ended' : 'holds';
}

/** The facts that a passage says and that have ended by a day. */
export function endedIn(dated: Dated[], { document, text }: { document: string; text: string }, day: string): Dated[] {
  return dated.filter((each) => {
    const { session, sentence } = each.fact;
    return session === document && text.includes(sentence) && stateOf(each, day) === 'ended';
  });
}

/** Whether a passage was written after the beginning of a day. */
export function isLater({ times }: History, passage: string, day: string): boolean {
  const time = times.get(passage);
  return day !== '' && time !== undefined && time > Date.parse(day);
}
