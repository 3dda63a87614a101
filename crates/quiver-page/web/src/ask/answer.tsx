/** The answer at a glance: what it is, and the sentences that lead to it, one after the other. */

import { useState } from 'preact/hooks';

import type { Answered, Citation, Spending } from '../forms.ts';
import { messages } from '../messages.ts';
import { RowsTable } from '../rows.tsx';
import { Ended } from './ended.tsx';
import { classes, pointsAt, shade } from './highlight.ts';
import { excerptOf } from './marks.ts';
import { permalink } from './place.ts';
import { asText } from './plain.ts';
import { asked, pointed } from './state.ts';
import { Marked } from './text.tsx';
import { chainsOf, titleOf, unsaid, type View } from './view.ts';

const words = messages.answer;

/** What became of a question: an answer, sentences that may answer it, or neither. */
export function kindOf(answered: Answered): 'answer' | 'found' | 'refused' {
  if (answered.answer !== null) return 'answer';
  return answered.refusal?.reason === 'unsure' && answered.found.length > 0 ? 'found' : 'refused';
}

export function AnswerPanel({ view }: { view: View }) {
  const { answered } = view;
  const kind = kindOf(answered);
  const isQuoted = kind === 'answer' && quotes(answered);
  const [first, ...rest] = isQuoted ? [] : chainsOf(answered);
  return (
    <section class={`answer ${kind}`} aria-labelledby="answer-heading" id="answer" tabIndex={-1}>
      <header>
        <h2 id="answer-heading">{kind === 'answer' ? words.answer : kind === 'found' ? words.found : words.refused}</h2>
        <Facts answered={answered} />
      </header>
      {kind === 'answer' ? <Said view={view} /> : <p class="refusal">{sentence(answered.refusal?.text ?? '')}</p>}
      {answered.query && (
        <div>
          <h3 id="answer-rows">{words.rows}</h3>
          <RowsTable {...answered.query} labelledBy="answer-rows" />
        </div>
      )}
      {first && (
        <section aria-label={kind === 'answer' ? words.why : words.whyNot}>
          <h3>{kind === 'answer' ? words.why : words.nearest}</h3>
          <Chain view={view} citation={first} gap={kind === 'answer' ? null : gapOf(answered, view)} />
        </section>
      )}
      {!first && kind !== 'answer' && <MissingLink gap={gapOf(answered, view)} />}
      {rest.length > 0 && (
        <details open={answered.sentences.length > 1}>
          <summary>{kind === 'answer' ? words.otherSentences : words.otherFound}</summary>
          {rest.map((citation, at) => (
            <Chain key={at} view={view} citation={citation} gap={null} />
          ))}
        </details>
      )}
      {(answered.trace?.degraded ?? []).map((what) => (
        <p class="warning" key={what}>
          {words.degraded}: {what}
        </p>
      ))}
      {answered.spent && <Ledger spent={answered.spent} />}
      <Copy view={view} />
    </section>
  );
}

/** The answer in its parts, each of which lights the sentence that it comes from. */
function Said({ view }: { view: View }) {
  const { sentences, answer, citations } = view.answered;
  const isQuoted = quotes(view.answered);
  const from = sentences.length < 2 ? citations[0]?.passage : undefined;
  if (sentences.length < 2) {
    return (
      <p class="said">
        {from === undefined ? <bdi>{answer}</bdi> : <Part view={view} text={answer ?? ''} passage={from} />}
      </p>
    );
  }
  const sourceOf = (at: number) => sentences[at]?.passages[0] ?? '';
  return (
    <p class="said long">
      {sentences.map(({ text }, at) => (
        <span key={at}>
          {at > 0 && ' '}
          <Part view={view} text={text} passage={sourceOf(at)} />
          {isQuoted && sourceOf(at) !== sourceOf(at + 1) && (
            <small>
              {' '}
              <bdi>{titleOf(view, sourceOf(at))}</bdi>
            </small>
          )}
        </span>
      ))}
    </p>
  );
}

function Part({ view, text, passage }: { view: View; text: string; passage: string }) {
  if (!view.cards.has(passage)) return <bdi>{text}</bdi>;
  return (
    <button type="button" class={classes('sentence', pointed.value === passage && 'lit')} {...pointsAt(passage)}>
      <bdi>{text}</bdi>
    </button>
  );
}

/** Whether an answer consists of the sentences that it rests on, so that they need not be told again. */
function quotes({ sentences, citations }: Answered): boolean {
  const said = new Set(sentences.map(({ text }) => text));
  return sentences.length > 1 && citations.every(({ sentence, path }) => path.length === 0 && said.has(sentence));
}

