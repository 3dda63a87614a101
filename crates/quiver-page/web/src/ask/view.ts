/** What the ask view shows of an answer: plain values, made from the recorded forms alone. */

import type { Answered, Candidate, Citation, Explanation, Hop } from '../forms.ts';
import { shorten } from './layout.ts';

/** How many passages plain search alone would show. */
export const PLAIN_SHOWN = 5;
/** How much of a passage without a title tells it apart, in letters. */
const BEGINNING = 40;
/** How much of a title or name is shown, in letters. */
export const NAME_MAX = 200;

/** A passage as a card. */
export interface Card {
  passage: string;
  title: string;
  document: string;
  candidate: Candidate;
  /** Its place in the answer's evidence, from 1. */
  rank: number;
  /** Whether plain search alone would show it. */
  isPlain: boolean;
}

/** A way through the passages, from the first to the one it ends at. */
export interface Way {
  passages: string[];
  steps: Hop[];
}

export interface View {
  answered: Answered;
  explanation: Explanation;
  cards: Map<string, Card>;
  /** What the search found, in its order, and what it found by names only. */
  found: Card[];
  /** What the answer may use, best first. */
  ranked: Card[];
  /** What plain search alone would show, best first. */
  plain: Card[];
  /** The ways to what the answer may use, the cited one first. */
  ways: Way[];
  /** The ways to other candidates. */
  otherWays: Way[];
}

export function viewOf(answered: Answered): View | null {
  const explanation = answered.trace?.explanation;
  if (!explanation) return null;
  const shown = new Set(answered.passages.map((passage) => passage.passage));
  const cards = new Map<string, Card>();
  const untitled = explanation.candidates.filter(({ title }) => title === null).map(({ document }) => document);
  explanation.candidates.forEach((candidate, at) => {
    const { title, document, text } = candidate;
    // Turns of one session are told apart by what they say.
    const isOneOfMany = title === null && untitled.indexOf(document) !== untitled.lastIndexOf(document);
    cards.set(candidate.passage, {
      passage: candidate.passage,
      title: shorten(title ?? (isOneOfMany ? `${document}: ${shorten(text.slice(0, 200).trim(), BEGINNING)}` : document), NAME_MAX),
      document: candidate.document,
      candidate,
      rank: at + 1,
      isPlain: candidate.plain_rank !== null && candidate.plain_rank <= PLAIN_SHOWN,
    });
  });
  const all = [...cards.values()];
  const byPlain = all
    .filter((card) => card.candidate.plain_rank !== null)
    .sort((a, b) => a.candidate.plain_rank! - b.candidate.plain_rank!);
  const byName = all.filter((card) => card.candidate.plain_rank === null && card.candidate.found_by === 'search');
  const cited = citationsOf(answered).map((citation) => wayTo(citation.passage, citation.path));
  const ranked = all.filter((card) => shown.has(card.passage));
  const wayOfCard = (card: Card) => wayTo(card.passage, card.candidate.path);
  const ways = distinct([...cited, ...ranked.map(wayOfCard)]);
  const others = all.filter((card) => !shown.has(card.passage) && card.candidate.path.length > 0).map(wayOfCard);
  const known = new Set(ways.map(nameOf));
  return {
    answered,
    explanation,
    cards,
    found: [...byPlain, ...byName],
    ranked,
    plain: byPlain.slice(0, PLAIN_SHOWN),
    ways,
    otherWays: distinct(others).filter((way) => !known.has(nameOf(way))),
  };
}

/** The sentences that the answer rests on, or those that come nearest. */
export function citationsOf(answered: Answered): Citation[] {
  return answered.answer === null ? answered.found : answered.citations;
}

/** The cited sentences without those that the way to another one says. */
export function chainsOf(answered: Answered): Citation[] {
  const all = citationsOf(answered);
  const leadsTo = ({ passage, sentence, path }: Citation, other: Citation) =>
    other.path.length > path.length &&
    path.every(({ from }, at) => from === other.path[at]!.from) &&
    other.path[path.length]!.from === passage &&
    other.path[path.length]!.sentence === sentence;
  return all.filter((citation) => !all.some((other) => leadsTo(citation, other)));
}

