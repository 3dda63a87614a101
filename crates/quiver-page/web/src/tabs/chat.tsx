/** A conversation: follow-ups, what they were understood as, and questions asked back. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { events, get, Problem, said } from '../api.ts';
import { gapOf, MissingLink, sentence } from '../ask/answer.tsx';
import type { Replied, SaidTurn, Sessions, Stage } from '../forms.ts';
import { hashOfFollowUp } from '../ask/place.ts';
import { Line } from '../line.tsx';
import { messages } from '../messages.ts';
import { dayOf, SHOWN, useTurns } from '../turns.tsx';
import { Problems } from './request.tsx';

const words = messages.chat;

/** A question with what came of it. */
interface Turn {
  question: string;
  /** The sentences that have come so far. */
  sentences: string[];
  /** The stages that have ended. */
  stages: Stage[];
  reply: Replied | null;
  problem: string | null;
}

export function Chat() {
  const [session, setSession] = useState<string>(words.session);
  /** The name as it is being written: what comes in the meantime does not change it. */
  const [name, setName] = useState<string>(words.session);
  const [sessions, setSessions] = useState<string[]>([]);
  const [turns, setTurns] = useState<Turn[]>([]);
  const [text, setText] = useState('');
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController | null>(null);
  const end = useRef<HTMLDivElement>(null);

  /** What was said in it before. What is said here is kept, and stands in `turns`. */
  const earlier = useTurns(sessions.includes(session) ? session : null);
  useEffect(() => {
    // Without the list a new conversation can be begun all the same.
    get<Sessions>('/v1/sessions').then(
      ({ sessions }) => setSessions(sessions.filter(({ turns }) => turns > 0).map(({ name }) => name)),
      () => {},
    );
  }, [session]);
  useEffect(() => () => control.current?.abort(), []);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns, session, earlier.turns === null]);

  const choose = (name: string) => {
    setName(name);
    if (name === session) return;
    control.current?.abort();
    control.current = null;
    setRunning(false);
    setSession(name);
    setTurns([]);
  };
  const ask = async (question: string) => {
    if (!question.trim() || isRunning) return;
    const running = new AbortController();
    control.current = running;
    setRunning(true);
    setText('');
    setTurns((before) => [...before, { question, sentences: [], stages: [], reply: null, problem: null }]);
    const change = (with_: (turn: Turn) => Turn) => {
      // Another conversation may have been chosen since.
      if (!running.signal.aborted) setTurns((before) => [...before.slice(0, -1), with_(before.at(-1)!)]);
    };
    try {
      for await (const { name, data } of events('/v1/chat/stream', { session, question }, running.signal)) {
        if (name === 'step') {
          change((turn) => ({ ...turn, stages: [...turn.stages, data as Stage] }));
        } else if (name === 'sentence') {
          const { text } = data as { text: string };
          change((turn) => ({ ...turn, sentences: [...turn.sentences, text] }));
        } else if (name === 'reply') change((turn) => ({ ...turn, reply: data as Replied }));
        else if (name === 'error') throw new Problem(500, (data as { detail: string }).detail);
      }
    } catch (error) {
      change((turn) => ({ ...turn, problem: said(error) }));
    } finally {
      if (control.current === running) setRunning(false);
    }
  };

  return (
    <>
      <h1>{words.title}</h1>
      <p class="intro">{words.intro}</p>
      <p>
        <label>
          {words.name}{' '}
          <input
            class="field"
            list="sessions"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            onChange={(event) => choose(event.currentTarget.value.trim() || words.session)}
          />
        </label>
        <datalist id="sessions">
          {sessions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </p>
      <Problems request={earlier} />
      {earlier.hasMore && (
        <button type="button" class="link" onClick={earlier.more}>
          {messages.memory.earlier}
        </button>
      )}
      {Array.isArray(earlier.turns) && earlier.turns.length > 0 && <Earlier turns={earlier.turns} label={words.before(session)} />}
      <ol class="turns" aria-live="polite">
        {turns.map((turn, at) => (
          <li key={at}>
            <p class="asks">
              <bdi>{turn.question}</bdi>
            </p>
            <Reply turn={turn} onChoice={(choice) => void ask(choice)} />
          </li>
        ))}
      </ol>
      <div ref={end} />
      <Line words={words} text={text} onText={setText} onSend={() => void ask(text)} isBusy={isRunning} />
    </>
  );
}

