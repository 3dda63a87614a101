/** What this tab of the browser knows, and forgets when it is closed: the key, the workspace, and what it sent. */

import { effect, signal, type Signal } from '@preact/signals';

function kept(name: string): Signal<string> {
  const value = signal(read(name));
  effect(() => write(name, value.value));
  return value;
}

// A page that was opened from a file may have no storage.
function read(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}

function write(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // What can't be kept is asked for again.
  }
}

export const session = {
  key: kept('quiver-key'),
  workspace: kept('quiver-workspace'),
  needsKey: signal(false),
  /** The names of the files that this tab sent, by the IDs of their jobs, as JSON. */
  jobs: kept('quiver-jobs'),
};
