/** Views that are loaded when they are opened. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { messages } from './messages.ts';

/** A view whose code is loaded when it is opened first. */
export function lazily(load: () => Promise<ComponentType>): ComponentType {
  let Loaded: ComponentType | null = null;
  return function Lazy() {
    const [isLost, setLost] = useState(false);
    const [, show] = useState(Loaded);
    useEffect(() => {
      if (Loaded) return;
      let isOver = false;
      load().then(
        (view) => {
          Loaded = view;
          if (!isOver) show(() => view);
        },
        () => isOver || setLost(true),
      );
      return () => {
        isOver = true;
      };
    }, []);
    if (Loaded) return <Loaded />;
    return isLost ? (
      <p class="problem" role="alert">
        {messages.errors.notLoaded}
      </p>
    ) : (
      <p role="status">{messages.loading}</p>
    );
  };
}