/** What was said before in the conversation. */
function Earlier({ turns, label }: { turns: SaidTurn[]; label: string }) {
  return (
    <ol class="turns" aria-label={label}>
      {turns.map(({ turn, speaker, time, text, answer }, at) => (
        <li key={at}>
          <div class="asks">
            {(speaker || time !== null) && (
              <small>
                {speaker && <bdi>{speaker.slice(0, 200)} </bdi>}
                {time !== null && dayOf(time)}
              </small>
            )}
            <p>
              <bdi class="passage">{text.slice(0, SHOWN)}</bdi>
            </p>
          </div>
          {turn !== null && answer !== undefined && (
            <div class="says">
              {answer ? (
                <p class="answered">
                  <bdi>{answer.slice(0, SHOWN)}</bdi>
                </p>
              ) : (
                <p class="refusal">{words.unanswered}</p>
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Reply({ turn, onChoice }: { turn: Turn; onChoice: (choice: string) => void }) {
  const { reply, problem, sentences, stages } = turn;
  if (problem !== null) {
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  }
  if (!reply) {
    const last = stages.at(-1);
    return (
      <div class="says">
        {sentences.length > 0 ? (
          <p>
            <bdi>{sentences.join(' ')}</bdi>
          </p>
        ) : (
          <p>{words.working}</p>
        )}
        {last && <p class="note">{last.stage}: {last.lines[0]}</p>}
      </div>
    );
  }
  const { answered, asks, question, standalone } = reply;
  return (
    <div class="says">
      {standalone !== question && <p class="note">{words.understoodAs(standalone)}</p>}
      {asks && (
        <>
          <p>{words.which(asks.said)}</p>
          <p class="actions">
            {asks.options.map((option) => (
              <button type="button" class="quiet" key={option} onClick={() => onChoice(option)}>
                <bdi>{option}</bdi>
              </button>
            ))}
          </p>
        </>
      )}
      {answered && (
        <>
          {answered.answer !== null ? (
            <p class="answered">
              <bdi>{answered.answer}</bdi>
            </p>
          ) : (
            <p class="refusal">{sentence(answered.refusal?.text ?? '')}</p>
          )}
          {(answered.answer !== null ? answered.citations : answered.found).slice(0, 1).map((citation) => (
            <p key={citation.passage}>
              <small>{answered.answer !== null ? citation.title : words.nearest(citation.title)}</small>
              <br />
              <q>
                <bdi>{citation.sentence}</bdi>
              </q>
            </p>
          ))}
          {answered.answer === null && <MissingLink gap={gapOf(answered)} />}
          <a href={hashOfFollowUp(answered.question, question)}>{words.why}</a>
        </>
      )}
      <Steps stages={stages} />
    </div>
  );
}

/** What was done for a reply, step by step. */
function Steps({ stages }: { stages: Stage[] }) {
  if (stages.length === 0) return null;
  const time = stages.reduce((sum, stage) => sum + stage.duration_us, 0);
  return (
    <details>
      <summary>{words.steps(messages.time(time))}</summary>
      <ol class="lines" tabIndex={0}>
        {stages.map((stage, at) => (
          <li key={at}>
            <strong>{stage.stage}</strong>, {messages.time(stage.duration_us)}
            {stage.lines.map((line, at) => (
              <div key={at}>
                <bdi>{line}</bdi>
              </div>
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}
