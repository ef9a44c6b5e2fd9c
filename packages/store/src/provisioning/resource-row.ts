import { BowlineError, isRecord } from "@bowline/core";
import type { ResourceRecord, ResourceState } from "@bowline/providers";

import type { RowOf } from "../engine/tables.ts";
import type { KeyRing, SecretPlace } from "../secrets/key-ring.ts";

export type ResourceRow = RowOf<"provider_resources">;

/** What a provider says of a thing; other columns are Bowline's own words and times. */
interface Content {
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What a provider may remember of one thing. */
const maxAttributesBytes = 256 * 1_024;

/** Bound to its cluster and step, so that no provider is given what another one remembers. */
export function resourcePlace(clusterId: string, step: string): SecretPlace {
  return { kind: "ProviderResource", id: clusterId, field: step };
}

/** `InvalidArgument` when there is too much to remember. */
export function sealRecord(keys: KeyRing, clusterId: string, record: ResourceRecord): ResourceRow {
  const { step, type, region, attempt, token, intentAtMs, state, id, attributes } = record;
  const bytes = Buffer.byteLength(JSON.stringify(attributes));
  if (bytes > maxAttributesBytes) {
    throw new BowlineError(
      "InvalidArgument",
      `A provider wants ${bytes} bytes to be remembered of "${step}"; there is room for ${maxAttributesBytes}.`,
    );
  }
  const content: Content = { ...(id === undefined ? {} : { id }), attributes };
  return {
    cluster_id: clusterId,
    step,
    position: 0,
    type,
    region: region ?? null,
    attempt,
    token,
    intent_at: intentAtMs,
    state,
    content: keys.encrypt(JSON.stringify(content), resourcePlace(clusterId, step)),
    seen_at: record.seenAtMs ?? null,
    missed_at: record.missedAtMs ?? null,
  };
}

/** `DecryptionFailed` when the key is missing. */
export function openRecord(keys: KeyRing, row: ResourceRow): ResourceRecord {
  const content: unknown = JSON.parse(keys.decrypt(row.content, resourcePlace(row.cluster_id, row.step)));
  const { id, attributes } = isRecord(content) ? content : {};
  return {
    step: row.step,
    type: row.type,
    ...(row.region === null ? {} : { region: row.region }),
    attempt: row.attempt,
    token: row.token,
    intentAtMs: row.intent_at,
    state: row.state as ResourceState,
    ...(typeof id === "string" ? { id } : {}),
    attributes: isRecord(attributes) ? attributes : {},
    ...(row.seen_at === null ? {} : { seenAtMs: row.seen_at }),
    ...(row.missed_at === null ? {} : { missedAtMs: row.missed_at }),
  };
}
