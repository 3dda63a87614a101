/** An answer as plain text, to be sent to somebody. */

import type { Citation } from '../forms.ts';
import { gapOf } from './answer.tsx';
import { messages } from '../messages.ts';
import type { Asked } from './place.ts';
import { chainsOf, entityOf, titleOf, type View } from './view.ts';

export function asText(view: View, asked: Asked | null = null): string {
  const { answered } = view;
  const words = messages.answer;
  const lines = [answered.question];
  if (asked?.asOf) lines.push(`${messages.differently.asOf} ${asked.asOf}`);
  if (asked?.without.length) lines.push(messages.differently.leftOutMany(asked.without.length));
  if (asked) lines.push(...Object.entries(asked.meanings).map(([name, id]) => messages.differently.means(name, entityOf(view, id))));
  if (asked) lines.push(...asked.pinned.map((id) => `${messages.differently.pinned} ${entityOf(view, id)}`));
  lines.push('');
  if (answered.answer !== null) lines.push(`${words.answer}: ${answered.answer}`);
  else lines.push(`${words.refused}: ${answered.refusal?.text ?? ''}`, words.nearest);
  const [first] = chainsOf(answered);
  if (first) lines.push('', ...chain(view, first));
  const gap = gapOf(answered, view);
  if (gap) lines.push(`  ↓ ${gap.names.length > 0 ? words.gapOf + gap.names.join(', ') : words.gap}: ${gap.text}`);
  return `${harmless(lines.join('\n').trimEnd())}\n`;
}

/** Leaves out what would command a terminal that the text is pasted into. */
function harmless(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

function chain(view: View, citation: Citation): string[] {
  const steps = citation.path.flatMap((hop) => [
    `${titleOf(view, hop.from)}: ${hop.sentence ? `“${hop.sentence}”` : hop.text}`,
    `  ↓ ${hop.name}`,
  ]);
  return [...steps, `${citation.title}: “${citation.sentence}”`];
}
