import { BowlineError } from "@bowline/core";

import { printableLine } from "../../output/terminal-text.ts";

/** What is to become of keys: a value, or null to take the key out. */
export type MetadataChanges = Readonly<Record<string, string | null>>;

interface MetadataArguments {
  /** The arguments that name objects. */
  readonly resources: readonly string[];
  readonly changes: MetadataChanges;
}

/** Splits `cluster a b env=prod tier-`: no name of an object has an equals sign, or a hyphen at its end. */
export function parseMetadataArguments(args: readonly string[]): MetadataArguments {
  const isChange = (argument: string): boolean => argument.includes("=") || argument.endsWith("-");
  const changes = new Map<string, string | null>();
  for (const argument of args.filter(isChange)) {
    const equals = argument.indexOf("=");
    const key = equals === -1 ? argument.slice(0, -1) : argument.slice(0, equals);
    if (key === "" || changes.has(key)) {
      const problem = key === "" ? "has no key" : "changes a key that another argument changes too";
      throw new BowlineError("InvalidArgument", `«${printableLine(argument.slice(0, 64))}» ${problem}.`);
    }
    changes.set(key, equals === -1 ? null : argument.slice(equals + 1));
  }
  if (changes.size === 0) {
    throw new BowlineError(
      "InvalidArgument",
      "Say what to change: KEY=VALUE to set a key, KEY- to take it out.",
    );
  }
  return { resources: args.filter((argument) => !isChange(argument)), changes: Object.fromEntries(changes) };
}

/** The part of the changes that makes a difference to these labels or annotations. */
export function effectiveChanges(
  changes: MetadataChanges,
  current: Readonly<Record<string, string>>,
): MetadataChanges {
  return Object.fromEntries(
    Object.entries(changes).filter(([key, value]) => (currentValue(current, key) ?? null) !== value),
  );
}

/** Keys that have another value already. */
export function overwrittenKeys(
  changes: MetadataChanges,
  current: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(changes)
    .filter(([key, value]) => value !== null && ![undefined, value].includes(currentValue(current, key)))
    .map(([key]) => key);
}

function currentValue(current: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(current, key) ? current[key] : undefined;
}
