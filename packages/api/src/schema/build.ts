import {
  Type,
  type Static,
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TString,
  type TUnknown,
  type TUnsafe,
} from "typebox";

import type { TextRule } from "./text-rule.ts";

/**
 * The parts that schemas are made of. Every function asks for a description and for the limits that keep a hostile value small,
 * so that a field without them does not compile.
 */

export interface TextOptions {
  readonly maxLength: number;
  readonly minLength?: number;
  readonly pattern?: string;
  /** Completes "must be …" when the pattern does not match. */
  readonly expects?: string;
  readonly examples?: readonly string[];
}

/** Free text, or text that follows a rule: `text("Its name.", dnsLabel)`. */
export function text(description: string, options: TextOptions): TString {
  const { expects, examples, ...limits } = options;
  return Type.String({
    description,
    ...limits,
    ...(expects === undefined ? {} : { "x-bowline-expects": expects }),
    ...(examples === undefined ? {} : { examples }),
  });
}

/** One line for people, at most `maxLength` characters long. */
export function line(description: string, rule: TextRule, maxLength: number = rule.maxLength): TString {
  return text(description, { ...rule, maxLength });
}

/** A point in time in RFC 3339 form. */
export function dateTime(description: string): TString {
  return Type.String({ description, format: "date-time", maxLength: 35 });
}

export function integer(
  description: string,
  limits: { readonly minimum: number; readonly maximum: number },
): TInteger {
  return Type.Integer({ description, ...limits });
}

export function flag(description: string): TBoolean {
  return Type.Boolean({ description });
}

export function choice<Values extends string[]>(
  description: string,
  values: readonly [...Values],
): TEnum<Values> {
  return Type.Enum(values, { description, type: "string" });
}

export interface ListOptions {
  readonly maxItems: number;
  readonly minItems?: number;
  /** No two items alike; for lists of plain values. */
  readonly unique?: boolean;
  /** The field that tells items apart; for lists of objects. */
  readonly uniqueBy?: string;
}

export function list<Item extends TSchema>(
  description: string,
  items: Item,
  options: ListOptions,
): TArray<Item> {
  const { unique, uniqueBy, ...limits } = options;
  return Type.Array(items, {
    description,
    ...limits,
    ...(unique === true ? { uniqueItems: true, "x-kubernetes-list-type": "set" } : {}),
    ...(uniqueBy === undefined
      ? {}
      : { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [uniqueBy] }),
  });
}

export interface MapOptions {
  readonly keys: TextRule;
  readonly maxProperties: number;
  readonly minProperties?: number;
}

export interface MapSchema<Value extends TSchema> extends TUnsafe<Record<string, Static<Value>>> {
  type: "object";
  additionalProperties: Value;
}

/** Names that the user chooses, each with a value of one kind. */
export function map<Value extends TSchema>(
  description: string,
  values: Value,
  options: MapOptions,
): MapSchema<Value> {
  const { keys, ...limits } = options;
  return Object.assign(Type.Unsafe<Record<string, Static<Value>>>({}), {
    type: "object" as const,
    description,
    additionalProperties: values,
    propertyNames: text("A key.", keys),
    ...limits,
  });
}

/** Fixed fields; any other is refused. */
export function object<Properties extends TProperties>(
  description: string,
  properties: Properties,
): TObject<Properties> {
  return Type.Object(properties, { description, additionalProperties: false });
}

/**
 * Fixed fields of which exactly one is set. Said by counting, and not by a union, because a union cannot be said in the
 * schema of a custom resource and gives a person a message for every branch that was not meant.
 */
export function exactlyOneOf<Properties extends TProperties>(
  description: string,
  properties: Properties,
): TObject<Properties> {
  return Type.Object(properties, {
    description,
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  });
}

/** The same where none is allowed too. */
export function atMostOneOf<Properties extends TProperties>(
  description: string,
  properties: Properties,
): TObject<Properties> {
  return Type.Object(properties, { description, additionalProperties: false, maxProperties: 1 });
}

export interface AnythingSchema extends TUnknown {
  description: string;
}

/** Any JSON, for what is accepted but not looked at. */
export function anything(description: string): AnythingSchema {
  return Object.assign(Type.Unknown(), { description });
}

export interface IntOrStringSchema extends TUnsafe<number | string> {
  "x-kubernetes-int-or-string": true;
}

/** A number or a string, as Kubernetes has it for ports and quantities. */
export function intOrString(description: string, limits: { readonly maxLength: number }): IntOrStringSchema {
  return Object.assign(Type.Unsafe<number | string>({}), {
    "x-kubernetes-int-or-string": true as const,
    description,
    ...limits,
  });
}

export type Defaulted<Schema extends TSchema> = Schema & { readonly default: Static<Schema> };

/** The field is always there to read, and may be left out when writing. */
export function withDefault<Schema extends TSchema>(
  schema: Schema,
  value: Static<Schema>,
): Defaulted<Schema> {
  return Object.assign(schema, { default: value });
}

/** Accepted and kept encrypted, never returned. Such a field is optional: an update without it leaves it as it was. */
export function secret<Schema extends TSchema>(schema: Schema): Schema {
  return Object.assign(schema, { writeOnly: true });
}

export const optional: typeof Type.Optional = Type.Optional;

type MayBeLeftOut<Schema extends TSchema> = Schema extends TOptional | Defaulted<TSchema> ? true : false;

type OptionalKeys<Properties extends TProperties> = {
  [Key in keyof Properties]: MayBeLeftOut<Properties[Key]> extends true ? Key : never;
}[keyof Properties];

type InputProperties<Properties extends TProperties> = {
  [Key in OptionalKeys<Properties>]?: StaticInput<Properties[Key]>;
} & {
  [Key in Exclude<keyof Properties, OptionalKeys<Properties>>]: StaticInput<Properties[Key]>;
};

/** The type to write where `Static` is the type to read: fields that have a default may be missing. */
export type StaticInput<Schema extends TSchema> =
  Schema extends TObject<infer Properties>
    ? InputProperties<Properties>
    : Schema extends TArray<infer Item>
      ? StaticInput<Item>[]
      : Static<Schema>;
