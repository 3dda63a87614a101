/** The ask view. */

import { useEffect, useState } from 'preact/hooks';

import { get } from '../api.ts';
import { messages } from '../messages.ts';
import { AnswerPanel } from './answer.tsx';
import { Columns, Legend } from './columns.tsx';
import { Compare } from './compare.tsx';
import { Detail } from './detail.tsx';
import { Difference } from './difference.tsx';
import { Differently, Recorded } from './differently.tsx';
import { learn } from './history.ts';
import { hashOfAsked, isApp, isRecorded, place } from './place.ts';
import { answered, ask, asked, before, effort, failure, hops, isWorking, opened, passages, question, stages, view } from './state.ts';
import type { View } from './view.ts';

const words = messages.ask;

export function Ask() {
  const wanted = place.value;
  const address = hashOfAsked(wanted);
  useEffect(() => {
    if (isRecorded || !wanted.question) return;
    const isAsked = asked.value !== null && hashOfAsked(asked.value) === address;
    if (!isAsked || !(answered.value || isWorking.value)) void ask(wanted);
  }, [address]);
  const shown = view.value;
  useEffect(() => {
    if (shown) learn(shown);
  }, [shown]);
  return (
    <>
      {isRecorded ? !isApp && <p class="recorded">{words.recorded}</p> : <Box />}
      {asked.value && <Differently asked={asked.value} />}
      {isRecorded ? (
        <h1 class="asked">
          <bdi>{answered.value?.question ?? question.value}</bdi>
        </h1>
      ) : (
        <p class="asked printed">
          <bdi>{answered.value?.question}</bdi>
        </p>
      )}
      {isRecorded && <Recorded />}
      <p role="status" class="hidden">
        {isWorking.value ? words.working : spoken()}
      </p>
      {failure.value && (
        <p class="problem" role="alert">
          {failure.value}
        </p>
      )}
      {view.value && <AnswerPanel view={view.value} />}
      {view.value && before.value && <Difference before={before.value} now={view.value} />}
      {(isWorking.value || stages.value.length > 0) && (
        <>
          {view.value && <Legend view={view.value} />}
          <Columns />
        </>
      )}
      {view.value && <Compare view={view.value} />}
      {view.value && <Detail view={holderOf(view.value, before.value)} />}
    </>
  );
}

/** The answer that knows the open passage: this one, or the one before. */
function holderOf(now: View, before: View | null): View {
  const passage = opened.value ?? '';
  return before && !now.cards.has(passage) && before.cards.has(passage) ? before : now;
}

/** What is read out when a question was answered. */
function spoken(): string {
  const { answer, refusal } = answered.value ?? {};
  return answer ? `${messages.answer.answer}: ${answer}` : (refusal?.text ?? '');
}

function Box() {
  const send = (event: Event) => {
    event.preventDefault();
    begin(question.value);
  };
  return (
    <form class="box" role="search" onSubmit={send}>
      <h1 class="hidden">
        <label for="question">{words.label}</label>
      </h1>
      <div class="line">
        <textarea
          id="question"
          rows={1}
          autocomplete="off"
          enterkeyhint="search"
          dir="auto"
          placeholder={words.placeholder}
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) send(event);
          }}
        />
        <button type="submit" class="main" disabled={question.value.trim() === ''}>
          {words.send}
        </button>
      </div>
      <Options />
      {!answered.value && !isWorking.value && <Examples />}
    </form>
  );
}

/** Asks a question and makes its address that of the page, so that it can be gone back to. */
function begin(text: string): void {
  question.value = text;
  const last = asked.value;
  // What was left out and chosen belongs to the question that was asked. The day stays until it is cleared.
  const isSame = last !== null && [last.question.trim(), answered.value?.question].includes(text.trim());
  const wanted = {
    question: isSame ? last.question : text,
    without: isSame ? last.without : [],
    asOf: last?.asOf ?? '',
    meanings: isSame ? last.meanings : {},
    pinned: isSame ? last.pinned : [],
  };
  const hash = hashOfAsked(wanted);
  // The address of the question that was asked last changes nothing, and is asked again.
  if (location.hash === hash) void ask(wanted);
  else location.hash = hash;
}

function Options() {
  return (
    <details class="options">
      <summary>{words.options}</summary>
      <label>
        {words.effort}
        <select value={effort.value || 'balanced'} onChange={(event) => (effort.value = event.currentTarget.value)}>
          {Object.entries(words.efforts).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.hops}
        <input type="number" min="0" max="10" value={hops.value} onInput={(event) => (hops.value = event.currentTarget.value)} />
      </label>
      <label>
        {words.passages}
        <input type="number" min="1" max="50" value={passages.value} onInput={(event) => (passages.value = event.currentTarget.value)} />
      </label>
    </details>
  );
}

function Examples() {
  const [questions, setQuestions] = useState<string[] | null>(null);
  useEffect(() => {
    // A server that can't tell any has said why to the first question.
    get<{ questions: string[] }>('/v1/examples').then(({ questions }) => setQuestions(questions), () => {});
  }, []);
  if (!questions) return null;
  if (questions.length === 0) {
    return (
      <p>
        {words.empty} <a href="#/documents">{words.addSome}</a>
      </p>
    );
  }
  return (
    <div class="examples">
      <p class="intro">{words.intro}</p>
      <h2>{words.examples}</h2>
      <ul>
        {questions.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => begin(text)}>
              <bdi>{text}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
