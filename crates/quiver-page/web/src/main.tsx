/** The page that a server serves. */

import { render } from 'preact';

import { Ask } from './ask/ask.tsx';
import { place, placeOf } from './ask/place.ts';
import { lazily } from './lazily.tsx';
import { Page, type Views } from './page.tsx';
import './style.css';
import { Chat } from './tabs/chat.tsx';
import { Documents } from './tabs/documents.tsx';
import { Health } from './tabs/health.tsx';
import { Memory } from './tabs/memory.tsx';

const VIEWS: Views = {
  ask: Ask,
  explore: lazily(async () => (await import('./explorer.ts')).Explore),
  documents: Documents,
  memory: Memory,
  query: lazily(async () => (await import('./explorer.ts')).Query),
  chat: Chat,
  health: Health,
};

addEventListener('hashchange', () => (place.value = placeOf(location.hash)));
render(<Page views={VIEWS} />, document.getElementById('page')!);
