/** The rows of a query, each with what it rests on. */

import { messages } from './messages.ts';

interface Props {
  columns: string[];
  rows: Record<string, unknown>[];
  proofs?: string[][];
  /** The heading of the table, by its ID. */
  labelledBy: string;
  /** The rows that are lit, by their numbers. */
  lit?: Set<number>;
}

export function RowsTable({ columns, rows, proofs, labelledBy, lit }: Props) {
  if (rows.length === 0) return null;
  return (
    <div class="wide" tabIndex={0} role="region" aria-labelledby={labelledBy}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
            {proofs && <th scope="col">{messages.query.rests}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} class={lit?.has(at) ? 'lit' : undefined}>
              {columns.map((column) => (
                <td key={column}>
                  <bdi>{cell(row[column])}</bdi>
                </td>
              ))}
              {proofs && (
                <td>
                  {(proofs[at] ?? []).map((line, at) => (
                    <p class="note" key={at}>
                      <bdi>{line}</bdi>
                    </p>
                  ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A value as a short text: of a node its name, of a relationship its type. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value === 'object') {
    const thing = value as { labels?: string[]; type?: string; properties?: Record<string, unknown> };
    if (thing.labels) return cell(thing.properties?.name ?? thing.properties?.title ?? thing.labels.join(' '));
    if (thing.type && thing.properties) return thing.type;
    return JSON.stringify(value);
  }
  return String(value);
}
