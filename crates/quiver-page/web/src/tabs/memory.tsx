/** The memory: what is recalled, what is remembered, and the facts about a thing with their history. */

import { useState } from 'preact/hooks';

import { get, post } from '../api.ts';
import type { Fact, Recalled, Remembered } from '../forms.ts';
import { messages } from '../messages.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.memory;

export function Memory() {
  return (
    <>
      <h1>{words.title}</h1>
      <div class="halves">
        <Recall />
        <Facts />
        <Remember />
      </div>
    </>
  );
}

function Recall() {
  const request = useRequest();
  const [question, setQuestion] = useState('');
  const [moment, setMoment] = useState('');
  const [recalled, setRecalled] = useState<Recalled | null>(null);
  const send = (event: Event) => {
    event.preventDefault();
    request.run(async () => {
      setRecalled(await post<Recalled>('/v1/recall', { question, ...(moment ? { as_of: moment } : {}) }));
    });
  };
  return (
    <section class="sheet" aria-labelledby="recall-heading">
      <h2 id="recall-heading">{words.recall}</h2>
      <p class="note">{words.recallWhat}</p>
      <form onSubmit={send}>
        <label>
          {words.question}
          <input class="field" value={question} required onInput={(event) => setQuestion(event.currentTarget.value)} />
        </label>
        <label>
          {words.asOf}
          <input class="field" type="date" value={moment} onInput={(event) => setMoment(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={request.isRunning}>
          {words.recallSend}
        </button>
      </form>
      <Problems request={request} />
      {recalled && (
        <div aria-live="polite">
          {recalled.answer !== null && (
            <p class="said">
              <bdi>{recalled.answer}</bdi>
            </p>
          )}
          {recalled.no_answer && <p class="refusal">{recalled.no_answer}</p>}
          {recalled.found.length > 0 && (
            <>
              <p class="note">{words.nearest}</p>
              <ul class="lines">
                {recalled.found.map(({ line }) => (
                  <li key={line}>
                    <bdi>{line}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
          {recalled.ambiguity && <p class="warning">{recalled.ambiguity.question}</p>}
          <ul class="lines">
            {recalled.lines.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
          <FactList facts={recalled.facts} />
        </div>
      )}
    </section>
  );
}

function Facts() {
  const request = useRequest();
  const [about, setAbout] = useState('');
  const [found, setFound] = useState<Fact[] | null>(null);
  const send = (event: Event) => {
    event.preventDefault();
    request.run(async () => {
      const query = new URLSearchParams({ about, history: 'true' });
      setFound((await get<{ facts: Fact[] }>(`/v1/facts?${query}`)).facts);
    });
  };
  return (
    <section class="sheet" aria-labelledby="facts-heading">
      <h2 id="facts-heading">{words.facts}</h2>
      <p class="note">{words.factsWhat}</p>
      <form onSubmit={send}>
        <label>
          {words.about}
          <input class="field" value={about} required onInput={(event) => setAbout(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={request.isRunning}>
          {words.factsSend}
        </button>
      </form>
      <Problems request={request} />
      {found && (found.length === 0 ? <p>{words.noFacts}</p> : <FactList facts={found} />)}
    </section>
  );
}

/** Facts by what they are about: a value that holds no more stands below those that hold, struck through. */
function FactList({ facts }: { facts: Fact[] }) {
  const slots = new Map<string, Fact[]>();
  for (const fact of facts) {
    const slot = `${fact.subject}\u0000${fact.predicate}`;
    slots.set(slot, [...(slots.get(slot) ?? []), fact]);
  }
  return (
    <ul class="slots">
      {[...slots.values()].map((slot) => (
        <li key={slot[0]!.id}>
          <bdi>{slot[0]!.subject}</bdi> <small>{slot[0]!.predicate}</small>
          <ul>
            {slot
              .toSorted((a, b) => Number(b.holds) - Number(a.holds) || (b.valid_from ?? 0) - (a.valid_from ?? 0))
              .map((fact) => (
                <li key={fact.id}>
                  {fact.denied && <strong>{words.denied} </strong>}
                  {fact.holds ? <bdi>{fact.object}</bdi> : <s><bdi>{fact.object}</bdi></s>}{' '}
                  <small>{times(fact)}</small>
                  {fact.sentence && (
                    <p class="note">
                      <q>
                        <bdi>{fact.sentence}</bdi>
                      </q>{' '}
                      {fact.speaker}
                    </p>
                  )}
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function times(fact: Fact): string {
  const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  const parts = [];
  if (fact.valid_from !== null) parts.push(words.from(day(fact.valid_from)));
  if (fact.valid_to !== null) parts.push(words.until(day(fact.valid_to)));
  if (!fact.holds) parts.push(words.over);
  return parts.join(', ');
}

function Remember() {
  const request = useRequest();
  const [text, setText] = useState('');
  const [speaker, setSpeaker] = useState('');
  const [remembered, setRemembered] = useState<Remembered | null>(null);
  const send = (event: Event) => {
    event.preventDefault();
    request.run(async () => {
      const turn = { text, session: words.session, ...(speaker ? { speaker } : {}) };
      setRemembered(await post<Remembered>('/v1/remember', { turns: [turn] }));
      setText('');
    });
  };
  const facts = remembered?.turns.flatMap((turn) => turn.facts) ?? [];
  return (
    <section class="sheet" aria-labelledby="remember-heading">
      <h2 id="remember-heading">{words.remember}</h2>
      <p class="note">{words.rememberWhat}</p>
      <form onSubmit={send}>
        <label>
          {words.text}
          <textarea class="field" rows={3} value={text} required onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          {words.speaker}
          <input class="field" value={speaker} onInput={(event) => setSpeaker(event.currentTarget.value)} />
        </label>
        <button type="submit" class="main" disabled={request.isRunning}>
          {words.rememberSend}
        </button>
      </form>
      <Problems request={request} />
      {remembered && (
        <div aria-live="polite">
          <p>{facts.length === 0 ? words.noneUnderstood : words.understood}</p>
          <ul class="slots">
            {facts.map((fact, at) => (
              <li key={at}>
                <bdi>{fact.subject}</bdi> <small>{fact.predicate}</small> {fact.denied && words.denied}{' '}
                <bdi>{fact.object}</bdi>
              </li>
            ))}
          </ul>
          {remembered.turns.flatMap((turn) => turn.decisions).map((decision) => (
            <p class="note" key={decision}>
              {decision}
            </p>
          ))}
        </div>
      )}
    </section>
  );
}
