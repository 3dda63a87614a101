/** Addresses within the page: which view is open, and which question is asked in it. */

import { signal } from '@preact/signals';

import type { Answered } from '../forms.ts';

/** The recorded answer that `quiver ask --html` put into the page, if any. */
export const recorded = readRecorded();
export const isRecorded = recorded !== null;

function readRecorded(): Answered | null {
  const text = globalThis.document?.getElementById('recorded')?.textContent;
  return text ? (JSON.parse(text) as Answered) : null;
}

export interface Place {
  tab: string;
  question: string;
}

export function placeOf(hash: string): Place {
  const [, tab = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  return { tab: tab || 'ask', question: new URLSearchParams(query).get('q') ?? '' };
}

export const place = signal<Place>(placeOf(globalThis.location?.hash ?? ''));

export function hashOf(question: string, tab = 'ask'): string {
  return `#/${tab}?${new URLSearchParams({ q: question })}`;
}

export function permalink(question: string): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}${hashOf(question)}`;
}
