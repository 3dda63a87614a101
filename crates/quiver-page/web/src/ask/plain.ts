/** An answer as plain text, to be sent to somebody. */

import type { Citation } from '../forms.ts';
import { messages } from '../messages.ts';
import { citationsOf, titleOf, type View } from './view.ts';

export function asText(view: View): string {
  const { answered } = view;
  const words = messages.answer;
  const lines = [answered.question, ''];
  if (answered.answer !== null) lines.push(`${words.answer}: ${answered.answer}`);
  else lines.push(`${words.refused}: ${answered.refusal?.text ?? ''}`, words.nearest);
  const [first] = citationsOf(answered);
  if (first) lines.push('', ...chain(view, first));
  return `${lines.join('\n').trimEnd()}\n`;
}

function chain(view: View, citation: Citation): string[] {
  const steps = citation.path.flatMap((hop) => [
    `${titleOf(view, hop.from)}: ${hop.sentence ? `“${hop.sentence}”` : hop.text}`,
    `  ↓ ${hop.name}`,
  ]);
  return [...steps, `${citation.title}: “${citation.sentence}”`];
}
