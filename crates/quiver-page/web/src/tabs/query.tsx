/** Queries in Cypher over the graph: rows with their proofs, the plan, and why there are no rows. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { post, Problem } from '../api.ts';
import { hashOf, place } from '../ask/place.ts';
import { Drawing } from '../explore/drawing.tsx';
import type { Queried } from '../forms.ts';
import { messages } from '../messages.ts';
import { cell, RowsTable } from '../rows.tsx';
import { KNOWN, mistakeIn, type Mistake, type Schema } from './cypher.ts';
import { Editor } from './editor.tsx';
import { DRAWN_MAX, graphOf, pictureOfGraph, thingOf, type GraphNode } from './graph.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.query;

export function Query() {
  const request = useRequest();
  /** A query that was brought along, such as what a question was read as. */
  const given = place.value.question;
  const [query, setQuery] = useState(given || words.examples[0]!);
  const [proof, setProof] = useState(true);
  const [queried, setQueried] = useState<Queried | null>(null);
  const [mistake, setMistake] = useState<Mistake | null>(null);
  const [schema, setSchema] = useState<Schema>(KNOWN);
  const isAsked = useRef(false);
  const send = (explain: boolean) =>
    request.run(async () => {
      setMistake(null);
      setQueried(null);
      try {
        setQueried(await post<Queried>('/v1/query', { query, proof, explain }));
      } catch (error) {
        const mistake = error instanceof Problem && error.status === 400 ? mistakeIn(query, error.message) : null;
        if (!mistake) throw error;
        setMistake(mistake);
      }
    });
  const learn = () => {
    if (isAsked.current) return;
    isAsked.current = true;
    // Without the names of this graph, those that every graph has are proposed.
    schemaOf().then(setSchema, () => {});
  };
  const change = (query: string) => {
    setQuery(query);
    setMistake(null);
  };
  useEffect(() => {
    if (given) change(given);
  }, [given]);
  return (
    <>
      <h1>{words.title}</h1>
      <form
        class="sheet"
        onSubmit={(event) => {
          event.preventDefault();
          send(false);
        }}
      >
        <label for="cypher">{words.label}</label>
        <Editor query={query} schema={schema} mistake={mistake} onQuery={change} onRun={() => send(false)} onFocus={learn} />
        <p class="actions">
          <button type="submit" class="main" disabled={request.isRunning}>
            {words.run}
          </button>
          <button type="button" class="quiet" disabled={request.isRunning} onClick={() => send(true)}>
            {words.explain}
          </button>
          <label class="check">
            <input type="checkbox" checked={proof} onChange={(event) => setProof(event.currentTarget.checked)} />
            {words.proof}
          </label>
          <span class="note">{words.hint}</span>
        </p>
        <details>
          <summary>{words.more}</summary>
          <ul class="lines">
            {words.examples.map((example) => (
              <li key={example}>
                <button type="button" class="link code" onClick={() => change(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        </details>
      </form>
      <Problems request={request} />
      {queried && <Result queried={queried} />}
    </>
  );
}

/** The labels, types and properties of the graph. */
async function schemaOf(): Promise<Schema> {
  const names = async (procedure: string, column: string, known: string[]) => {
    const query = `CALL db.${procedure}() YIELD ${column} AS name RETURN name`;
    const { rows } = await post<Queried>('/v1/query', { query });
    return [...new Set([...known, ...rows.map(({ name }) => String(name))])].sort();
  };
  const [labels, types, properties] = await Promise.all([
    names('labels', 'label', KNOWN.labels),
    names('relationshipTypes', 'relationshipType', KNOWN.types),
    names('propertyKeys', 'propertyKey', KNOWN.properties),
  ]);
  return { labels, types, properties };
}

function Result({ queried }: { queried: Queried }) {
  const { columns, rows, proofs, why_empty, plan } = queried;
  if (plan && plan.length > 0) {
    return (
      <section class="sheet" aria-label={words.plan}>
        <h2>{words.plan}</h2>
        <ol class="plan">
          {plan.map((line, at) => (
            <li key={at} class="code">
              {line}
            </li>
          ))}
        </ol>
      </section>
    );
  }
  return <Rows columns={columns} rows={rows} proofs={proofs} why={why_empty} />;
}

interface RowsProps {
  columns: string[];
  rows: Record<string, unknown>[];
  proofs: string[][] | undefined;
  /** Why there are none. */
  why: string | undefined;
}

/** The rows as a table, and beside it the nodes and relationships in them as a drawing. */
function Rows({ columns, rows, proofs, why }: RowsProps) {
  const graph = useMemo(() => graphOf(rows), [rows]);
  const picture = useMemo(() => pictureOfGraph(graph), [graph]);
  const [chosen, setChosen] = useState<string | null>(null);
  const node = chosen === null ? undefined : graph.nodes.get(chosen);
  const lit = chosen === null ? undefined : graph.rows.get(chosen);
  const table = (
    <div class="sheet">
      <h2 id="rows-heading">{messages.count(rows.length, 'row')}</h2>
      {why && <p class="gap">{why}</p>}
      <RowsTable columns={columns} rows={rows} proofs={proofs} labelledBy="rows-heading" lit={lit} />
      {rows.length > 0 && graph.nodes.size === 0 && <p class="note">{words.notDrawn}</p>}
    </div>
  );
  if (graph.nodes.size === 0) return table;
  return (
    <div class="beside even">
      <div class="drawn">
        <Drawing picture={picture} groups={[]} chosen={chosen} onChoose={({ id }) => setChosen(id)} isQueried />
        {graph.nodes.size > DRAWN_MAX && <p class="note">{words.drawnSome(DRAWN_MAX, graph.nodes.size)}</p>}
        {node && <ChosenNode key={node.id} node={node} where={words.rows(rows.length, lit?.size ?? 0)} />}
      </div>
      {table}
    </div>
  );
}

/** A node of the rows with its properties. */
function ChosenNode({ node, where }: { node: GraphNode; where: string }) {
  const { kind, name } = thingOf(node);
  const isThing = kind === 'passage' || node.labels.includes('Entity');
  return (
    <section class="sheet" aria-labelledby="node-heading" aria-live="polite">
      <h2 id="node-heading">
        <bdi>{name.slice(0, 200)}</bdi>
      </h2>
      <p class="note">
        <bdi>{node.labels.join(', ').slice(0, 200)}</bdi>, {where}
      </p>
      <dl class="pairs properties" tabIndex={0}>
        {Object.entries(node.properties).map(([property, value]) => (
          <div key={property}>
            <dt>
              <bdi>{property}</bdi>
            </dt>
            <dd>
              <bdi class="passage">{cell(value).slice(0, 4000)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {isThing && <a href={hashOf(name.slice(0, 200), 'explore')}>{messages.explore.from}</a>}
    </section>
  );
}
