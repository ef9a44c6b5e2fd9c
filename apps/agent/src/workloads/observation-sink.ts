import { createHash } from "node:crypto";

import type { Clock } from "@bowline/core";

import type { WatchProblem } from "../observe/kind-watch.ts";
import { splitKind } from "../observe/kube-message.ts";
import { timestamp, type ObservedEvent } from "../report/report-item.ts";
import type { ReportQueue } from "../report/report-queue.ts";
import { digestOf, observedObject, type ObjectReport } from "./object-report.ts";
import type { OwnedObject } from "./ownership.ts";
import type { WatchedWorkload } from "./watched-workload.ts";

/** The names of an item beside its texts: place, UIDs, times. */
const itemBytes = 400;

/** Stands for a digest when the last thing that was told of an object is that it is gone. */
const goneDigest = "gone";

/** Puts observations into the queue, each under the key of what it is about. */
export class ObservationSink {
  readonly #queue: ReportQueue;
  readonly #clock: Clock;

  constructor(queue: ReportQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** The state of an object; nothing if it is as it was. False where there is no room for it. */
  object(object: OwnedObject, report: ObjectReport, isNamed: boolean): boolean {
    const { workload } = object;
    if (workload === undefined) return true;
    if (report.isRetired) {
      this.gone(object);
      return true;
    }
    const digest = digestOf(report);
    if (digest === object.digest) return true;
    object.apiVersion = report.apiVersion;
    const value = observedObject(object, report, { workload, isNamed, nowMs: this.#clock.now() });
    const isPut = this.#queue.put({
      key: keyOf(object),
      item: { item: { case: "object", value } },
      bytes: itemBytes + report.facts.length,
      onSent: () => (object.isReported = true),
    });
    object.digest = isPut ? digest : undefined;
    return isPut;
  }

  /**
   * It is gone, or belongs to no Workload any more. The server is told only if it may have heard of it, and once: what
   * waits in the queue for that is not touched again.
   */
  gone(object: OwnedObject): void {
    const { namespace, name, uid, kind } = object.place;
    if (object.digest === goneDigest) return;
    if (object.isReported) {
      const ref = { apiVersion: object.apiVersion, kind: splitKind(kind).kind, namespace, name, uid };
      this.#queue.putAlways({
        key: keyOf(object),
        item: { item: { case: "gone", value: { ref } } },
        bytes: itemBytes,
      });
    } else {
      this.#queue.remove(keyOf(object));
    }
    object.digest = goneDigest;
  }

  /** False where there is no room for it. */
  event(value: ObservedEvent): boolean {
    const bytes = itemBytes + (value.message?.length ?? 0);
    return this.#queue.put({ key: `event ${value.uid}`, item: { item: { case: "event", value } }, bytes });
  }

  /** A kind of a workload cannot be watched: told as an event of its Workload. */
  problem(workload: WatchedWorkload, kind: string, problem: WatchProblem): boolean {
    const now = timestamp(this.#clock.now());
    return this.event({
      // The same again for the same problem, so that it is one event however often agents are started.
      uid: uuidOf(`${workload.uid} ${kind} ${problem.reason}`),
      regarding: {
        apiVersion: "bowline.dev/v1alpha1",
        kind: "Workload",
        namespace: "",
        name: workload.name,
        uid: workload.uid,
      },
      workload: workload.name,
      type: "Warning",
      reason: problem.reason,
      message: problem.message,
      count: 1,
      firstSeenAt: now,
      lastSeenAt: now,
    });
  }
}

function keyOf({ place }: OwnedObject): string {
  return `object ${place.uid}`;
}

/** A UUID that follows from a text (version 8 of RFC 9562: by a digest). */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
