/** Explore: begin with a thing that is searched for, and open what it is linked to, step by step. */

import { useEffect, useMemo, useState } from 'preact/hooks';

import { get, post } from '../api.ts';
import { hashOf, place } from '../ask/place.ts';
import { Marked } from '../ask/text.tsx';
import { Again, DecisionList, Decisions } from '../decisions.tsx';
import type { Link, Linked, Thing } from '../forms.ts';
import { Line } from '../line.tsx';
import { messages } from '../messages.ts';
import { Problems, useRequest } from '../tabs/request.tsx';
import { GROUP_COLOURS, groupsOf, type Group } from './communities.ts';
import { Drawing } from './drawing.tsx';
import { pictureOf, sentenceWith, unlisted, type Picture } from './picture.ts';
import { saidOf, SPLIT_INTO, splitOf, textsOf, type Text } from './split.ts';

const words = messages.explore;
/** How many links of a kind are listed at first, and at the most. */
const LISTED = 12;
const LISTED_MAX = 1000;
/** How many rows the table of links shows at first, and more each time. */
const ROWS = 100;
/** How much of a passage is shown to choose it by, in characters. */
const EXCERPT = 120;

export function Explore() {
  const asked = place.value.question;
  const request = useRequest();
  const [text, setText] = useState(asked);
  const [found, setFound] = useState<Thing[] | null>(null);
  const [root, setRoot] = useState<Thing | null>(null);
  /** What was opened, in the order in which it was opened. */
  const [opened, setOpened] = useState(new Map<string, Linked>());
  const [chosen, setChosen] = useState<string | null>(null);
  /** How many decisions were taken or undone here, so that their list is read again. */
  const [taken, setTaken] = useState(0);
  const picture = useMemo(() => root && pictureOf(root, opened), [root, opened]);

  const groups = useMemo(() => (picture ? groupsOf(picture) : []), [picture]);

  const open = async (id: string, limit = LISTED, before = opened) => {
    const linked = await get<Linked>(`/v1/things/${encodeURIComponent(id)}?limit=${limit}`);
    setOpened(new Map(before).set(id, linked));
  };
  const begin = async (thing: Thing) => {
    setRoot(thing);
    setChosen(thing.id);
    await open(thing.id, LISTED, new Map());
  };
  const search = async (wanted: string) => {
    setRoot(null);
    setFound(null);
    const { things } = await get<{ things: Thing[] }>(`/v1/things?${new URLSearchParams({ text: wanted })}`);
    setFound(things);
    const [first] = things;
    if (first && (things.length === 1 || first.name.toLowerCase() === wanted.trim().toLowerCase())) await begin(first);
  };
  useEffect(() => {
    setText(asked);
    if (asked.trim()) request.run(() => search(asked));
  }, [asked]);

  const choose = (thing: Thing) => {
    setChosen(thing.id);
    if (!opened.has(thing.id)) request.run(() => open(thing.id));
  };
  const more = (id: string) => {
    const listed = opened.get(id)?.links.length ?? LISTED;
    request.run(() => open(id, Math.min(LISTED_MAX, Math.max(listed, LISTED) * 4)));
  };
  const close = (id: string) => {
    const before = new Map(opened);
    before.delete(id);
    setOpened(before);
    setChosen(null);
  };
  /** Does what changes the links of a thing, and reads them again. Returns whether it was done. */
  const change = async (id: string, work: () => Promise<unknown>) => {
    let isDone = false;
    await request.run(async () => {
      await work();
      isDone = true;
      setTaken((before) => before + 1);
      await open(id, Math.min(LISTED_MAX, Math.max(LISTED, opened.get(id)?.links.length ?? 0) + 1));
    });
    return isDone;
  };
  /** Deletes a thing, and begins again with what the drawing began with. */
  const hide = (thing: Thing) =>
    request.run(async () => {
      await post('/v1/deletions', { entity: thing.id });
      setTaken((before) => before + 1);
      if (root && root.id !== thing.id) return begin(root);
      setRoot(null);
      setFound(null);
      setChosen(null);
    });
  const send = () => {
    const hash = hashOf(text, 'explore');
    if (location.hash === hash) request.run(() => search(text));
    else location.hash = hash;
  };

  const linked = chosen === null ? undefined : opened.get(chosen);
  return (
    <div class="explore">
      <h1>{words.title}</h1>
      <p class="intro">{words.intro}</p>
      <Line words={words} text={text} onText={setText} onSend={send} isSearch />
      <Problems request={request} />
      {found && !root && <Found found={found} onChoose={(thing) => request.run(() => begin(thing))} />}
      {picture && (
        <div class="beside">
          <div class="drawn">
            <Drawing picture={picture} groups={groups.length > 1 ? groups : []} chosen={chosen} onChoose={choose} onMore={more} />
            {groups.length > 1 && <Groups groups={groups} picture={picture} onChoose={choose} />}
          </div>
          {linked ? (
            <Chosen
              key={linked.thing.id}
              linked={linked}
              onChoose={choose}
              onMore={() => more(linked.thing.id)}
              onChange={(work) => change(linked.thing.id, work)}
              onHide={() => hide(linked.thing)}
              onClose={linked.thing.id === root?.id ? null : () => close(linked.thing.id)}
            />
          ) : (
            <p class="note">{request.isRunning ? words.reading : words.choose}</p>
          )}
        </div>
      )}
      {found && root && found.length > 1 && (
        <details>
          <summary>{words.others}</summary>
          <Found found={found} onChoose={(thing) => request.run(() => begin(thing))} />
        </details>
      )}
      {!root && <Decisions key={taken} isOpen={taken > 0} />}
    </div>
  );
}

