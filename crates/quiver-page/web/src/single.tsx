/** The page as one file, without a server: it shows a recorded answer, or the one that a client hands to it. */

import { render } from 'preact';

import { begin } from './app.ts';
import { Ask } from './ask/ask.tsx';
import { isApp, recorded } from './ask/place.ts';
import { show } from './ask/state.ts';
import { Page } from './page.tsx';
import './style.css';

if (recorded) {
  show(recorded);
  document.title = recorded.question;
} else if (isApp) {
  void begin();
}
render(<Page views={{ ask: Ask }} />, document.getElementById('page')!);
