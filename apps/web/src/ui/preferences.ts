import { isRecord } from "@bowline/core";
import { useSyncExternalStore } from "react";

import { isZone, localZone } from "../text/time.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The choices of a reader, kept in the browser: they say nothing about anybody, and are no part of the session. */
export interface Preferences {
  readonly theme: Theme;
  /** A time zone by its name, or `local`. */
  readonly timeZone: string;
  /** Whether a single letter does something; some have to have that off (WCAG 2.1.4). */
  readonly letterKeys: boolean;
}

const byDefault: Preferences = { theme: "system", timeZone: localZone, letterKeys: true };
const storageKey = "bowline-preferences";
const listeners = new Set<() => void>();
let current: Preferences | undefined;

/** Whatever a storage has kept, as far as it is a choice that there is. */
export function readPreferences(text: string | null): Preferences {
  const kept = parse(text);
  const { theme, timeZone, letterKeys } = kept;
  return {
    theme: themes.find((known) => known === theme) ?? byDefault.theme,
    timeZone: typeof timeZone === "string" && isZone(timeZone) ? timeZone : byDefault.timeZone,
    letterKeys: typeof letterKeys === "boolean" ? letterKeys : byDefault.letterKeys,
  };
}

export function preferences(): Preferences {
  current ??= readPreferences(stored());
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...preferences(), ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // A browser may keep nothing: the choice then lasts as long as the page.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

/** Light or dark as chosen; without a choice the style sheet goes by the system. Also when another tab has chosen. */
export function startPreferences(): void {
  applyTheme();
  addEventListener("storage", ({ key }) => {
    if (key !== storageKey && key !== null) return;
    current = undefined;
    applyTheme();
    for (const listener of listeners) listener();
  });
}

function applyTheme(): void {
  const { theme } = preferences();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