/** The groups of what is drawn, each by the thing with the most links in it. */
function Groups({ groups, picture, onChoose }: { groups: Group[]; picture: Picture; onChoose: (thing: Thing) => void }) {
  const things = new Map(picture.nodes.map(({ thing }) => [thing.id, thing]));
  return (
    <section class="groups" aria-labelledby="groups-heading">
      <h2 id="groups-heading">{words.groups}</h2>
      <p class="note">{words.groupsWhat}</p>
      <ul>
        {groups.slice(0, GROUP_COLOURS).map(({ head, members }, at) => (
          <li key={head}>
            <span class={`dot g${at}`} aria-hidden="true" />
            <button type="button" class="link" onClick={() => onChoose(things.get(head)!)}>
              <bdi>{things.get(head)!.name.slice(0, 200)}</bdi>
            </button>{' '}
            <small>{words.groupOf(members.length)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Found({ found, onChoose }: { found: Thing[]; onChoose: (thing: Thing) => void }) {
  if (found.length === 0) return <p class="gap">{words.none}</p>;
  return (
    <ul class="found">
      {found.map((thing) => (
        <li key={thing.id}>
          <button type="button" class={`thing ${thing.kind}`} onClick={() => onChoose(thing)}>
            <strong>
              <bdi>{thing.name.slice(0, 200)}</bdi>
            </strong>
            <small>{sortOf(thing)}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What a thing is, in a word or two. */
export function sortOf(thing: Thing): string {
  return thing.kind === 'passage' ? words.passage(thing.document ?? '') : (thing.sort ?? words.entity);
}

interface ChosenProps {
  linked: Linked;
  onChoose: (thing: Thing) => void;
  onMore: () => void;
  /** Does what changes its links. Returns whether it was done. */
  onChange: (work: () => Promise<unknown>) => Promise<boolean>;
  onHide: () => void;
  onClose: (() => void) | null;
}

/** The thing that is chosen, and its links as a table. */
function Chosen({ linked, onChoose, onMore, onChange, onHide, onClose }: ChosenProps) {
  const { thing, links, decisions } = linked;
  const [rows, setRows] = useState(ROWS);
  const rest = unlisted(linked) + Math.max(0, links.length - rows);
  const more = () => {
    setRows(rows + ROWS);
    if (links.length <= rows) onMore();
  };
  const said = saidOf(linked);
  return (
    <section class="sheet chosen" aria-labelledby="thing-heading">
      <h2 id="thing-heading">
        <bdi>{thing.name.slice(0, 200)}</bdi>
      </h2>
      <p class="note">
        <bdi>{sortOf(thing)}</bdi>
      </p>
      {thing.text && (
        <p class="text" tabIndex={0}>
          <bdi class="passage">{thing.text}</bdi>
        </p>
      )}
      <p class="actions">
        <a href={hashOf(words.overview(thing.name.slice(0, 200)))}>{words.ask}</a>
        {onClose && (
          <button type="button" class="link" onClick={onClose}>
            {words.close}
          </button>
        )}
      </p>
      {thing.kind === 'entity' && <Decide thing={thing} onChange={onChange} onHide={onHide} />}
      {decisions && <DecisionList decisions={decisions} onChange={onChange} />}
      {links.length === 0 && <p class="note">{words.noLinks}</p>}
      {links.length > 0 && (
        <table>
          <caption class="hidden">{words.links}</caption>
          <thead>
            <tr>
              <th scope="col">{words.how}</th>
              <th scope="col">{words.what}</th>
            </tr>
          </thead>
          <tbody>
            {links.slice(0, rows).map((link, at) => (
              <tr key={at} class={link.valid_to === undefined && !link.is_undone ? undefined : 'over'}>
                <td>
                  <bdi>{howOf(link)}</bdi>
                </td>
                <td>
                  <button type="button" class="link" onClick={() => onChoose(link.thing)}>
                    <bdi>{link.thing.name.slice(0, 200)}</bdi>
                  </button>
                  <Says thing={thing} said={said} link={link} />
                  {link.decision !== undefined && <Decision thing={thing} link={link} onChange={onChange} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rest > 0 && (
        <button type="button" class="link" onClick={more}>
          {words.more(rest)}
        </button>
      )}
    </section>
  );
}

/** Decides that a thing is the same as another, has another name, or is left out. */
function Decide({ thing, onChange, onHide }: { thing: Thing; onChange: ChosenProps['onChange']; onHide: () => void }) {
  const [isSure, setSure] = useState(false);
  return (
    <details class="decide">
      <summary>{words.decide}</summary>
      <Named
        what={words.mergeWhat}
        label={words.mergeName}
        send={words.mergeSend}
        onSend={(other) => onChange(() => post('/v1/merges', { one: thing.name, other }))}
      />
      <Split thing={thing} onChange={onChange} />
      <Named
        what={words.renameWhat}
        label={words.renameName}
        send={words.renameSend}
        onSend={(name) => onChange(() => post('/v1/renames', { entity: thing.id, name }))}
      />
      <p class="note">{words.hideWhat}</p>
      <button type="button" class="link danger" onClick={() => (isSure ? onHide() : setSure(true))}>
        {isSure ? words.hideSurely : words.hide}
      </button>
      <p class="note">{words.undoable}</p>
    </details>
  );
}

/** Decides that a thing is really two: which texts are about the other one, and its name. */
function Split({ thing, onChange }: { thing: Thing; onChange: ChosenProps['onChange'] }) {
  const request = useRequest();
  const [linked, setLinked] = useState<Linked | null>(null);
  const [chosen, setChosen] = useState(new Set<string>());
  const [name, setName] = useState('');
  const texts = linked ? textsOf(linked) : [];
  const rest = linked ? linked.counts.about + linked.counts.mention - texts.reduce((sum, { passages }) => sum + passages.length, 0) : 0;
  const read = () => request.run(async () => setLinked(await get<Linked>(`/v1/things/${encodeURIComponent(thing.id)}?limit=${LISTED_MAX}`)));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const split = splitOf(texts, chosen);
    const isDone = await onChange(() => post('/v1/splits', { entity: thing.id, name: name.trim(), ...split }));
    // What was refused is kept, so that another name can be tried.
    if (!isDone) return;
    setChosen(new Set());
    setName('');
    await read();
  };
  return (
    <form class="split" onSubmit={submit}>
      <p class="note">{words.splitWhat}</p>
      <Problems request={request} />
      {!linked && (
        <button type="button" class="link" onClick={read}>
          {words.splitOpen}
        </button>
      )}
      {linked && (
        <>
          <fieldset>
            <legend>{words.splitTexts}</legend>
            {texts.map((text) => (
              <TextChoice key={text.key} text={text} chosen={chosen} onToggle={toggle} />
            ))}
            {rest > 0 && <p class="note">{words.splitRest(rest)}</p>}
          </fieldset>
          <label>
            {words.splitName}
            <input class="field" value={name} required pattern=".*\S.*" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <button type="submit" class="link" disabled={chosen.size === 0}>
            {words.splitSend}
          </button>
        </>
      )}
    </form>
  );
}

/** A text to choose, as a whole or some passages of it. */
function TextChoice({ text, chosen, onToggle }: { text: Text; chosen: Set<string>; onToggle: (key: string) => void }) {
  const { key, isSession, passages } = text;
  const name = isSession ? words.splitSession(text.name) : text.name;
  const isWhole = chosen.has(key);
  return (
    <div>
      <label class="check">
        <input type="checkbox" checked={isWhole} onChange={() => onToggle(key)} />
        <span>
          <bdi>{name.slice(0, 200)}</bdi> <small class="note">{isSession ? words.splitTurns(passages.length) : words.splitAll(passages.length)}</small>
        </span>
      </label>
      {!isWhole && (passages.length > 1 || isSession) && (
        <details>
          <summary aria-label={words.splitOnlyOf(name.slice(0, 200))}>{words.splitOnly}</summary>
          {passages.map(({ id, text: said, name: title }) => (
            <label key={id} class="check">
              <input type="checkbox" checked={chosen.has(id)} onChange={() => onToggle(id)} />
              <bdi>{(said ?? title).slice(0, EXCERPT)}</bdi>
            </label>
          ))}
        </details>
      )}
    </div>
  );
}

/** A decision that takes a name. */
function Named({ what, label, send, onSend }: { what: string; label: string; send: string; onSend: (name: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    onSend(name.trim());
    setName('');
  };
  return (
    <form onSubmit={submit}>
      <p class="note">{what}</p>
      <label>
        {label}
        <input class="field" value={name} required pattern=".*\S.*" onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <button type="submit" class="link">
        {send}
      </button>
    </form>
  );
}

/** Undoes a merge or a split, or makes it again. */
function Decision({ thing, link, onChange }: { thing: Thing; link: Link; onChange: ChosenProps['onChange'] }) {
  const [one, other] = [thing.name.slice(0, 200), link.thing.name.slice(0, 200)];
  const isSplit = link.predicate === SPLIT_INTO;
  const what = isSplit ? (link.is_outgoing ? words.decided.split(one, other) : words.decided.split(other, one)) : words.decided.merge(one, other);
  const label = link.is_undone ? words.redoThat(what) : words.undoThat(what);
  return <Again decision={link.decision!} isUndone={link.is_undone ?? false} label={label} onChange={onChange} />;
}

/** What a link says, seen from the thing that is chosen. */
function howOf(link: Link): string {
  if (link.kind === 'relation') return link.is_outgoing ? link.predicate! : words.backwards(link.predicate!);
  return words.how_[link.kind][link.is_outgoing ? 'outgoing' : 'incoming'];
}

/** The sentence that a link was read from. */
function Says({ thing, said: called, link }: { thing: Thing; said: string; link: Link }) {
  const passage = link.thing.kind === 'passage' ? link.thing : thing.kind === 'passage' ? thing : null;
  const name = passage === thing ? link.thing.name : thing.name;
  const said =
    link.sentence !== undefined
      ? { sentence: link.sentence, written: link.thing.name }
      : (sentenceWith(passage?.text ?? '', name) ?? sentenceWith(passage?.text ?? '', passage === thing ? '' : called));
  if (!said) return null;
  return (
    <p class="note">
      <q>
        <Marked text={said.sentence} marks={[{ text: said.written, mark: 'bridge' }]} />
      </q>
    </p>
  );
}
