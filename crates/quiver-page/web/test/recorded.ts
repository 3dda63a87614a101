/** Answers that the server gave about the demo handbook. */

import { readFileSync } from 'node:fs';

import type { Answered } from '../src/forms.ts';
import { viewOf, type View } from '../src/ask/view.ts';

export function recorded(name: string): Answered {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as Answered;
}

export function viewed(name: string): View {
  return viewOf(recorded(name))!;
}
