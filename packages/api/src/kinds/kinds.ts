import { BowlineError, didYouMean } from "@bowline/core";

import type { ApiObject, Kind, Reference } from "../kind/kind.ts";
import { parseFieldPath, valuesAt, type FieldPath } from "../schema/field-path.ts";
import { AccessGrant } from "./access-grant.ts";
import { Cluster } from "./cluster.ts";
import { ConfigSource } from "./config-source.ts";
import { Credential } from "./credential.ts";
import { DomainName } from "./domain-name.ts";
import { Gateway } from "./gateway.ts";
import { GraphQuestion } from "./graph-question.ts";
import { Session } from "./session.ts";
import { Token } from "./token.ts";
import { User } from "./user.ts";
import { WorkloadDefinition } from "./workload-definition.ts";
import { WorkloadInstance } from "./workload-instance.ts";
import { WorkloadPlacement } from "./workload-placement.ts";

/** Every kind of the API, in the order in which documents and help list them. */
export const kinds: readonly Kind[] = [
  Cluster,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  Gateway,
  DomainName,
  ConfigSource,
  Credential,
  GraphQuestion,
  AccessGrant,
  User,
  Token,
  Session,
];

function namesOf(kind: Kind): readonly string[] {
  return [kind.plural, kind.singular, ...kind.shortNames];
}

/** The kind that goes by a name: its own, its plural, its singular or a short one, in upper or lower case. */
export function findKind(name: string, among: readonly Kind[] = kinds): Kind | undefined {
  const wanted = name.toLowerCase();
  return among.find((kind) => namesOf(kind).includes(wanted));
}

/** The same, or an error that says what the name was probably meant to be. */
export function requireKind(name: string): Kind {
  const found = findKind(name);
  if (found !== undefined) return found;
  const meant = didYouMean(name, kinds.flatMap(namesOf));
  const hint = meant === "" ? `; the kinds are ${kinds.map((kind) => kind.plural).join(", ")}.` : meant;
  throw new BowlineError("InvalidArgument", `There is no kind «${name.slice(0, 64)}»${hint}`);
}

/** One name in one object that stands for another object. */
export interface FoundReference extends Reference {
  /** The name of the other object. */
  readonly name: string;
}

/** Where a reference is, parsed once: every write looks there. */
const parsedFields = new WeakMap<Reference, FieldPath>();

/** Every object that this one names. */
export function referencesOf(kind: Kind, item: Pick<ApiObject, "spec">): FoundReference[] {
  return kind.references.flatMap((reference) => {
    const names = valuesAt(pathOf(reference), { spec: item.spec });
    return names.flatMap((name) => (typeof name === "string" ? [{ ...reference, name }] : []));
  });
}

function pathOf(reference: Reference): FieldPath {
  const path = parsedFields.get(reference) ?? parseFieldPath(reference.field);
  parsedFields.set(reference, path);
  return path;
}

export interface Referrer {
  readonly from: Kind;
  readonly reference: Reference;
}

/** The fields of any kind that can hold the name of an object of this one: where to look before it is deleted. */
export function referrersOf(kind: Kind): Referrer[] {
  return kinds.flatMap((from) =>
    from.references
      .filter((reference) => reference.kind === kind.kind)
      .map((reference) => ({ from, reference })),
  );
}
