/** The JSON forms of the server, as far as the page reads them. */

export interface Hop {
  from: string;
  step: 'mention' | 'mentioned_by' | 'shared' | 'bridge';
  text: string;
  name: string;
  sentence?: string;
}

export interface Citation {
  passage: string;
  title: string;
  sentence: string;
  value: string | null;
  path: Hop[];
  score: number;
}

export interface Refusal {
  reason: string;
  text: string;
  words?: string[];
  objection?: string;
}

export interface Considered {
  text: string;
  form: string;
  confidence: number;
  objection?: string;
}

export interface Passage {
  passage: string;
  document: string;
  title: string | null;
  text: string;
  score: number;
  plain_score: number;
  path: Hop[];
}

export interface Stage {
  stage: string;
  kind: string;
  duration_us: number;
  lines: string[];
}

/** A hop through the graph, as it was made. */
export interface MadeHop {
  hop: number;
  started_from: number;
  reached: number;
  links: number;
  candidates: number;
  duration_us: number;
}

export interface QuestionPart {
  text: string;
  share: number;
  is_known: boolean;
}

export interface QuestionName {
  entity: string;
  first: number;
  end: number;
  passages_about: number;
}

/** A name in a question that may mean several entities. */
export interface NameChoice {
  name: string;
  first: number;
  end: number;
  chosen?: string;
  candidates: { id: string; entity: string; kind?: string; description?: string; passages_about: number }[];
}

export interface Feature {
  name: string;
  value: number;
  adds: number;
}

export interface Candidate {
  passage: string;
  document: string;
  title: string | null;
  text: string;
  /** When it was written or said, in milliseconds since 1970. */
  time?: number;
  found_by: 'search' | 'hop' | 'bridge';
  hop?: number;
  plain_rank: number | null;
  plain_score: number;
  score: number;
  names: number[];
  /** The pinned entities that it is about or mentions, by their numbers. */
  pinned?: number[];
  parts: number[];
  sentence: string;
  stages: number[];
  features: Feature[];
  routes_count: number;
  path: Hop[];
}

export interface Explanation {
  parts: QuestionPart[];
  names: QuestionName[];
  /** Answers that were recorded by earlier versions have none. */
  choices?: NameChoice[];
  corrected: { written: string; read_as: string }[];
  candidates_count: number;
  candidates: Candidate[];
  /** Answers that were recorded by earlier versions have none of these. */
  cuts?: HopCut[];
  pinned?: { id: string; entity: string; passages_about: number }[];
  facts?: DatedFact[];
}

/** What a budget cut at a hop. */
export interface HopCut {
  hop: number;
  budget: 'passages_followed' | 'passages_read' | 'hops' | 'time' | 'other';
  passages_count: number;
  /** The first of them: passages, or names that passages are about. */
  names: { name: string; passage?: string; passages_count: number }[];
}

/** A fact that ended, or that ended another one; times are in milliseconds since 1970. */
export interface DatedFact {
  id: string;
  subject: string;
  predicate: string;
  object: string;
  denied: boolean;
  holds: boolean;
  begin: number;
  end: number | null;
  ended_by: string | null;
  session: string;
  sentence: string;
}

export interface Trace {
  stages: Stage[];
  degraded: string[];
  explanation?: Explanation;
}

export interface Spending {
  total: { calls: number; tokens_in: number; tokens_out: number; cost: number };
  jobs: Record<string, { calls: number; tokens_in: number; tokens_out: number; cost: number }>;
}

export interface Answered {
  question: string;
  answer: string | null;
  refusal: Refusal | null;
  model: string | null;
  sentences: { text: string; passages: string[] }[];
  citations: Citation[];
  confidence: number;
  considered: Considered[];
  found: Citation[];
  passages: Passage[];
  spent?: Spending;
  trace?: Trace;
  /** The query over records that answered it, where one did. */
  query?: AnsweredBy;
}

/** What a question was read as, and the rows that it came to. */
export interface AnsweredBy {
  cypher: string;
  words: { words: string; meaning: string }[];
  shared_names?: string[];
  columns: string[];
  rows: Record<string, unknown>[];
  proofs: string[][];
}

