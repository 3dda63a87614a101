import { render } from 'preact';

import { begin } from './app.ts';
import { isApp, place, placeOf, recorded } from './ask/place.ts';
import { show } from './ask/state.ts';
import { Page } from './page.tsx';
import './style.css';

if (recorded) {
  show(recorded);
  document.title = recorded.question;
} else if (isApp) {
  void begin();
} else {
  addEventListener('hashchange', () => (place.value = placeOf(location.hash)));
}
render(<Page />, document.getElementById('page')!);
