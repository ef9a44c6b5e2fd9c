import { createHash } from "node:crypto";

/**
 * - `intended`: it is about to be made, or was and nobody has heard of it yet.
 * - `created`: it has an id.
 * - `ready`: it was seen to be as it should.
 * - `deleting`: it was asked to go.
 * - `gone`: it was looked for twice, and was not there.
 */
export type ResourceState = "intended" | "created" | "ready" | "deleting" | "gone";

/** Something outside that belongs to a cluster, from before it exists until after it is gone. */
export interface ResourceRecord {
  /** Names it among those of its cluster, as `subnet-public-a`. */
  readonly step: string;
  /** Its type, in the words of whoever makes it: `ec2:subnet`. */
  readonly type: string;
  readonly region?: string;
  /** How often it was made: one that is made again after it was lost is another one. */
  readonly attempt: number;
  /** Its mark, which it carries from its first moment: it is found by it when its id is not known. */
  readonly token: string;
  readonly intentAtMs: number;
  readonly state: ResourceState;
  /** As its maker calls it; missing until that is known. */
  readonly id?: string;
  /** Whatever else the provider has to remember, at most 256 KiB as JSON. Kept encrypted. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** When it was last seen. */
  readonly seenAtMs?: number;
  /** When it was first looked for in vain; missing since it was seen. */
  readonly missedAtMs?: number;
}

/** The records of one cluster. A record is on disk when the promise resolves. */
export interface ResourceRecords {
  /** In the order in which they were intended first. */
  list(): Promise<readonly ResourceRecord[]>;
  /** Replaces the record of that step. */
  put(record: ResourceRecord): Promise<void>;
}

/** The same for the same resource, whoever asks and however often; another one for each attempt. */
export function resourceToken(clusterId: string, step: string, attempt: number): string {
  return createHash("sha256")
    .update(JSON.stringify([clusterId, step, attempt]))
    .digest("hex")
    .slice(0, 40);
}

/** A resource is believed to be gone when it was missed twice, so far apart: lists lag behind. */
const missedForMs = 10_000;

/**
 * The record after its resource was looked for in vain. A first look that is still to come was told by a clock that has
 * been set back since, or by another machine's: the wait begins anew.
 */
export function missed(record: ResourceRecord, nowMs: number): ResourceRecord {
  const missedAtMs = Math.min(record.missedAtMs ?? nowMs, nowMs);
  const isGone = nowMs - missedAtMs >= missedForMs;
  return { ...record, missedAtMs, ...(isGone ? { state: "gone" as const } : {}) };
}

/** The record after its resource was found. */
export function seen(
  record: ResourceRecord,
  found: Pick<ResourceRecord, "state"> & Partial<Pick<ResourceRecord, "id" | "attributes">>,
  nowMs: number,
): ResourceRecord {
  const { missedAtMs: _, ...rest } = record;
  return { ...rest, ...found, seenAtMs: nowMs };
}
