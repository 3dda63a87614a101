/** Texts with marked parts. */

import { spansOf, type Mark } from './marks.ts';

export function Marked({ text, marks }: { text: string; marks: Mark[] }) {
  // What is written from right to left, or pretends to be, changes nothing outside of it.
  return (
    <bdi class="passage">
      {spansOf(text, marks).map((span) => (span.mark ? <mark class={span.mark}>{span.text}</mark> : span.text))}
    </bdi>
  );
}
