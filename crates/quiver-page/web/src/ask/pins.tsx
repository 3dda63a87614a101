/** The names in a passage, to start from. */

import { useState } from 'preact/hooks';

import { get } from '../api.ts';
import type { Linked, Thing } from '../forms.ts';
import { messages } from '../messages.ts';
import { Problems, useRequest } from '../tabs/request.tsx';
import { pin } from './differently.tsx';
import type { Asked } from './place.ts';

const words = messages.differently;
/** How many links of a passage are read, and how many entities are pinned at most. */
const LINKS_MAX = 60;
const PINNED_MAX = 20;

/** The entities that a passage is about or mentions, each once. */
export function entitiesOf({ links }: Linked): Thing[] {
  const entities = new Map<string, Thing>();
  for (const { kind, thing } of links) if (kind !== 'relation' && thing.kind === 'entity') entities.set(thing.id, thing);
  return [...entities.values()];
}

export function Pins({ passage, asked, onPin }: { passage: string; asked: Asked; onPin: () => void }) {
  const request = useRequest();
  const [linked, setLinked] = useState<Linked | null>(null);
  if (asked.pinned.length >= PINNED_MAX) return null;
  const read = async () => setLinked(await get<Linked>(`/v1/things/${encodeURIComponent(passage)}?limit=${LINKS_MAX}`));
  if (!linked) {
    return (
      <>
        <p>
          <button type="button" class="link" disabled={request.isRunning} onClick={() => request.run(read)}>
            {words.pinSome}
          </button>
        </p>
        <Problems request={request} />
      </>
    );
  }
  const entities = entitiesOf(linked).filter(({ id }) => !asked.pinned.includes(id));
  const start = ({ id, name }: Thing) => {
    // As long as the dialog is open, nothing else can have the focus.
    onPin();
    pin(id, name);
  };
  return (
    <div class="pins">
      <p class="note">{entities.length > 0 ? words.pinWhat : words.pinNone}</p>
      <ul>
        {entities.map((entity) => (
          <li key={entity.id}>
            <button type="button" class="link" aria-label={words.pin(entity.name.slice(0, 200))} onClick={() => start(entity)}>
              <bdi>{entity.name.slice(0, 200)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
