/** The editor of queries: completes names, and underlines a mistake where it stands. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { classes } from '../ask/highlight.ts';
import { messages } from '../messages.ts';
import { complete, type Completion, type Mistake, type Schema } from './cypher.ts';

const words = messages.query;

interface Props {
  query: string;
  schema: Schema;
  mistake: Mistake | null;
  onQuery: (query: string) => void;
  onRun: () => void;
  onFocus: () => void;
}

export function Editor({ query, schema, mistake, onQuery, onRun, onFocus }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const mirror = useRef<HTMLPreElement>(null);
  const [completion, setCompletion] = useState<Completion | null>(null);
  const [at, setAt] = useState(0);
  /** Whether one was gone to, so that Enter takes it. */
  const [isChosen, setChosen] = useState(false);
  const [list, setList] = useState({ left: 0, top: 0 });
  /** Where the caret goes once a name was taken. */
  const caret = useRef<number | null>(null);

  const propose = (text: string, isAsked = false) => {
    setCompletion(complete(text, field.current!.selectionStart, schema, isAsked));
    setAt(0);
    setChosen(false);
  };
  const take = (index: number) => {
    const proposal = completion?.proposals[index];
    if (!completion || !proposal) return;
    const rest = query.slice(field.current!.selectionStart);
    caret.current = completion.start + proposal.text.length;
    onQuery(query.slice(0, completion.start) + proposal.text + rest);
    setCompletion(null);
  };
  useLayoutEffect(() => {
    if (caret.current === null) return;
    field.current!.setSelectionRange(caret.current, caret.current);
    field.current!.focus();
    caret.current = null;
  });
  useLayoutEffect(() => {
    const word = mirror.current?.querySelector<HTMLElement>('.here');
    if (!completion || !word || !field.current) return;
    const { scrollTop, clientWidth } = field.current;
    setList({ left: Math.min(word.offsetLeft, Math.max(0, clientWidth - 240)), top: word.offsetTop - scrollTop + 24 });
  }, [completion]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      setCompletion(null);
      onRun();
      return;
    }
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      propose(query, true);
      return;
    }
    if (!completion) return;
    const count = completion.proposals.length;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowUp' ? count - 1 : isChosen ? 1 : 0;
      setAt((at + step) % count);
      setChosen(true);
    } else if (event.key === 'Tab' && !event.shiftKey) take(at);
    else if (event.key === 'Enter' && isChosen) take(at);
    else if (event.key === 'Escape') setCompletion(null);
    else return;
    event.preventDefault();
  };
  const scroll = () => mirror.current?.scrollTo({ top: field.current!.scrollTop });

  return (
    <div class="edited">
      <div class="editor">
        <pre ref={mirror} class="field code" aria-hidden="true">
          {completion ? (
            <>
              {query.slice(0, completion.start)}
              <span class="here">{query.slice(completion.start) || ' '}</span>
            </>
          ) : mistake ? (
            <>
              {query.slice(0, mistake.start)}
              <span class="wrong">{query.slice(mistake.start, mistake.end)}</span>
              {query.slice(mistake.end)}
            </>
          ) : null}
          {'\n'}
        </pre>
        <textarea
          ref={field}
          id="cypher"
          class="field code"
          rows={5}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-autocomplete="list"
          aria-controls="proposals"
          aria-activedescendant={completion && isChosen ? `proposal-${at}` : undefined}
          aria-invalid={mistake ? 'true' : undefined}
          aria-describedby={mistake ? 'mistake' : undefined}
          value={query}
          onFocus={onFocus}
          onBlur={() => setCompletion(null)}
          onScroll={scroll}
          onClick={() => setCompletion(null)}
          onInput={(event) => {
            onQuery(event.currentTarget.value);
            propose(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="proposals" class="proposals" role="listbox" aria-label={words.proposals} hidden={!completion} style={{ left: `${list.left}px`, top: `${list.top}px` }}>
          {completion?.proposals.map((proposal, index) => (
            <li
              key={proposal.kind + proposal.name}
              id={`proposal-${index}`}
              role="option"
              aria-selected={index === at}
              class={classes(index === at && 'at')}
              // The editor keeps the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                take(index);
              }}
            >
              <bdi>{proposal.name}</bdi> <small>{words.kinds[proposal.kind]}</small>
            </li>
          ))}
        </ul>
      </div>
      {mistake && (
        <p id="mistake" class="problem" role="alert">
          {words.mistake(mistake.message)}
        </p>
      )}
    </div>
  );
}
