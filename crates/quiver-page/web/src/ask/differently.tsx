/** How a question is asked differently: passages left out, entities pinned, the day whose state is asked for, and what its names mean. */

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

import { get } from '../api.ts';
import type { Linked } from '../forms.ts';
import { messages } from '../messages.ts';
import { Changed } from './ended.tsx';
import { daysOf, history } from './history.ts';
import { hashOfAsked, type Asked } from './place.ts';
import { asked, chosenDay } from './state.ts';

const words = messages.differently;
const STRIP = 'differently';

/** The titles of passages that are left out, and the names of entities that are meant. */
const titles = signal<Record<string, string>>({});

function go(wanted: Asked): void {
  location.hash = hashOfAsked(wanted);
  // What was clicked may be gone.
  document.getElementById(STRIP)?.focus();
}

/** Leaves a passage out and asks again. */
export function leaveOut(passage: string, title: string): void {
  if (!asked.value) return;
  titles.value = { ...titles.value, [passage]: title };
  go({ ...asked.value, without: [...asked.value.without, passage] });
}

/** Says what a name means and asks again. */
export function mean(name: string, entity: string, title: string): void {
  if (!asked.value) return;
  titles.value = { ...titles.value, [entity]: title };
  const others = Object.entries(asked.value.meanings).filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  go({ ...asked.value, meanings: { ...Object.fromEntries(others), [name]: entity } });
}

/** Starts from an entity as well, and asks again. */
export function pin(entity: string, title: string): void {
  if (!asked.value || asked.value.pinned.includes(entity)) return;
  titles.value = { ...titles.value, [entity]: title };
  go({ ...asked.value, pinned: [...asked.value.pinned, entity] });
}

/** Over which days a recorded answer can be looked at; nothing if there are none. */
export function Recorded() {
  if (daysOf(history.value).length < 2) return null;
  const day = chosenDay.value ?? '';
  return (
    <section class="differently" aria-label={words.title}>
      <p>
        {words.asOf} <output>{day || words.anyDay}</output> <Slider day={day} onDay={(day) => (chosenDay.value = day)} />
      </p>
      {day && <p class="note">{words.recordedAnswer}</p>}
      <Changed />
    </section>
  );
}

export function Differently({ asked }: { asked: Asked }) {
  return (
    <section class="differently" id={STRIP} tabIndex={-1} aria-label={words.title}>
      {asked.without.length > 0 && (
        <ul aria-label={words.leftOut}>
          {asked.without.map((passage) => (
            <LeftOut key={passage} asked={asked} passage={passage} />
          ))}
        </ul>
      )}
      {Object.keys(asked.meanings).length > 0 && (
        <ul aria-label={words.chosen}>
          {Object.keys(asked.meanings).map((name) => (
            <Meant key={name} asked={asked} name={name} />
          ))}
        </ul>
      )}
      {asked.pinned.length > 0 && (
        <ul aria-label={words.pinned}>
          {asked.pinned.map((entity) => (
            <Pinned key={entity} asked={asked} entity={entity} />
          ))}
        </ul>
      )}
      <AsOf asked={asked} />
      <Changed />
      {asked.asOf && (
        <p class="printed">
          {words.asOf} {asked.asOf}
        </p>
      )}
    </section>
  );
}

/** The name of a thing by its ID. */
function useTitle(id: string): string {
  const title = titles.value[id];
  useEffect(() => {
    if (title !== undefined) return;
    // An address that was sent has no titles. The ID stands for one that can't be read.
    get<Linked>(`/v1/things/${encodeURIComponent(id)}?limit=1`).then(
      ({ thing }) => (titles.value = { ...titles.value, [id]: thing.name }),
      () => {},
    );
  }, [id, title]);
  return title ?? id;
}

/** Something that a question is asked with, and a button that takes it back. */
function Entry({ children, undo, undoWhat, without }: { children: ComponentChildren; undo: string; undoWhat: string; without: Asked }) {
  return (
    <li>
      {children}{' '}
      <button type="button" class="link" aria-label={undoWhat} onClick={() => go(without)}>
        {undo}
      </button>
    </li>
  );
}

function Meant({ asked, name }: { asked: Asked; name: string }) {
  const { [name]: entity = '', ...meanings } = asked.meanings;
  const shown = useTitle(entity);
  return (
    <Entry undo={words.anyMeaning} undoWhat={words.anyMeaningOf(name)} without={{ ...asked, meanings }}>
      <bdi>{words.means(name, shown)}</bdi>
    </Entry>
  );
}

function Pinned({ asked, entity }: { asked: Asked; entity: string }) {
  const shown = useTitle(entity).slice(0, 200);
  const pinned = asked.pinned.filter((other) => other !== entity);
  return (
    <Entry undo={words.unpin} undoWhat={words.unpinWhat(shown)} without={{ ...asked, pinned }}>
      {words.pinned} <bdi>{shown}</bdi>
    </Entry>
  );
}

function LeftOut({ asked, passage }: { asked: Asked; passage: string }) {
  const shown = useTitle(passage);
  const without = asked.without.filter((other) => other !== passage);
  return (
    <Entry undo={words.putBack} undoWhat={words.putBackWhat(shown)} without={{ ...asked, without }}>
      {words.leftOut} <bdi>{shown}</bdi>
    </Entry>
  );
}

function AsOf({ asked }: { asked: Asked }) {
  const day = chosenDay.value ?? asked.asOf;
  const show = (day: string) => (chosenDay.value = day);
  const send = (event: Event) => {
    event.preventDefault();
    if (day !== asked.asOf) go({ ...asked, asOf: day });
  };
  return (
    <form onSubmit={send}>
      <label>
        {words.asOf}{' '}
        <input type="date" max="9999-12-31" value={day} onInput={(event) => show(event.currentTarget.value)} />
      </label>
      <Slider day={day} onDay={show} />
      {day !== asked.asOf && (
        <button type="submit" class="link">
          {words.again}
        </button>
      )}
      {asked.asOf && (
        <button type="button" class="link" onClick={() => go({ ...asked, asOf: '' })}>
          {words.clear}
        </button>
      )}
      {asked.asOf && <small>{words.asOfWhat}</small>}
    </form>
  );
}

/** Goes over the days on which something of what was found was written or changed; last comes any day. */
function Slider({ day, onDay }: { day: string; onDay: (day: string) => void }) {
  const days = daysOf(history.value);
  if (days.length < 2) return null;
  const at = day ? Math.max(0, days.findLastIndex((other) => other <= day)) : days.length;
  return (
    <input
      type="range"
      min="0"
      max={days.length}
      step="1"
      value={at}
      aria-label={words.slider}
      aria-valuetext={day || words.anyDay}
      onInput={(event) => onDay(days[Number(event.currentTarget.value)] ?? '')}
    />
  );
}
