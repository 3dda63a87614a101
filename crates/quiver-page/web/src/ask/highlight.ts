/** What pointing at a passage does: its way is lit, and the rest fades. */

import { lit, opened, pointed } from './state.ts';

/** The attributes of what stands for a passage. */
export function pointsAt(passage: string) {
  return {
    onMouseEnter: () => (pointed.value = passage),
    onMouseLeave: () => (pointed.value = null),
    onFocus: () => (pointed.value = passage),
    onBlur: () => (pointed.value = null),
    onClick: () => (opened.value = passage),
  };
}

/** Whether a passage is on the lit way, off it, or nothing is lit. */
export function shade(passage: string): 'lit' | 'dim' | '' {
  if (!lit.value) return '';
  return lit.value.passages.has(passage) ? 'lit' : 'dim';
}

export function shadeOfPart(part: number): 'lit' | 'dim' | '' {
  if (!lit.value) return '';
  return lit.value.parts.has(part) ? 'lit' : 'dim';
}

export function classes(...all: (string | false | null | undefined)[]): string {
  return all.filter(Boolean).join(' ');
}