export function wayTo(passage: string, path: Hop[]): Way {
  return { passages: [...path.map((hop) => hop.from), passage], steps: path };
}

function nameOf(way: Way): string {
  return way.passages.join(' ');
}

function distinct(ways: Way[]): Way[] {
  const seen = new Set<string>();
  return ways.filter((way) => !seen.has(nameOf(way)) && seen.add(nameOf(way)));
}

/** What stands on the way to a passage: the passage itself, those before it, and the question's words in them. */
export interface Lit {
  passages: Set<string>;
  parts: Set<number>;
}

export function litBy(view: View, passage: string): Lit {
  const way = view.ways.find((way) => way.passages.at(-1) === passage);
  const path = view.cards.get(passage)?.candidate.path ?? [];
  const passages = new Set(way?.passages ?? wayTo(passage, path).passages);
  const parts = new Set<number>();
  for (const each of passages) {
    const candidate = view.cards.get(each)?.candidate;
    candidate?.parts.forEach((part) => parts.add(part));
  }
  return { passages, parts };
}

/** The words of the question that describe, by the numbers of their parts: passages on the cited way say them. */
export function describing(view: View): Set<number> {
  const { parts, names } = view.explanation;
  const [cited] = chainsOf(view.answered);
  if (!cited) return new Set();
  const said = saidOn(view, cited);
  const isName = (at: number) => names.some(({ first, end }) => first <= at && at < end);
  return new Set(said.filter((at) => parts[at] && parts[at].share > 0 && !isName(at)).sort((a, b) => a - b));
}

/** How many words of a question are named as missing at the most. */
const UNSAID_MAX = 4;

/** The words of the question that no passage on the way to the nearest sentence says, those that count most. */
export function unsaid(view: View): string[] {
  const { parts } = view.explanation;
  const [nearest] = chainsOf(view.answered);
  if (!nearest) return view.answered.refusal?.words ?? [];
  const said = new Set(saidOn(view, nearest));
  const open = parts.flatMap(({ share }, at) => (share > 0 && !said.has(at) ? [at] : []));
  const most = [...open].sort((a, b) => parts[b]!.share - parts[a]!.share || a - b).slice(0, UNSAID_MAX);
  return open.filter((at) => most.includes(at)).map((at) => parts[at]!.text);
}

/** The words of the question that the passages on the way to a sentence say, by the numbers of their parts. */
function saidOn(view: View, { passage, path }: Citation): number[] {
  return wayTo(passage, path).passages.flatMap((passage) => view.cards.get(passage)?.candidate.parts ?? []);
}

export function titleOf(view: View, passage: string): string {
  const card = view.cards.get(passage);
  if (card) return card.title;
  const shown = view.answered.passages.find((each) => each.passage === passage);
  return shorten(shown?.title ?? shown?.document ?? passage, NAME_MAX);
}

/** The name of an entity that may be chosen or is pinned, or its ID. */
export function entityOf(view: View | null, id: string): string {
  const choices = view?.explanation.choices?.flatMap((choice) => choice.candidates) ?? [];
  const candidates = [...choices, ...(view?.explanation.pinned ?? [])];
  return candidates.find((candidate) => candidate.id === id)?.entity ?? id;
}

/** The whole text of a passage, or its beginning where only that was recorded. */
export function textOf(view: View, passage: string): string {
  const shown = view.answered.passages.find((each) => each.passage === passage);
  return shown?.text ?? view.cards.get(passage)?.candidate.text ?? '';
}

/** The sentences of a passage that the answer or a way rests on; else the one that says most of the question. */
export function supportOf(view: View, passage: string): string[] {
  const citations = citationsOf(view.answered);
  const said = citations.filter((citation) => citation.passage === passage).map((citation) => citation.sentence);
  const leadsOn = (steps: Hop[]) => steps.filter((step) => step.from === passage).flatMap((step) => step.sentence ?? []);
  const onCited = [...said, ...leadsOn(citations.flatMap((citation) => citation.path))];
  if (onCited.length > 0) return [...new Set(onCited)];
  const onOthers = leadsOn(view.ways.flatMap((way) => way.steps));
  if (onOthers.length > 0) return [...new Set(onOthers)];
  const best = view.cards.get(passage)?.candidate.sentence;
  return best ? [best] : [];
}
