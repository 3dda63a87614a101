/** Requests to the server that the page comes from. */

import { messages } from './messages.ts';
import { session } from './session.ts';

/** What a server says that does not do what it was asked. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function headers(body: boolean): Record<string, string> {
  const all: Record<string, string> = {};
  if (body) all['content-type'] = 'application/json';
  if (session.key.value) all.authorization = `Bearer ${session.key.value}`;
  if (session.workspace.value) all['quiver-workspace'] = session.workspace.value;
  return all;
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: headers(body !== undefined),
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, messages.errors.unreachable);
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
  if (response.status === 401) session.needsKey.value = true;
  throw new Problem(response.status, problem.detail ?? problem.title ?? `${response.status}`);
}

export async function get<T>(path: string): Promise<T> {
  return (await send('GET', path)).json() as Promise<T>;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await send('POST', path, body)).json() as Promise<T>;
}

export async function put<T>(path: string): Promise<T> {
  return (await send('PUT', path)).json() as Promise<T>;
}

export async function remove<T>(path: string): Promise<T> {
  return (await send('DELETE', path)).json() as Promise<T>;
}

/** An event of a stream. */
export interface StreamEvent {
  name: string;
  data: unknown;
}

/** Sends a request, with a body or to read, and gives the events of its reply as they come. */
export async function* events(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await send(body === undefined ? 'GET' : 'POST', path, body, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { done, value } = await reader.read();
    buffer += value ?? '';
    let end: number;
    while ((end = buffer.indexOf('\n\n')) >= 0) {
      const event = eventOf(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (event) yield event;
    }
    if (done) return;
  }
}

function eventOf(block: string): StreamEvent | null {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length > 0 ? { name, data: JSON.parse(data.join('\n')) } : null;
}

/** What a failed request is told by. */
export function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
