import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Kubesim, SimObject } from "@bowline/kubesim";

import { nowMs } from "../api/measurement.ts";
import { eventMessage, type EventsOrder } from "./sim-order.ts";

const tickMs = 5;

/** Writes events about pods at a pace, each a new one, in every cluster in turn. Resolves to the pace that was kept. */
export async function writeEvents(
  sims: readonly Kubesim[],
  { prefix, perSecond, count }: EventsOrder,
): Promise<number> {
  const pods = sims.map(({ api }) =>
    [...api.list("pods")].filter(({ metadata }) => metadata.name.startsWith(prefix)),
  );
  const startMs = performance.now();
  for (let written = 0; written < count;) {
    const dueCount = Math.min(count, ((performance.now() - startMs) / 1000) * perSecond);
    for (; written < dueCount; written++) {
      const sim = sims[written % sims.length];
      const known = pods[written % sims.length] ?? [];
      const pod = known[Math.floor(written / sims.length) % known.length];
      if (pod === undefined) throw new Error("There is a cluster without pods.");
      sim?.api.create("events", eventAbout(pod));
    }
    await sleep(tickMs);
  }
  return (count * 1000) / (performance.now() - startMs);
}

function eventAbout({ metadata: { namespace = "default", name, uid } }: SimObject) {
  const now = new Date().toISOString().replace(/\.\d+Z$/u, "Z");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace, name: `${name}.${randomUUID()}` },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid },
    type: "Warning",
    reason: "Unhealthy",
    message: eventMessage(nowMs()),
    source: { component: "kubelet", host: "node-1" },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