function Facts({ answered }: { answered: Answered }) {
  const stages = answered.trace?.stages ?? [];
  const time = stages.reduce((sum, stage) => sum + stage.duration_us, 0);
  const total = answered.spent?.total;
  return (
    <p class="facts">
      {answered.answer !== null && answered.model === null && <span>{words.sure(answered.confidence)}</span>}
      {answered.answer !== null && (
        <span>{answered.query ? words.byQuery : answered.model === null ? words.ownWords : words.wordedBy(answered.model)}</span>
      )}
      <span>{words.total(messages.time(time))}</span>
      {total && <span>{words.spent(total.calls, total.tokens_in + total.tokens_out, total.cost)}</span>}
    </p>
  );
}

/** What was asked of language models for an answer, by the kind of work. */
function Ledger({ spent }: { spent: Spending }) {
  const jobs = Object.entries(spent.jobs);
  if (jobs.length === 0) return null;
  return (
    <details>
      <summary>{words.ledger}</summary>
      <ul class="lines">
        {jobs.map(([job, { calls, tokens_in, tokens_out, cost }]) => (
          <li key={job}>
            <bdi>{messages.health.spentOn(job, calls, tokens_in + tokens_out, cost)}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The passages on the way to a sentence, each with the sentence that leads on, and at last the sentence itself. */
function Chain({ view, citation, gap }: { view: View; citation: Citation; gap: Gap | null }) {
  return (
    <ol class="chain">
      {citation.path.map((hop, at) => (
        <Link key={at} view={view} passage={hop.from}>
          {hop.sentence ? (
            <Marked text={excerptOf(hop.sentence, hop.name)} marks={[{ text: hop.name, mark: 'bridge' }]} />
          ) : (
            <span class="note">{hop.text.slice(0, 1000)}</span>
          )}
        </Link>
      ))}
      <Link view={view} passage={citation.passage} isLast>
        <Marked
          text={excerptOf(citation.sentence, citation.value)}
          marks={citation.value === null ? [] : [{ text: citation.value, mark: 'value' }]}
        />
      </Link>
      {gap && (
        <li>
          <MissingLink gap={gap} />
        </li>
      )}
    </ol>
  );
}

function Link(props: { view: View; passage: string; isLast?: boolean; children: preact.ComponentChildren }) {
  const { view, passage, isLast, children } = props;
  const card = view.cards.get(passage);
  return (
    <li class={classes(isLast && 'last', pointed.value === passage && 'from', shade(passage))}>
      <button type="button" class="source" {...pointsAt(passage)}>
        <bdi>{card && card.candidate.title === null ? card.document : titleOf(view, passage)}</bdi>
      </button>
      <q>{children}</q>
      {card && <Ended passage={card.candidate} />}
    </li>
  );
}

/** What is missing on the way to an answer. */
export interface Gap {
  /** The words of the question that nothing on the way says. */
  names: string[];
  text: string;
}

export function MissingLink({ gap }: { gap: Gap | null }) {
  if (!gap) return null;
  return (
    <p class="gap">
      <strong>
        {gap.names.length > 0 ? words.gapOf : words.gap}
        {gap.names.map((name, at) => (
          <span key={at}>
            {at > 0 && ', '}
            <bdi>{name}</bdi>
          </span>
        ))}
      </strong>{' '}
      {gap.text}
    </p>
  );
}

/** What is missing on the way to an answer. Without what was considered, only what the refusal tells is known of it. */
export function gapOf(answered: Answered, view: View | null = null): Gap | null {
  const { refusal } = answered;
  if (!refusal) return null;
  const told = refusal.words ?? [];
  const names = refusal.reason === 'not_covered' || !view ? told : unsaid(view);
  const objection = refusal.objection && words.objections[refusal.objection];
  if (objection) return { names, text: objection };
  return names.length > 0 ? { names, text: words.missingWords(names.length) } : null;
}

/** Makes a sentence of what an error or refusal is told by. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

function Copy({ view }: { view: View }) {
  const [copied, setCopied] = useState('');
  const wanted = asked.value;
  const copy = async (what: string, text: string) => {
    await navigator.clipboard.writeText(text);
    setCopied(what);
  };
  // A page from a file was not asked and has no link to give, and browsers may give it no clipboard.
  if (!navigator.clipboard) return null;
  return (
    <p class="actions">
      {wanted && (
        <button type="button" class="link" onClick={() => void copy('link', permalink(wanted))}>
          {words.link}
        </button>
      )}
      <button type="button" class="link" onClick={() => void copy('text', asText(view, wanted))}>
        {words.text}
      </button>
      <span role="status">{copied && words.copied}</span>
    </p>
  );
}