export interface Listed {
  documents: { key: string; passages: number }[];
  unfinished: string[];
  next?: string;
}

export interface Opened {
  document: string;
  title: string | null;
  text: string;
  next?: string | null;
}

export interface Ingested {
  documents: { added: number; replaced: number; unchanged: number };
  passages: { written: number; kept: number; removed: number };
  entities: number;
  relations: number;
  problems: string[];
  /** Files and lines that were left out. */
  skipped?: string[];
}

export type JobState = 'queued' | 'running' | 'cancelling' | 'done' | 'cancelled' | 'failed';

/** An ingest that goes on after the request for it was answered. */
export interface Job {
  id: string;
  state: JobState;
  documents: { done: number; total: number };
  /** The key of the document that was begun last, while the job runs. */
  document?: string | null;
  error?: { code: string; detail: string } | null;
  /** What was done, once it has ended. A list of jobs has none. */
  receipt?: Ingested | null;
}

export interface Fact {
  id: string;
  subject: string;
  predicate: string;
  object: string;
  denied: boolean;
  holds: boolean;
  valid_from: number | null;
  valid_to: number | null;
  session: string | null;
  speaker: string | null;
  sentence: string;
  /** What it decided, such as to take the place of earlier values. */
  decision: string | null;
  is_undone?: boolean;
}

export interface Sessions {
  sessions: { name: string; turns: number }[];
}

/** The latest turns of a session, as they were said. */
export interface Turns {
  session: string;
  turns: SaidTurn[];
}

export interface SaidTurn {
  /** The number of a question in its conversation. */
  turn: number | null;
  speaker: string | null;
  time: number | null;
  text: string;
  /** The answer to a question. */
  answer?: string | null;
}

export interface Recalled {
  answer: string | null;
  lines: string[];
  facts: Fact[];
  path: string[];
  turns: { session: string; turn: number; speaker: string | null; time: number | null; text: string }[];
  no_answer: string | null;
  found: { line: string }[];
  ambiguity: { name: string; options: string[]; question: string } | null;
}

export interface Remembered {
  turns: {
    turn: number;
    facts: { subject: string; predicate: string; object: string; denied: boolean }[];
    decisions: string[];
  }[];
}

export interface Replied {
  question: string;
  standalone: string;
  rewrites: { said: string; stands_for: string; because: string }[];
  asks?: { said: string; options: string[] };
  noted?: { text: string; facts: { subject: string; predicate: string; object: string; denied: boolean }[] };
  answered?: Answered;
  degraded: string[];
}

export interface Counted {
  backend: string;
  location: string;
  workspace: string;
  embedder: string;
  documents: number;
  passages: number;
  entities: number;
  relations: number;
  points: number;
  indexed: number;
  disk_bytes: number | null;
  /** What would be written again after a crash, if there is a journal. */
  journal_bytes: number | null;
  spent?: Spending;
}

export interface Queried {
  columns: string[];
  rows: Record<string, unknown>[];
  proofs?: string[][];
  why_empty?: string;
  plan?: string[];
}

/** An entity or a passage. */
export interface Thing {
  id: string;
  kind: 'entity' | 'passage';
  name: string;
  text?: string;
  sort?: string;
  document?: string;
  /** The session of a turn. */
  session?: string;
}

export interface Link {
  kind: 'about' | 'relation' | 'mention';
  is_outgoing: boolean;
  predicate?: string;
  sentence?: string;
  valid_from?: number;
  valid_to?: number;
  /** The ID of a merge of the two, or of a split, and whether it is undone. */
  decision?: string;
  is_undone?: boolean;
  thing: Thing;
}

export interface Linked {
  thing: Thing;
  counts: Record<Link['kind'], number>;
  links: Link[];
  /** The names that an entity was given by decisions, the latest first. */
  decisions?: Decided[];
}

/** A decision about an entity. */
export interface Decided {
  decision: string;
  kind: 'merge' | 'split' | 'rename' | 'delete' | 'leave_merge' | 'leave_relation' | 'other';
  entity: string;
  name: string;
  other?: string;
  evidence: string;
  is_undone?: boolean;
}

export interface Decisions {
  decisions: Decided[];
  total: number;
}
