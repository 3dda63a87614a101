import { expect, test } from 'vitest';

import { entitiesOf } from '../src/ask/pins.tsx';
import type { Link, Linked, Thing } from '../src/forms.ts';

test('a passage offers the entities that it is about or mentions, each once', () => {
  const thing = (id: string, kind: Thing['kind']): Thing => ({ id, kind, name: id });
  const link = (kind: Link['kind'], thing: Thing): Link => ({ kind, is_outgoing: true, thing });
  const yard = thing('yard', 'entity');
  const linked: Linked = {
    thing: thing('p', 'passage'),
    counts: { about: 1, relation: 1, mention: 3 },
    links: [link('about', yard), link('mention', yard), link('mention', thing('ida', 'entity')), link('mention', thing('q', 'passage')), link('relation', thing('r', 'entity'))],
  };
  expect(entitiesOf(linked).map(({ id }) => id)).toEqual(['yard', 'ida']);
});
