/** What was found, over time: when each passage was written, which facts held when, and what ended them. */

import { computed, signal } from '@preact/signals';

import { get, post } from '../api.ts';
import type { Fact, Queried } from '../forms.ts';
import { citationsOf, type View } from './view.ts';

const DAY = 86_400_000;
/** Of how many names the facts are read. */
const NAMES_MAX = 4;

export interface History {
  /** The times of passages by their IDs, in milliseconds since 1970. */
  times: Map<string, number>;
  facts: Fact[];
}

/** A fact, and until when it held if it ended. */
export interface Dated {
  fact: Fact;
  end: number | null;
  /** The fact that took its place, or says that it is over. */
  by: Fact | null;
}

const NONE: History = { times: new Map(), facts: [] };

export const history = signal<History>(NONE);
export const dated = computed(() => datedOf(history.value.facts));

let learned: View | null = null;
let question = '';

/** Reads the times of what a view shows. What was known of the same question stays known. */
export async function learn(view: View): Promise<void> {
  if (learned === view) return;
  learned = view;
  if (question !== view.answered.question) [question, history.value] = [view.answered.question, NONE];
  const [times, ...facts] = await Promise.allSettled([timesOf(view), ...namesOf(view).map(factsOf)]);
  // Another question may have been asked since.
  if (learned !== view) return;
  const { times: before, facts: known } = history.value;
  const all = new Map(known.map((fact) => [fact.id, fact]));
  // Without them, the page shows no times.
  for (const read of facts) if (read.status === 'fulfilled') read.value.forEach((fact) => all.set(fact.id, fact));
  history.value = { times: new Map([...before, ...(times.status === 'fulfilled' ? times.value : [])]), facts: [...all.values()] };
}

/** What the question names, and then what leads on to the answer. */
function namesOf(view: View): string[] {
  const named = view.explanation.names.map(({ entity }) => entity);
  const bridges = citationsOf(view.answered).slice(0, 1).flatMap(({ path }) => path.map(({ name }) => name));
  return [...new Set([...named, ...bridges])].filter((name) => name.length < 200).slice(0, NAMES_MAX);
}

async function factsOf(about: string): Promise<Fact[]> {
  const query = new URLSearchParams({ about, history: 'true' });
  const { facts } = await get<{ facts: Fact[] }>(`/v1/facts?${query}`);
  // What was decided by hand was said in no turn.
  return facts.filter(({ valid_from, sentence, session }) => valid_from !== null && session !== null && sentence !== '');
}

/** When the passages were written, as far as it is known. */
async function timesOf({ explanation }: View): Promise<Map<string, number>> {
  const elements = new Map(explanation.candidates.map(({ passage }) => [elementOf(passage), passage]));
  elements.delete('');
  if (elements.size === 0) return new Map();
  const query = 'MATCH (p:Passage) WHERE p.document IN $documents AND p.time IS NOT NULL AND elementId(p) IN $ids RETURN elementId(p) AS id, p.time AS time';
  const documents = [...new Set(explanation.candidates.map(({ document }) => document))];
  const { rows } = await post<Queried>('/v1/query', { query, parameters: { documents, ids: [...elements.keys()] } });
  return new Map(rows.flatMap(({ id, time }) => timeOf(elements.get(String(id)), String(time))));
}

function timeOf(passage: string | undefined, time: string): [string, number][] {
  const moment = Date.parse(time);
  return passage === undefined || Number.isNaN(moment) ? [] : [[passage, moment]];
}

/** The ID of a passage as queries have it. */
export function elementOf(passage: string): string {
  const digits = passage.replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(digits) ? BigInt(`0x${digits}`).toString() : '';
}

/** The days at which something of it changes, by ascending date. What was said in the course of a day counts from the next one. */
export function daysOf({ times }: History, dated: Dated[]): string[] {
  const changed = changedOf(dated).flatMap(({ fact, end }) => [fact.valid_from!, ...(end === null ? [] : [end])]);
  const moments = [...times.values(), ...changed].filter((moment) => moment > 0 && moment < Date.UTC(10_000, 0));
  return [...new Set(moments.map((moment) => new Date(Math.ceil(moment / DAY) * DAY).toISOString().slice(0, 10)))].sort();
}

/** The facts that ended, or took the place of others. */
export function changedOf(dated: Dated[]): Dated[] {
  return dated.filter(({ fact, end }) => end !== null || dated.some(({ by }) => by === fact));
}

/** Facts with what ended them, by what they are about and by time. */
export function datedOf(facts: Fact[]): Dated[] {
  const slotOf = ({ subject, predicate }: Fact) => `${subject}\u0000${predicate}`.toLowerCase();
  const from = (fact: Fact) => fact.valid_from ?? 0;
  const ordered = [...facts].sort((a, b) => (slotOf(a) === slotOf(b) ? from(a) - from(b) : slotOf(a) < slotOf(b) ? -1 : 1));
  return ordered.map((fact) => {
    if (fact.holds && fact.valid_to === null) return { fact, end: null, by: null };
    const later = ordered.filter((other) => slotOf(other) === slotOf(fact) && from(other) > from(fact));
    const takes = ({ decision }: Fact) => decision !== null && !decision.startsWith('undone');
    const denies = (other: Fact) => other.denied && other.object === fact.object;
    const by = later.find((other) => from(other) === fact.valid_to || takes(other) || denies(other)) ?? null;
    return { fact, end: fact.valid_to ?? (by && from(by)), by };
  });
}

/** How a fact stands at the beginning of a day; without one, now. */
export function stateOf({ fact, end }: Dated, day: string): 'holds' | 'later' | 'ended' {
  if (!day) return fact.holds ? 'holds' : 'ended';
  const moment = Date.parse(day);
  if ((fact.valid_from ?? 0) > moment) return 'later';
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
