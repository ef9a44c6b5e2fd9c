import { WorkloadPlacement, type EventRecord } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { LruMap } from "@bowline/core";

import {
  printable,
  withEvent,
  withoutWorkload,
  withWorkload,
  type Board,
  type ShownEvent,
  type WorkloadState,
} from "./demo-state.ts";

interface FollowOptions {
  readonly client: Pick<Client, "watch" | "listEvents" | "watchEvents">;
  readonly board: Board;
  readonly signal: AbortSignal;
}

/** Puts on the board how workloads do in each cluster, until the signal aborts. */
export async function followPlacements({ client, board, signal }: FollowOptions): Promise<void> {
  // Nobody tells what went before the watch began.
  board.update((state) => (state.workloads.length === 0 ? state : { ...state, workloads: [] }));
  for await (const event of client.watch(WorkloadPlacement, {}, { signal })) {
    if (event.type === "BOOKMARK") continue;
    const { id } = event.object.metadata;
    board.update((state) =>
      event.type === "DELETED"
        ? withoutWorkload(state, id)
        : withWorkload(state, workloadState(event.object)),
    );
  }
}

/** A workload in a cluster as a line for people. */
export function workloadState(placement: ReadObject<typeof WorkloadPlacement>): WorkloadState {
  const { metadata, spec, status } = placement;
  return {
    id: metadata.id,
    instance: printable(spec.instance),
    cluster: printable(spec.cluster),
    health: status.health ?? "Unknown",
    ...standing(placement),
    healthyCount: status.healthyCount,
    resourceCount: status.resourceCount,
  };
}

type Standing = Pick<WorkloadState, "reason" | "message"> & Partial<Pick<WorkloadState, "health">>;

function standing({ metadata, status }: ReadObject<typeof WorkloadPlacement>): Standing {
  if (metadata.deletedAt !== undefined) return { reason: "Deleting", message: "" };
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const isOld = ready === undefined || ready.observedGeneration !== metadata.generation;
  if (isOld || (ready.status === "Unknown" && ready.reason === "Progressing")) {
    // What nobody can know yet is no reason to worry.
    const { health = "Unknown" } = status;
    return { health: health === "Unknown" ? "Progressing" : health, reason: "Applying", message: "" };
  }
  if (ready.status === "True") return { reason: "", message: "" };
  return { reason: printable(ready.reason), message: printable(ready.message) };
}

/** Records whose count is remembered, to tell what is new when they come again. */
const knownRecords = 2000;
/** Of those that are there already when it begins. */
const firstEvents = 50;

/** Puts on the board what happens to workloads in their clusters. */
export class EventFollower {
  readonly #options: FollowOptions;
  readonly #counts = new LruMap<string, number>(knownRecords);

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** Until the signal aborts; then, or when it was thrown out, it can be called again and shows nothing twice. */
  async follow(): Promise<void> {
    const { client, signal } = this.#options;
    const { items, metadata } = await client.listEvents({ limit: firstEvents }, { signal });
    for (const record of items.toReversed()) this.#show(record);
    const since = metadata.resourceVersion;
    for await (const change of client.watchEvents({}, { since, signal })) {
      if (change.type === "ADDED" || change.type === "MODIFIED") this.#show(change.object);
    }
  }

  #show(record: EventRecord): void {
    const before = this.#counts.get(record.id) ?? 0;
    this.#counts.set(record.id, record.count);
    const event = shownEvent(record, record.count - before);
    if (event !== undefined) this.#options.board.update((state) => withEvent(state, event));
  }
}

/** A record as a line for people; undefined where it is not about a workload, or nothing has happened since. */
function shownEvent(record: EventRecord, times: number): ShownEvent | undefined {
  const { type, reason, message, regarding, instance, lastSeenAt } = record;
  const { cluster, kind, name } = regarding;
  if (cluster === undefined || instance === undefined || times <= 0) return undefined;
  return {
    // Pods of a kind have the same troubles: one line for all of them.
    key: JSON.stringify([cluster, instance, type, reason]),
    atMs: Date.parse(lastSeenAt),
    cluster: printable(cluster),
    instance: printable(instance),
    isWarning: type === "Warning",
    reason: printable(reason),
    message: `${printable(message)} (${printable(`${kind} ${name}`)})`,
    count: times,
  };
}
