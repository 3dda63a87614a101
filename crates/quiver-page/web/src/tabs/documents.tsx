/** The documents: what is there, each text, files that are dropped to be read, and addresses of web pages. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { get, remove } from '../api.ts';
import type { Listed, Opened } from '../forms.ts';
import { messages } from '../messages.ts';
import { Jobs } from './files.tsx';
import { add, addressesOf, ended, look, type Sent } from './jobs.ts';
import { Problems, useRequest } from './request.tsx';

const words = messages.documents;
/** The endings of files that the server takes as text. */
const ENDINGS = /\.(md|markdown|txt|text)$/i;

export function Documents() {
  const request = useRequest();
  const [listed, setListed] = useState<Listed>({ documents: [], unfinished: [] });
  const [isRead, setRead] = useState(false);
  const [left, setLeft] = useState<string[]>([]);
  const [open, setOpen] = useState<string | null>(null);

  const list = async () => {
    setListed(await get<Listed>('/v1/documents?limit=100'));
    setRead(true);
  };
  const hasEnded = ended.value;
  /** How often the list is to be read again while it is being read. */
  const pending = useRef(0);
  const listAgain = async () => {
    // Several files may end while the list is read: it is read once more after the last of them.
    if (pending.current++ > 0) return;
    try {
      for (let seen = 0; seen < pending.current; ) {
        seen = pending.current;
        await list();
      }
    } finally {
      pending.current = 0;
    }
  };
  useEffect(() => void request.run(list), []);
  useEffect(() => {
    if (hasEnded > 0) void listAgain().catch(() => {});
  }, [hasEnded]);
  // A server without jobs has said so, and one that can't be reached is told of by the list.
  useEffect(() => void look().catch(() => {}), []);

  const more = async () => {
    const next = await get<Listed>(`/v1/documents?${new URLSearchParams({ limit: '100', after: listed.next! })}`);
    setListed({ ...next, documents: [...listed.documents, ...next.documents] });
  };
  const read = async (files: File[]) => {
    const taken = files.filter((file) => ENDINGS.test(file.name));
    setLeft(files.filter((file) => !taken.includes(file)).map((file) => file.name));
    if (taken.length > 0) add(await Promise.all(taken.map(documentOf)));
  };
  const forget = async (key: string) => {
    await remove(`/v1/documents/${encodeURIComponent(key)}`);
    setOpen(null);
    await list();
  };

  return (
    <>
      <h1>{words.title}</h1>
      <p class="intro">{words.intro}</p>
      <Drop onFiles={(files) => void read(files)} />
      <Addresses onAddresses={(addresses) => add(addresses.map((url) => ({ url })))} />
      <Problems request={request} />
      {left.length > 0 && <p class="warning">{words.left(left.join(', '))}</p>}
      <Jobs />
      {isRead && listed.documents.length === 0 && <p>{words.none}</p>}
      {listed.documents.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">{words.document}</th>
              <th scope="col">{words.passages}</th>
            </tr>
          </thead>
          <tbody>
            {listed.documents.map(({ key, passages }) => (
              <tr key={key}>
                <td>
                  <button type="button" class="link" onClick={() => setOpen(key)}>
                    <bdi>{key}</bdi>
                  </button>
                  {listed.unfinished.includes(key) && <small> {words.unfinished}</small>}
                </td>
                <td>{passages}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {listed.next && (
        <button type="button" class="quiet" onClick={() => request.run(more)}>
          {words.more}
        </button>
      )}
      {open && <Text key={open} document={open} onClose={() => setOpen(null)} onDelete={() => request.run(() => forget(open))} />}
    </>
  );
}

async function documentOf(file: File): Promise<Sent> {
  const text = await file.text();
  const isMarkdown = /\.(md|markdown)$/i.test(file.name);
  const title = isMarkdown ? /^#\s+(.+)$/m.exec(text)?.[1]?.trim() : undefined;
  return { key: file.name, text, format: isMarkdown ? 'markdown' : 'plain', ...(title ? { title } : {}) };
}

function Drop({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <div class={isOver ? 'drop over' : 'drop'} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <label>
        {words.drop}{' '}
        <input
          type="file"
          multiple
          accept=".md,.markdown,.txt,.text"
          onChange={(event) => {
            onFiles([...(event.currentTarget.files ?? [])]);
            // The same file may be chosen again.
            event.currentTarget.value = '';
          }}
        />
      </label>
      <p class="note">{words.kinds}</p>
    </div>
  );
}

function Addresses({ onAddresses }: { onAddresses: (addresses: string[]) => void }) {
  const [text, setText] = useState('');
  const [others, setOthers] = useState<string[]>([]);
  const send = (event: Event) => {
    event.preventDefault();
    const found = addressesOf(text);
    if (found.addresses.length > 0) onAddresses(found.addresses);
    setOthers(found.others);
    setText(found.others.join(' '));
  };
  return (
    <>
      <form class="line" onSubmit={send}>
        <input
          class="field"
          type="text"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          aria-label={words.addresses}
          placeholder={words.addresses}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="main" disabled={text.trim() === ''}>
          {words.fetch}
        </button>
      </form>
      {others.length > 0 && (
        <p class="warning" role="alert">
          <bdi>{words.noAddress(others.join(' ').slice(0, 200))}</bdi>
        </p>
      )}
    </>
  );
}

function Text({ document, onClose, onDelete }: { document: string; onClose: () => void; onDelete: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const request = useRequest();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [text, setText] = useState('');
  const [isSure, setSure] = useState(false);
  const read = async (from?: string) => {
    const query = from ? `?${new URLSearchParams({ from })}` : '';
    const next = await get<Opened>(`/v1/documents/${encodeURIComponent(document)}${query}`);
    setOpened(next);
    setText((before) => (from ? `${before}\n\n${next.text}` : next.text));
  };
  useEffect(() => {
    dialog.current?.showModal();
    request.run(() => read());
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="document-heading" onClose={onClose}>
      <header>
        <h2 id="document-heading">
          <bdi>{opened?.title ?? document}</bdi>
        </h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {messages.close}
        </button>
      </header>
      <p class="note">
        <bdi>{document}</bdi>
      </p>
      <Problems request={request} />
      <p class="text" tabIndex={0}>
        <bdi class="passage">{text}</bdi>
      </p>
      <p class="actions">
        {opened?.next && (
          <button type="button" class="link" onClick={() => request.run(() => read(opened.next!))}>
            {words.goOn}
          </button>
        )}
        <button type="button" class="link danger" onClick={() => (isSure ? onDelete() : setSure(true))}>
          {isSure ? words.deleteSurely : words.delete}
        </button>
      </p>
    </dialog>
  );
}
