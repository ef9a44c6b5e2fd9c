import { BowlineError } from "@bowline/core";
import { dnsLabel, type ApiObject, type Kind } from "@bowline/api";

import { printableLine } from "../output/terminal-text.ts";

/** One object, by what it is called. */
export interface Resource {
  readonly kind: Kind;
  readonly name: string;
}

/** An object together with everything that is known about its kind. */
export interface FoundObject {
  readonly kind: Kind;
  readonly object: ApiObject;
}

/** `cluster/prod-eu-1`: what commands print, and what they take as an argument again. */
export function resourceName({ kind, name }: Resource): string {
  return `${kind.singular}/${printableLine(name)}`;
}

const namePattern = new RegExp(dnsLabel.pattern, "u");

export function isObjectName(name: string): boolean {
  return name.length <= dnsLabel.maxLength && namePattern.test(name);
}

/** Refuses here, with the argument at hand, what would end up in another place of the address. */
export function requireObjectName(name: string): string {
  if (isObjectName(name)) return name;
  throw new BowlineError(
    "InvalidArgument",
    `«${printableLine(name.slice(0, 64))}» is no name of an object: names are ${dnsLabel.expects}.`,
  );
}
