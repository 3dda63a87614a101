/** The page: its head with the tabs, and the view that is open. */

import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

import { isRecorded, place } from './ask/place.ts';
import { KeyForm } from './key.tsx';
import { messages } from './messages.ts';
import { session } from './session.ts';

type Tab = keyof typeof messages.tabs;

/** The views that there are, each by its tab. */
export type Views = { ask: ComponentType } & Partial<Record<Tab, ComponentType>>;

export function Page({ views }: { views: Views }) {
  const tabs = Object.keys(views) as Tab[];
  const open = tabs.find((name) => name === place.value.tab) ?? 'ask';
  const View = views[open] ?? views.ask;
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
              {tabs.map((name) => (
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
