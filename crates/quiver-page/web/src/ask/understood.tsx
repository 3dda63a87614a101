/** The first column: the question as it was understood. */

import type { AnsweredBy, NameChoice, QuestionPart } from '../forms.ts';
import { messages } from '../messages.ts';
import { mean } from './differently.tsx';
import { classes, shadeOfPart } from './highlight.ts';
import { hashOf, isRecorded, place } from './place.ts';
import { describing, NAME_MAX, type View } from './view.ts';

const words = messages.understood;
/** How many colours there are for names. */
const COLOURS = 4;

export function Understood({ view }: { view: View }) {
  const { parts, names, corrected, choices = [] } = view.explanation;
  const { query } = view.answered;
  /** What is read as part of a query need not be said in any passage. */
  const isUnknown = (part: QuestionPart) => !part.is_known && !query;
  const { said } = place.value;
  const most = parts.reduce((most, part) => Math.max(most, part.share), 0) || 1;
  const describes = describing(view);
  const nameOf = (at: number) => names.findIndex((name) => name.first <= at && at < name.end);
  // Names of the same words are the meanings of one name.
  const places = [...new Set(names.map((name) => `${name.first}-${name.end}`))];
  return (
    <>
      {said && said !== view.answered.question && (
        <p class="note">
          {words.askedAs} <q>{said}</q>
        </p>
      )}
      <p class="question" dir="auto">
        {parts.map((part, at) => {
          const name = nameOf(at);
          const weight = part.share > 0 ? Math.max(1, Math.ceil((part.share / most) * 4)) : 0;
          const title = part.share > 0 ? words.weight(part.share) : undefined;
          return (
            <span
              key={at}
              title={!isUnknown(part) ? [title, describes.has(at) && words.saidOnWay].filter(Boolean).join('; ') || undefined : words.unknown}
              class={classes(`w${weight}`, name >= 0 && `name n${name % COLOURS}`, isUnknown(part) && 'unknown', describes.has(at) && 'describes', shadeOfPart(at))}
            >
              {part.text}
            </span>
          );
        })}
      </p>
      {!query && places.map((place) => {
        const meanings = names.filter((name) => `${name.first}-${name.end}` === place);
        const choice = choices.find(({ first, end }) => `${first}-${end}` === place);
        return (
          <div class="names" key={place}>
            {meanings.length > 1 && <p class="note">{words.ambiguous}</p>}
            {meanings.map((name) => (
              <p key={name.entity}>
                <bdi class={`name n${names.indexOf(name) % COLOURS}`}>{name.entity.slice(0, NAME_MAX)}</bdi>{' '}
                <small>
                  {words.about(name.passages_about)}
                  {choice?.chosen !== undefined && `, ${words.chosen}`}
                </small>
              </p>
            ))}
            {choice && !isRecorded && <Choose name={writtenIn(view, choice)} choice={choice} linked={meanings.map(({ entity }) => entity)} />}
          </div>
        );
      })}
      {query ? <ReadAs query={query} /> : names.length === 0 && <p class="note">{words.noNames}</p>}
      {corrected.map(({ written, read_as }) => (
        <p class="warning" key={written}>
          {words.corrected(written, read_as)}
        </p>
      ))}
      <p class="note">
        {words.legend} {describes.size > 0 && words.legendDescribes} {parts.some(isUnknown) && words.legendUnknown}
      </p>
      {describes.size > 0 && <p class="hidden">{words.describes([...describes].map((at) => parts[at]!.text))}</p>}
    </>
  );
}

/** A name as the question has it, unless it was read as another one. */
function writtenIn(view: View, { name, first, end }: NameChoice): string {
  const written = view.explanation.parts.slice(first, end).map(({ text }) => text).join('');
  return written.toLowerCase() === name ? written : name;
}

/** What else a name may mean, to choose from. */
function Choose({ name, choice, linked }: { name: string; choice: NameChoice; linked: string[] }) {
  // What is meant already is no choice, unless it is one of several.
  const isMeant = (entity: string) => choice.chosen === undefined && linked.length === 1 && entity === linked[0];
  const others = choice.candidates.filter(({ id, entity }) => id !== choice.chosen && !isMeant(entity));
  // Nobody has said yet which of them is meant.
  const isOpen = choice.chosen === undefined && others.length > 1;
  return (
    <details class="choose" open={isOpen}>
      <summary>{isOpen ? words.mayMean(name) : words.otherwise(name)}</summary>
      <ul>
        {others.map(({ id, entity, kind, description, passages_about: about }) => (
          <li key={id}>
            <button type="button" class="link" aria-label={words.choose(name, entity.slice(0, NAME_MAX))} onClick={() => mean(name, id, entity)}>
              <bdi>{entity.slice(0, NAME_MAX)}</bdi>
            </button>{' '}
            <small>
              {kind && <bdi>{kind}, </bdi>}
              {words.about(about)}
              {description && (
                <>
                  : <bdi>{description.slice(0, NAME_MAX)}</bdi>
                </>
              )}
            </small>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What each word of a question became in the query that it was read as. */
function ReadAs({ query }: { query: AnsweredBy }) {
  const { cypher, words: read, shared_names: shared = [] } = query;
  return (
    <div class="read-as">
      <p class="note">{words.readAs}</p>
      <ul class="lines">
        {read.map(({ words, meaning }, at) => (
          <li key={at}>
            <b>
              <bdi>{words}</bdi>
            </b>{' '}
            {meaning}
          </li>
        ))}
      </ul>
      {shared.length > 0 && <p class="warning">{words.sharedNames(shared)}</p>}
      <p class="code">{cypher}</p>
      {!isRecorded && <a href={hashOf(cypher, 'query')}>{words.edit}</a>}
    </div>
  );
}
