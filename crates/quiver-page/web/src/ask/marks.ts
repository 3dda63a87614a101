/** Marks parts of a text: what is marked is text, never markup. */

export interface Span {
  text: string;
  mark: string | null;
}

/** What is to be marked in a text, and how. Where marks overlap, the first one counts. */
export interface Mark {
  text: string;
  mark: string;
}

/** How much of a sentence is shown, in characters. */
const SENTENCE_MAX = 1000;

/** The part of a very long sentence that says a name or value, or its beginning. */
export function excerptOf(sentence: string, marked: string | null): string {
  if (sentence.length <= SENTENCE_MAX) return sentence;
  const at = marked ? Math.max(0, sentence.indexOf(marked)) : 0;
  const start = Math.max(0, Math.min(at - SENTENCE_MAX / 2, sentence.length - SENTENCE_MAX));
  const end = start + SENTENCE_MAX;
  return `${start > 0 ? '…' : ''}${sentence.slice(start, end)}${end < sentence.length ? '…' : ''}`;
}

export function spansOf(text: string, marks: Mark[]): Span[] {
  const found: { start: number; end: number; mark: string }[] = [];
  for (const { text: wanted, mark } of marks) {
    const start = wanted ? text.indexOf(wanted) : -1;
    const end = start + wanted.length;
    if (start >= 0 && !found.some((other) => start < other.end && other.start < end)) {
      found.push({ start, end, mark });
    }
  }
  found.sort((a, b) => a.start - b.start);
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end, mark } of found) {
    if (start > at) spans.push({ text: text.slice(at, start), mark: null });
    spans.push({ text: text.slice(start, end), mark });
    at = end;
  }
  if (at < text.length) spans.push({ text: text.slice(at), mark: null });
  return spans;
}
