/** What may stand where in a query, and where a mistake stands. Plain values: the editor shows them. */

/** The names that there are in the graph. */
export interface Schema {
  labels: string[];
  types: string[];
  properties: string[];
}

/** What every graph of documents has. */
export const KNOWN: Schema = {
  labels: ['Entity', 'Passage'],
  types: ['ABOUT', 'MENTIONS'],
  properties: ['aliases', 'description', 'document', 'name', 'position', 'session', 'speaker', 'text', 'time', 'title'],
};

const KEYWORDS =
  'MATCH|OPTIONAL MATCH|WHERE|RETURN|DISTINCT|WITH|ORDER BY|SKIP|LIMIT|UNWIND|UNION|AS|AND|OR|NOT|XOR|IN|STARTS WITH|ENDS WITH|CONTAINS|IS NULL|IS NOT NULL|CASE|WHEN|THEN|ELSE|END|EXISTS|ASC|DESC|CALL|YIELD|true|false|null'.split(
    '|',
  );
const FUNCTIONS =
  'count|sum|avg|min|max|collect|labels|type|keys|properties|startNode|endNode|nodes|relationships|length|size|head|last|tail|reverse|range|coalesce|isEmpty|toInteger|toFloat|toString|toBoolean|abs|ceil|floor|round|sqrt|toUpper|toLower|trim|replace|split|substring|left|right|date|datetime|duration|shortestPath|any|all|none|single|elementId'.split(
    '|',
  );
/** How many are proposed at once. */
const PROPOSED = 8;

export interface Proposal {
  kind: 'label' | 'type' | 'property' | 'function' | 'keyword' | 'variable';
  /** What is shown, and what is written in its place. */
  name: string;
  text: string;
}

export interface Completion {
  /** Where the word begins that is completed. */
  start: number;
  proposals: Proposal[];
}

/** What may stand where the caret is; with `isAsked` also where no word has been begun. */
export function complete(query: string, caret: number, schema: Schema, isAsked = false): Completion | null {
  const before = query.slice(0, caret);
  // Inside of a text or a comment, there is nothing to complete.
  if (isQuoted(before)) return null;
  const word = /`?[\p{L}_]?[\p{L}\p{N}_ ]*$/u.exec(before)![0];
  const [bare] = /[\p{L}_]?[\p{L}\p{N}_]*$/u.exec(before)!;
  const outside = before.slice(0, before.length - bare!.length);
  const start = caret - bare!.length;
  const from = (kind: Proposal['kind'], names: string[], end = ''): Proposal[] => {
    const wanted = bare!.toLowerCase();
    const fits = names.filter((name) => name.toLowerCase().startsWith(wanted) && name !== bare);
    return fits.map((name) => ({ kind, name, text: /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || kind === 'keyword' ? name + end : `\`${name}\`` }));
  };
  let proposals: Proposal[];
  if (word.startsWith('`')) return null;
  if (/\.$/.test(outside)) proposals = /\d\.$/.test(outside) ? [] : from('property', schema.properties);
  else if (/\[[^\]]*[:|]$/.test(outside)) proposals = from('type', schema.types);
  else if (/[({\s\w][^[\]]*:$/.test(outside) && !/\{[^}]*$/.test(outside)) proposals = from('label', schema.labels);
  else if (/\{([^}]*,)?\s*$/.test(outside)) proposals = from('property', schema.properties, ': ');
  else if (bare!.length > 1 || isAsked) {
    proposals = [...from('variable', variablesOf(query)), ...from('keyword', KEYWORDS, ' '), ...from('function', FUNCTIONS, '(')];
  } else proposals = [];
  return proposals.length > 0 ? { start, proposals: proposals.slice(0, PROPOSED) } : null;
}

function isQuoted(before: string): boolean {
  const rest = before.replace(/'(\\.|[^'\\])*'|"(\\.|[^"\\])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n/g, '');
  return /['"]|\/\/|\/\*/.test(rest);
}

/** The variables that patterns and `AS` name. */
function variablesOf(query: string): string[] {
  const names = [...query.matchAll(/[([]\s*([\p{L}_][\p{L}\p{N}_]*)|\bAS\s+([\p{L}_][\p{L}\p{N}_]*)/giu)].map(
    ([, inPattern, named]) => inPattern ?? named!,
  );
  return [...new Set(names)].filter((name) => name.length > 1).sort();
}

/** What a message says is wrong in a query, and where: from the letter `start` up to `end`. */
export interface Mistake {
  start: number;
  end: number;
  message: string;
}

/** Reads the line and the column of a message, which count letters from 1. */
export function mistakeIn(query: string, message: string): Mistake | null {
  const [, line, column, said] = /^.*?line (\d+), column (\d+): (.*)$/s.exec(message) ?? [];
  if (line === undefined) return null;
  const lines = query.split('\n');
  const whole = lines[Number(line) - 1];
  if (whole === undefined) return null;
  const inLine = [...whole].slice(0, Number(column) - 1).join('').length;
  const start = lines.slice(0, Number(line) - 1).reduce((sum, each) => sum + each.length + 1, 0) + inLine;
  const token = /^(`[^`]*`|[\p{L}\p{N}_]+|\S)/u.exec(query.slice(start))?.[0] ?? '';
  if (token) return { start, end: start + token.length, message: said! };
  // What is missing stands behind the last word.
  const end = query.slice(0, start).trimEnd().length;
  return { start: Math.max(0, end - 1), end, message: said! };
}
