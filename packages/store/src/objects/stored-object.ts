import { isDeepStrictEqual } from "node:util";

import { fillDefaults, type ApiObject, type Kind, type ObjectOf } from "@bowline/api";

import type { RowOf } from "../engine/tables.ts";
import type { SealedSecrets } from "../secrets/object-secrets.ts";

/** An object with what the API never shows of it. */
export interface StoredObject {
  /** Without secret fields. */
  readonly object: ApiObject;
  /** The same as JSON: it is needed for the object's row and for the change. */
  readonly body: string;
  readonly secrets: SealedSecrets;
  readonly lookupKey: string | null;
}

/** An object as the API returns it. */
export interface ObjectJson {
  readonly json: string;
  readonly resourceVersion: string;
}

type ObjectRow = RowOf<"objects">;

export function storedObject(
  object: ApiObject,
  hidden: Pick<StoredObject, "secrets" | "lookupKey">,
): StoredObject {
  return { object, body: JSON.stringify(object), secrets: hidden.secrets, lookupKey: hidden.lookupKey };
}

export function storedObjectOf(kind: Kind, row: ObjectRow): StoredObject {
  const { body, secrets, lookup_key: lookupKey } = row;
  return { object: readObject(kind, body), body, secrets, lookupKey };
}

/** The columns repeat what queries look for; `body` is the truth. */
export function rowOf({ object, body, secrets, lookupKey }: StoredObject): ObjectRow {
  const { metadata, status } = object;
  return {
    id: metadata.id,
    kind: object.kind,
    name: metadata.name,
    generation: metadata.generation,
    observed_generation: status.observedGeneration ?? 0,
    resource_version: Number(metadata.resourceVersion),
    body,
    secrets,
    lookup_key: lookupKey,
  };
}

/** The object with the defaults of fields that its kind did not have yet when it was written. */
export function readObject<K extends Kind>(kind: K, body: string): ObjectOf<K> {
  return typed(kind, fillDefaults(kind.schemas.stored, parseObject(body)));
}

export function parseObject(body: string): ApiObject {
  return JSON.parse(body);
}

/** Rows of a kind hold objects of that kind: nothing else is ever written there. */
export function typed<K extends Kind>(_kind: K, object: ApiObject): ObjectOf<K> {
  return object as ObjectOf<K>;
}

/** Whether two values are the same JSON, whatever the order of their keys; a key that is undefined is not there. */
export function isSameJson(value: unknown, stored: unknown): boolean {
  return isDeepStrictEqual(value, stored) || isDeepStrictEqual(JSON.parse(JSON.stringify(value)), stored);
}
