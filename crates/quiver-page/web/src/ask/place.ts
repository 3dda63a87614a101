/** Addresses within the page: which view is open, and which question is asked in it. */

import { signal } from '@preact/signals';

import type { Answered } from '../forms.ts';

/** What was put into the page in place of a server. */
const embedded = readEmbedded();
/** Whether a client of the Model Context Protocol shows the page and hands it the answer. */
export const isApp = embedded !== null && 'app' in embedded;
/** The recorded answer that `quiver ask --html` put into the page, if any. */
export const recorded = embedded !== null && !('app' in embedded) ? embedded : null;
/** Whether there is an answer and no server. */
export const isRecorded = embedded !== null;

function readEmbedded(): Answered | { app: true } | null {
  const text = globalThis.document?.getElementById('recorded')?.textContent;
  return text ? (JSON.parse(text) as Answered | { app: true }) : null;
}

/** A question as it is asked. */
export interface Asked {
  question: string;
  /** The passages that are left out. */
  without: string[];
  /** The day whose state is asked for, such as 2026-03-01; empty for any. */
  asOf: string;
  /** The IDs of the entities that names in the question mean. */
  meanings: Record<string, string>;
  /** The IDs of the entities that the search starts from, beside those that the question names. */
  pinned: string[];
}

export interface Place extends Asked {
  tab: string;
  /** How it was asked in a conversation, before it was understood by what was said there. */
  said: string;
}

export function placeOf(hash: string): Place {
  const [, tab = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const values = new URLSearchParams(query);
  const asOf = values.get('as_of') ?? '';
  return {
    tab: tab || 'ask',
    question: values.get('q') ?? '',
    said: (values.get('said') ?? '').slice(0, 1000),
    without: [...new Set(values.getAll('without'))],
    asOf: /^\d{4}-\d{2}-\d{2}$/.test(asOf) ? asOf : '',
    meanings: Object.fromEntries(values.getAll('meaning').flatMap(meaningOf)),
    pinned: [...new Set(values.getAll('pin'))],
  };
}

/** A name and an ID with `=` between them. */
function meaningOf(text: string): [string, string][] {
  const at = text.lastIndexOf('=');
  return at > 0 ? [[text.slice(0, at), text.slice(at + 1)]] : [];
}

export const place = signal<Place>(placeOf(globalThis.location?.hash ?? ''));

export function hashOf(question: string, tab = 'ask'): string {
  return `#/${tab}?${new URLSearchParams({ q: question })}`;
}

/** The address of what a follow-up was understood as. */
export function hashOfFollowUp(question: string, said: string): string {
  return said === question ? hashOf(question) : `#/ask?${new URLSearchParams({ q: question, said })}`;
}

/** The address of a question with all that it is asked with. */
export function hashOfAsked({ question, without, asOf, meanings, pinned }: Asked): string {
  const values = new URLSearchParams({ q: question });
  if (asOf) values.set('as_of', asOf);
  without.forEach((passage) => values.append('without', passage));
  Object.entries(meanings).forEach(([name, entity]) => values.append('meaning', `${name}=${entity}`));
  pinned.forEach((entity) => values.append('pin', entity));
  return `#/ask?${values}`;
}

export function permalink(asked: Asked): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}${hashOfAsked(asked)}`;
}
