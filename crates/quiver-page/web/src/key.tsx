/** Asks for the key of the server. */

import { useState } from 'preact/hooks';

import { messages } from './messages.ts';
import { session } from './session.ts';

const words = messages.key;

export function KeyForm() {
  const [key, setKey] = useState(session.key.value);
  const [workspace, setWorkspace] = useState(session.workspace.value);
  const send = (event: Event) => {
    event.preventDefault();
    session.key.value = key.trim();
    session.workspace.value = workspace.trim();
    session.needsKey.value = false;
  };
  return (
    <form class="keyform" onSubmit={send}>
      <h1>{words.title}</h1>
      <p class="note">{words.what}</p>
      <label>
        {words.label}
        <input type="password" autocomplete="off" value={key} onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <label>
        {words.workspace}
        <input
          type="text"
          autocomplete="off"
          placeholder={words.workspaceDefault}
          value={workspace}
          onInput={(event) => setWorkspace(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        {words.send}
      </button>
    </form>
  );
}
