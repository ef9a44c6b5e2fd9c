import { BowlineError } from "@bowline/core";

import type { ProviderWork } from "./provider.ts";
import { missed, resourceToken, seen, type ResourceRecord, type ResourceState } from "./resource-record.ts";

/** Something that was found outside. */
export interface FoundResource {
  readonly id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Whether it can be used. */
  readonly isReady: boolean;
  /** It has the name that ours would have, and not our mark: it is left alone. */
  readonly isForeign?: boolean;
}

/** How a resource of one type is found, made and taken away. */
export interface ResourceHandler {
  readonly step: string;
  readonly type: string;
  readonly region?: string;
  /** What else can be called otherwise, where its name is taken: the cluster if missing. */
  readonly renamed?: string;
  /** By its id where that is known, else by its mark or its derived name. Only reads. */
  find(record: ResourceRecord): Promise<FoundResource | undefined>;
  /** With the mark in the very call; never tagged afterwards. */
  create(record: ResourceRecord): Promise<Pick<FoundResource, "id" | "attributes" | "isReady">>;
  /** Asks it to go; it may take its time. One that is gone already is no failure. */
  remove(record: ResourceRecord): Promise<void>;
}

/**
 * A call that was cut off may have made the resource, and lists lag behind: only after so long is it made again that it
 * would be found by then. The mark stays the same, for those that take it as a token of the client.
 */
const settleMs = 10_000;

/**
 * Brings one resource nearer to being there, by at most one call that changes something: its record is written before the
 * call, and it is looked for by its mark before it is made. Returns the record as it is then.
 */
export async function ensureResource(work: ProviderWork, handler: ResourceHandler): Promise<ResourceRecord> {
  const known = await recordOf(work, handler.step);
  const isNew = known === undefined || known.state === "gone";
  const record = isNew ? await save(work, intended(work, handler, known?.attempt)) : known;
  const found = await handler.find(record);
  if (found !== undefined) return adopt(work, handler, record, found);
  const nowMs = work.clock.now();
  // It had an id and is not found: when it was missed twice it counts as gone, and is made again.
  if (record.id !== undefined) return save(work, missed(record, nowMs));
  // The clock of whoever intended it was ahead: its time is counted from now.
  if (record.intentAtMs > nowMs) return save(work, { ...record, intentAtMs: nowMs });
  if (!isNew && nowMs - record.intentAtMs < settleMs) return record;
  const tried = isNew ? record : await save(work, { ...record, intentAtMs: nowMs });
  const made = await work.call(`create ${handler.type} ${handler.step}`, () => handler.create(tried));
  return save(work, seen(tried, asFound(made), work.clock.now()));
}

/** The same towards nothing. A resource that nobody intended was not made. */
export async function removeResource(
  work: ProviderWork,
  handler: ResourceHandler,
): Promise<ResourceRecord | undefined> {
  const record = await recordOf(work, handler.step);
  if (record === undefined || record.state === "gone") return record;
  const found = await handler.find(record);
  if (found === undefined || found.isForeign === true) return save(work, missed(record, work.clock.now()));
  const marked = await save(work, seen(record, { state: "deleting", id: found.id }, work.clock.now()));
  await work.call(`delete ${handler.type} ${handler.step}`, () => handler.remove(marked));
  return marked;
}

function intended(
  { cluster, clock }: ProviderWork,
  { step, type, region }: ResourceHandler,
  lastAttempt = 0,
): ResourceRecord {
  const attempt = lastAttempt + 1;
  return {
    step,
    type,
    ...(region === undefined ? {} : { region }),
    attempt,
    token: resourceToken(cluster.id, step, attempt),
    intentAtMs: clock.now(),
    state: "intended",
    attributes: {},
  };
}

/** For a thing that has the name of ours, and not its mark. */
export function nameTaken(
  { type, step, renamed = "the cluster" }: Pick<ResourceHandler, "type" | "step" | "renamed">,
  { id }: Pick<FoundResource, "id">,
): BowlineError {
  return new BowlineError(
    "AlreadyExists",
    `There is a ${type} named ${id} already, which was not made for this cluster (${step}). Take it away, or give ${renamed} another name.`,
    { details: { reason: "NameTaken" } },
  );
}

async function adopt(
  work: ProviderWork,
  handler: ResourceHandler,
  record: ResourceRecord,
  found: FoundResource,
): Promise<ResourceRecord> {
  if (found.isForeign === true) throw nameTaken(handler, found);
  return save(work, seen(record, asFound(found), work.clock.now()));
}

function asFound({ id, attributes, isReady }: Pick<FoundResource, "id" | "attributes" | "isReady">): {
  readonly id: string;
  readonly state: ResourceState;
  readonly attributes?: Readonly<Record<string, unknown>>;
} {
  const state = isReady ? "ready" : "created";
  return { id, state, ...(attributes === undefined ? {} : { attributes }) };
}

async function recordOf({ records }: ProviderWork, step: string): Promise<ResourceRecord | undefined> {
  return (await records.list()).find((record) => record.step === step);
}

async function save({ records }: ProviderWork, record: ResourceRecord): Promise<ResourceRecord> {
  await records.put(record);
  return record;
}
