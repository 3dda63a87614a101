/** The page: its head with the tabs, and the view that is open. */

import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import { Ask } from './ask/ask.tsx';
import { isRecorded, place } from './ask/place.ts';
import { Explore } from './explore/explore.tsx';
import { KeyForm } from './key.tsx';
import { messages } from './messages.ts';
import { session } from './session.ts';
import { Chat } from './tabs/chat.tsx';
import { Documents } from './tabs/documents.tsx';
import { Health } from './tabs/health.tsx';
import { Memory } from './tabs/memory.tsx';
import { Query } from './tabs/query.tsx';

const TABS: Record<keyof typeof messages.tabs, ComponentType> = {
  ask: Ask,
  explore: Explore,
  documents: Documents,
  memory: Memory,
  query: Query,
  chat: Chat,
  health: Health,
};
const NAMES = Object.keys(TABS) as (keyof typeof TABS)[];

export function Page() {
  const open = NAMES.find((name) => name === place.value.tab) ?? 'ask';
  const View = TABS[open];
  useEffect(() => {
    if (!isRecorded) document.title = open === 'ask' ? messages.name : `${messages.tabs[open]} · ${messages.name}`;
  }, [open]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {messages.skip}
      </a>
      <header class="head">
        <span class="name">{messages.name}</span>
        {!isRecorded && (
          <nav aria-label={messages.views}>
            <ul>
              {NAMES.map((name) => (
                <li key={name}>
                  <a href={`#/${name}`} aria-current={name === open ? 'page' : undefined}>
                    {messages.tabs[name]}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {session.needsKey.value ? <KeyForm /> : <View />}
      </main>
    </>
  );
}

/** The address holds the question, so it must not become that of the main part. */
function skip(event: Event): void {
  event.preventDefault();
  (document.getElementById('answer') ?? document.getElementById('main'))?.focus();
}
