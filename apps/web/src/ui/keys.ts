import { useEffect } from "react";

import { preferences } from "./preferences.ts";
import { isTyping } from "./text-field.tsx";

/** Something that a key does, for the help of the page too. */
export interface KeyAction {
  /** One key, or two after each other with a space between, such as `g c`. */
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
}

const sequenceMs = 1_000;

/** All that keys do at the moment; what a part of the page adds goes before what is around it. */
const active = new Set<readonly KeyAction[]>();
let first: { readonly key: string; readonly atMs: number } | undefined;

/** Runs actions by their keys while the component is there, unless somebody types text, or has chosen that single keys do nothing. */
export function useKeys(actions: readonly KeyAction[]): void {
  useEffect(() => {
    if (active.size === 0) addEventListener("keydown", onKey);
    active.add(actions);
    return () => {
      active.delete(actions);
      if (active.size === 0) removeEventListener("keydown", onKey);
    };
  }, [actions]);
}

/** All actions that have a key now, for the help. */
export function activeKeys(): KeyAction[] {
  return [...active].flat();
}

/** In one place for all: the second key of a sequence must not do what it does alone. */
function onKey(event: KeyboardEvent): void {
  if (!preferences().letterKeys || isTyping(event.target)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = activeKeys();
  const isSequence = first !== undefined && event.timeStamp - first.atMs < sequenceMs;
  const pressed = isSequence && first !== undefined ? `${first.key} ${event.key}` : event.key;
  const action = actions.find(({ keys }) => keys === pressed);
  first = undefined;
  if (action !== undefined) {
    event.preventDefault();
    action.run();
  } else if (actions.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    first = { key: event.key, atMs: event.timeStamp };
  }
}
