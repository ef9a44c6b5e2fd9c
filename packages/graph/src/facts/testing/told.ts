import { expect } from "vitest";

import { nodeKey } from "../../model/node.ts";
import type { EdgeEnd, ObjectFacts, Properties } from "../../model/object-facts.ts";
import type { FactFields } from "../../model/read-fields.ts";
import { kindFacts } from "../kinds.ts";

/**
 * The facts of an object that has only what a test is about: the rest of its metadata is filled in. They must be the
 * same when no more is read of it than the kind asks for.
 */
export function factsOf(
  apiVersion: string,
  kind: string,
  object: Readonly<Record<string, unknown>>,
): ObjectFacts {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const known = kindFacts({ group, kind });
  const metadata = {
    name: "web",
    uid: "uid-1",
    ...(known.namespaced === false ? {} : { namespace: "shop" }),
  };
  const whole = { apiVersion, kind, ...object, metadata: { ...metadata, ...objectAt(object["metadata"]) } };
  const facts = known.facts(whole);
  expect(known.facts(asRead(whole, known.fields))).toEqual(facts);
  expect(known.facts(guarded(whole, withIdentity(known.fields)))).toEqual(facts);
  return facts;
}

/** An object as an informer has it that decodes only these fields; lists are looked through. */
export function asRead(object: unknown, fields: FactFields): unknown {
  return cut(object, withIdentity(fields));
}

/** Which comes in any case. */
function withIdentity(fields: FactFields): FactFields {
  return { ...fields, metadata: { ...objectAt(fields["metadata"]), name: true, namespace: true, uid: true } };
}

function cut(value: unknown, keep: true | FactFields): unknown {
  if (keep === true || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cut(item, keep));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const inner = Object.hasOwn(keep, name) ? keep[name] : undefined;
      return inner === undefined ? [] : [[name, cut(part, inner)]];
    }),
  );
}

/** An object that refuses to be read where it would not have been decoded, whether there is something or not. */
function guarded(value: unknown, keep: true | FactFields, path = ""): unknown {
  if (keep === true || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => guarded(item, keep, path));
  return new Proxy(value, {
    get(target, name) {
      if (typeof name !== "string") return Reflect.get(target, name);
      const inner = Object.hasOwn(keep, name) ? keep[name] : undefined;
      if (inner === undefined) throw new Error(`${path}.${name} is read, and is not among the fields.`);
      return guarded(Reflect.get(target, name), inner, `${path}.${name}`);
    },
  });
}

/**
 * Each edge as a line: `USES_SECRET: containers/app → Secret/shop/db, /spec/containers/0/envFrom/0/secretRef` and its
 * properties. The object itself has no name in them.
 */
export function toldEdges(facts: ObjectFacts): string[] {
  return facts.edges.map(({ type, from, to, at, properties }) => {
    const ends = `${endName(facts, from)} → ${endName(facts, to)}`.trim();
    return `${type}: ${ends}, ${at}${properties === undefined ? "" : ` ${propertiesText(properties)}`}`;
  });
}

/** The edges of some types only. */
export function toldEdgesOf(facts: ObjectFacts, ...types: readonly string[]): string[] {
  return toldEdges(facts).filter((line) => types.includes(line.slice(0, line.indexOf(":"))));
}

function endName(facts: ObjectFacts, end: EdgeEnd): string {
  if (typeof end !== "number") return nodeKey(end);
  const part = facts.parts[end - 1];
  if (part === undefined) return "it";
  return part.node.name.slice(facts.node.name.length + 1);
}

function propertiesText(properties: Properties): string {
  const texts = Object.entries(properties).map(([name, value]) =>
    value === true ? name : `${name}=${typeof value === "object" ? Object.values(value).join("+") : value}`,
  );
  return `(${texts.join(" ")})`;
}

function objectAt(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
