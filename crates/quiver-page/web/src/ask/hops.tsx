/** The hops through the graph, one after the other, while the server makes them. The drawing of the ways replaces them. */

import type { MadeHop } from '../forms.ts';
import { messages } from '../messages.ts';

const words = messages.hops;

export function Hops({ hops }: { hops: MadeHop[] }) {
  if (hops.length === 0) return null;
  return (
    <ol class="hops" aria-label={words.label}>
      {hops.map((hop) => (
        <li key={hop.hop} class={hop.reached > 0 ? 'new' : ''}>
          <span class="at" aria-hidden="true">
            {hop.hop}
          </span>
          <span>
            <b>{words.hop(hop.hop)}</b> <small>{messages.time(hop.duration_us)}</small>
            <br />
            {words.made(hop.started_from, hop.links, hop.reached)}
          </span>
        </li>
      ))}
    </ol>
  );
}
