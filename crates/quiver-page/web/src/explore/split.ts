/** What a thing is split by: the texts that speak of it. */

import type { Link, Linked, Thing } from '../forms.ts';

/** What a split says of the two. */
export const SPLIT_INTO = 'split into';
/** What was asked in chats, of which nothing is split. */
const CONVERSATION = 'quiver:conversation';

/** A document or a session, with its passages that speak of a thing. */
export interface Text {
  key: string;
  name: string;
  isSession: boolean;
  passages: Thing[];
}

/** The texts that speak of a thing, by name; documents first. */
export function textsOf({ links }: Linked): Text[] {
  const texts = new Map<string, Text>();
  for (const { thing } of links) {
    if (thing.kind !== 'passage' || thing.document === CONVERSATION) continue;
    const isSession = thing.session !== undefined;
    const name = thing.session ?? thing.document ?? '';
    const key = `${isSession ? 'session' : 'document'}:${name}`;
    const text = texts.get(key) ?? { key, name, isSession, passages: [] };
    text.passages.push(thing);
    texts.set(key, text);
  }
  const order = (text: Text) => `${text.isSession ? 1 : 0}${text.name}`;
  return [...texts.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** What is sent of a choice: whole texts, and single passages of the others. */
export function splitOf(texts: Text[], chosen: ReadonlySet<string>): { documents: string[]; sessions: string[]; passages: string[] } {
  const whole = texts.filter(({ key }) => chosen.has(key));
  const others = texts.filter(({ key }) => !chosen.has(key)).flatMap(({ passages }) => passages);
  const named = (isSession: boolean) => whole.filter((text) => text.isSession === isSession).map(({ name }) => name);
  return {
    documents: named(false),
    sessions: named(true),
    passages: others.map(({ id }) => id).filter((id) => chosen.has(id)),
  };
}

/** What texts call a thing: the name of the one that it was split off, else its own. */
export function saidOf({ thing, links }: Linked): string {
  const isSplitOff = (link: Link) => link.predicate === SPLIT_INTO && link.decision !== undefined && !link.is_outgoing;
  return links.find(isSplitOff)?.thing.name ?? thing.name;
}
