/** The page inside of a client of the Model Context Protocol, which hands it the question and the answer (MCP Apps). */

import { failure, isWorking, question, show } from './ask/state.ts';
import type { Answered } from './forms.ts';
import { messages } from './messages.ts';

const PROTOCOL = '2026-01-26';

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message?: string };
}

/** What the tool `ask` returns, as far as the page reads it. */
interface ToolResult {
  isError?: boolean;
  structuredContent?: { answer?: string | null; no_answer?: string | null; recorded?: Answered };
}

const waiting = new Map<number, (message: Message) => void>();
let last = 0;

function send(message: Message): void {
  // The client is known by being the parent alone: its address is its own matter.
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

function call(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ result, error }) => (result ? resolve(result) : reject(new Error(error?.message ?? messages.app.noTrace))));
  });
}

/** Greets the client, and shows the answer when the tool has returned. */
export async function begin(): Promise<void> {
  addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    if (source === parent && data && typeof data === 'object') take(data);
  });
  isWorking.value = true;
  const { hostContext } = await call('ui/initialize', {
    protocolVersion: PROTOCOL,
    appInfo: { name: 'quiver', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  setTheme(hostContext);
  send({ method: 'ui/notifications/initialized', params: {} });
  const size = () => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    send({ method: 'ui/notifications/size-changed', params: { width, height } });
  };
  new ResizeObserver(size).observe(document.body);
}

function take({ id, method, params = {}, ...message }: Message): void {
  if (method === undefined) {
    waiting.get(id as number)?.(message);
    waiting.delete(id as number);
  } else if (method === 'ui/notifications/tool-input') {
    const asked = (params.arguments as { question?: unknown } | undefined)?.question;
    if (typeof asked === 'string') question.value = asked;
  } else if (method === 'ui/notifications/tool-result') {
    void takeResult(params as ToolResult);
  } else if (method === 'ui/notifications/host-context-changed') {
    setTheme(params);
  } else if (id !== undefined) {
    send({ id, result: {} });
  }
}

/** Shows what the tool returned. What the page draws is long, so that only the page asks for it. */
async function takeResult(result: ToolResult): Promise<void> {
  try {
    let recorded = result.structuredContent?.recorded;
    if (!recorded && question.value) {
      const asked = { name: 'ask', arguments: { question: question.value, trace: true } };
      recorded = ((await call('tools/call', asked)) as ToolResult).structuredContent?.recorded;
    }
    if (!recorded) throw new Error(messages.app.noTrace);
    show(recorded);
  } catch (error) {
    const { answer, no_answer: none } = result.structuredContent ?? {};
    failure.value = [answer ?? none, (error as Error).message].filter(Boolean).join(' · ');
  } finally {
    isWorking.value = false;
  }
}

/** Takes on the colours of the client. */
function setTheme(context: unknown): void {
  const theme = (context as { theme?: unknown } | undefined)?.theme;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
