/** The memory: what is recalled and remembered, the facts about a thing with their history, sessions and decisions. */

import { useEffect, useState } from 'preact/hooks';

import { get, post } from '../api.ts';
import { AllDecisions, Again, useDecisions, type Change } from '../decisions.tsx';
import type { Fact, Recalled, Remembered, Sessions as Listed } from '../forms.ts';
import { messages } from '../messages.ts';
import { dayOf, SaidTurns, useTurns } from '../turns.tsx';
import { Problems, useRequest } from './request.tsx';

const words = messages.memory;

export function Memory() {
  /** How many turns were remembered here, so that the sessions are listed again. */
  const [kept, setKept] = useState(0);
  return (
    <>
      <h1>{words.title}</h1>
      <div class="halves">
        <div class="stack">
          <Recall />
          <Remember onKept={() => setKept(kept + 1)} />
        </div>
        <div class="stack">
          <Facts />
          <Sessions kept={kept} />
          <Decided />
        </div>
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
              <ul class="lines" tabIndex={0} aria-label={words.nearest}>
                {recalled.found.map(({ line }) => (
                  <li key={line}>
                    <bdi>{line}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
          {recalled.ambiguity && <p class="warning">{recalled.ambiguity.question}</p>}
          {recalled.lines.length > 0 && (
            <ul class="lines" tabIndex={0} aria-labelledby="recall-heading">
              {recalled.lines.map((line) => (
                <li key={line}>
                  <bdi>{line}</bdi>
                </li>
              ))}
            </ul>
          )}
          <FactList facts={recalled.facts} />
        </div>
      )}
    </section>
  );
}

function Facts() {
  const request = useRequest();
  const [about, setAbout] = useState('');
  const [listed, setListed] = useState<{ about: string; facts: Fact[] } | null>(null);
  const list = async (about: string) => {
    const query = new URLSearchParams({ about, history: 'true' });
    const { facts } = await get<{ facts: Fact[] }>(`/v1/facts?${query}`);
    setListed({ about, facts });
  };
  const send = (event: Event) => {
    event.preventDefault();
    request.run(() => list(about));
  };
  const change: Change = async (work) => {
    let isDone = false;
    await request.run(async () => {
      await work();
      isDone = true;
      await list(listed!.about);
    });
    return isDone;
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
      {listed && (listed.facts.length === 0 ? <p>{words.noFacts}</p> : <FactList facts={listed.facts} onChange={change} />)}
    </section>
  );
}

/** Facts by what they are about: a value that holds no more stands below those that hold, struck through. */
function FactList({ facts, onChange }: { facts: Fact[]; onChange?: Change }) {
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
                  {fact.decision && onChange && <OfFact fact={fact} decision={fact.decision} onChange={onChange} />}
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

/** What a fact decided, and what undoes that. */
function OfFact({ fact, decision, onChange }: { fact: Fact; decision: string; onChange: Change }) {
  const isUndone = fact.is_undone ?? false;
  const what = `${fact.subject} ${fact.predicate} ${fact.object}`.slice(0, 200);
  return (
    <p class="note">
      <bdi>{decision}</bdi>{' '}
      <Again decision={fact.id} isUndone={isUndone} label={isUndone ? words.redoFact(what) : words.undoFact(what)} onChange={onChange} />
    </p>
  );
}

function times(fact: Fact): string {
  const parts = [];
  // What was decided by hand holds from the beginning.
  if (fact.valid_from !== null && fact.valid_from > 0) parts.push(words.from(dayOf(fact.valid_from)));
  if (fact.valid_to !== null) parts.push(words.until(dayOf(fact.valid_to)));
  if (!fact.holds) parts.push(words.over);
  return parts.join(', ');
}

function Remember({ onKept }: { onKept: () => void }) {
  const request = useRequest();
  const [session, setSession] = useState<string>(words.session);
  const [text, setText] = useState('');
  const [speaker, setSpeaker] = useState('');
  const [remembered, setRemembered] = useState<Remembered | null>(null);
  const send = (event: Event) => {
    event.preventDefault();
    request.run(async () => {
      const turn = { text, session: session.trim() || words.session, ...(speaker ? { speaker } : {}) };
      setRemembered(await post<Remembered>('/v1/remember', { turns: [turn] }));
      setText('');
      onKept();
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
        <label>
          {words.sessionField}
          <input class="field" value={session} onInput={(event) => setSession(event.currentTarget.value)} />
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

/** The sessions, and the turns of one that is open. */
function Sessions({ kept }: { kept: number }) {
  const request = useRequest();
  const [listed, setListed] = useState<Listed | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  useEffect(() => void request.run(async () => setListed(await get<Listed>('/v1/sessions'))), [kept]);
  return (
    <section class="sheet" aria-labelledby="sessions-heading">
      <h2 id="sessions-heading">{words.sessions}</h2>
      <p class="note">{words.sessionsWhat}</p>
      <Problems request={request} />
      {listed && listed.sessions.length === 0 && <p>{words.noSessions}</p>}
      <ul class="sessions" tabIndex={0} aria-labelledby="sessions-heading">
        {(listed?.sessions ?? []).map(({ name, turns }) => (
          <li key={name}>
            <button type="button" class="link" aria-expanded={open === name} onClick={() => setOpen(open === name ? null : name)}>
              <bdi>{name.slice(0, 200)}</bdi>
            </button>{' '}
            <small>{words.turnsCount(turns)}</small>
            {open === name && <OpenSession key={kept} name={name} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function OpenSession({ name }: { name: string }) {
  const { turns, problem, hasMore, more } = useTurns(name);
  return (
    <>
      <Problems request={{ problem }} />
      {turns === 'unknown' && <p class="note">{words.noTurns}</p>}
      {hasMore && (
        <button type="button" class="link" onClick={more}>
          {words.earlier}
        </button>
      )}
      {Array.isArray(turns) && <SaidTurns turns={turns} label={words.turnsOf(name.slice(0, 200))} />}
    </>
  );
}

function Decided() {
  const { request, listed, change } = useDecisions();
  return (
    <section class="sheet" aria-labelledby="decided-heading">
      <h2 id="decided-heading">{words.decisions}</h2>
      <p class="note">{words.decisionsWhat}</p>
      <Problems request={request} />
      {listed && (listed.total === 0 ? <p>{words.noDecisions}</p> : <AllDecisions listed={listed} onChange={change} />)}
    </section>
  );
}
