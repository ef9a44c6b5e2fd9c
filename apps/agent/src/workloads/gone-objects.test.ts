import { systemClock } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { ReportQueue, type Taken } from "../report/report-queue.ts";
import type { ObjectReport } from "./object-report.ts";
import { ObservationSink } from "./observation-sink.ts";
import { OwnedObject } from "./ownership.ts";

const report = (replicas: number): ObjectReport => ({
  apiVersion: "apps/v1",
  resourceVersion: "1",
  facts: JSON.stringify({ replicas }),
  applied: "",
  changedBy: "",
  isRetired: replicas === 0,
});

/** A ReplicaSet of a Workload, and a queue that it is reported by. */
function setup() {
  const queue = new ReportQueue();
  const sink = new ObservationSink(queue, systemClock);
  const object = new OwnedObject({
    kind: "apps/ReplicaSet",
    namespace: "shop",
    name: "web-1",
    uid: "u1",
    owner: undefined,
  });
  object.workload = "shop";
  const see = (replicas: number): boolean => sink.object(object, report(replicas), false);
  const take = (): Taken | undefined => queue.take({ maxItems: 10, maxBytes: 10_000 });
  return { queue, sink, object, see, take };
}

function shown(taken: Taken | undefined): unknown[] {
  return taken?.kind === "items" ? taken.items.map(({ item }) => item.item?.case) : [];
}

describe("that an object is gone", () => {
  test("is told once, however often it is seen so before the server hears of it", () => {
    const { see, take } = setup();
    see(2);
    expect(shown(take())).toEqual(["object"]);
    see(0);
    see(0);
    expect(shown(take())).toEqual(["gone"]);
    see(0);
    expect(shown(take())).toEqual([]);
  });

  test("is told although the connection was lost on the way", () => {
    const { queue, see, take } = setup();
    see(2);
    take();
    see(0);
    const lost = take();
    if (lost !== undefined) queue.giveBack([lost]);
    see(0);
    expect(shown(take())).toEqual(["gone"]);
  });

  test("is told after it was back for a moment", () => {
    const { see, take } = setup();
    see(2);
    take();
    see(0);
    see(1);
    see(0);
    expect(shown(take())).toEqual(["gone"]);
    see(1);
    expect(shown(take())).toEqual(["object"]);
  });

  test("is not told of what the server never heard of", () => {
    const { sink, object, see, take } = setup();
    see(2);
    sink.gone(object);
    expect(shown(take())).toEqual([]);
    see(0);
    expect(shown(take())).toEqual([]);
  });
});
