import { dnsLabel, kinds, requireKind, type ApiObject, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

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

/** The objects that the arguments of a command stand for. */
export type ResourceArguments =
  | {
      readonly by: "kind";
      readonly kinds: readonly Kind[];
      /** They were not named one by one. */
      readonly isEverything: boolean;
    }
  | { readonly by: "name"; readonly resources: readonly Resource[] };

/** How these arguments are written, for the usage line of every command that takes them. */
export const resourceUsage = "(KIND [NAME...] | KIND/NAME...)";

/** Reads `KIND`, `KIND,KIND`, `all`, `KIND NAME…`, `KIND,KIND NAME…` and `KIND/NAME…`. Throws `InvalidArgument`. */
export function parseResources(args: readonly string[]): ResourceArguments {
  const [first, ...names] = args;
  if (first === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `Say which kind: ${kinds.map((kind) => kind.plural).join(", ")}, or all.`,
    );
  }
  if (args.some((argument) => argument.includes("/"))) {
    return { by: "name", resources: distinct(args.map(parseKindAndName)) };
  }
  const chosen = parseKinds(first);
  if (names.length === 0) return { by: "kind", kinds: chosen, isEverything: first.toLowerCase() === "all" };
  const wanted = names.map(requireObjectName);
  return {
    by: "name",
    resources: distinct(wanted.flatMap((name) => chosen.map((kind) => ({ kind, name })))),
  };
}

function parseKinds(text: string): Kind[] {
  if (text.toLowerCase() === "all") return [...kinds];
  return [...new Set(text.split(",").map((name) => requireKind(name)))];
}

function parseKindAndName(argument: string): Resource {
  const [kind = "", name, ...others] = argument.split("/");
  if (name === undefined || others.length > 0) {
    throw new BowlineError(
      "InvalidArgument",
      `«${argument.slice(0, 64)}» is not KIND/NAME; give KIND NAME… or KIND/NAME…, not both.`,
    );
  }
  return { kind: requireKind(kind), name: requireObjectName(name) };
}

function distinct(resources: readonly Resource[]): Resource[] {
  return [
    ...new Map(resources.map((resource) => [`${resource.kind.kind}/${resource.name}`, resource])).values(),
  ];
}
