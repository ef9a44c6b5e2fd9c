import { WorkloadPlacement } from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import { ManualClock } from "@bowline/core/testing";
import { typed } from "@bowline/store";
import type { ObjectResult } from "@bowline/workloads";
import { expect, test } from "vitest";

import { Corrections } from "./corrections.ts";
import { contestedStatement } from "./placement-status.ts";

function placement(generation = 1): WorkloadPlacement {
  const spec = {
    instance: "web",
    cluster: "east",
    definition: "shop",
    revision: `sha256:${"a".repeat(64)}`,
    actingUser: { user: "editor", method: "token", groups: [] },
  };
  const made = returnedObject(WorkloadPlacement, { metadata: { name: "web-1" }, spec });
  const resource = { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" };
  const drifted = { ...resource, state: "applied", health: "Healthy", drifted: { changedBy: "scaler" } };
  const other = { ...resource, name: "api", state: "applied", health: "Healthy" };
  const status = { ...made.status, resources: [drifted, other] };
  return typed(WorkloadPlacement, { ...made, metadata: { ...made.metadata, generation }, status });
}

type Due = ReturnType<Corrections["driftOf"]>["due"];

const results = (due: Due, state: ObjectResult["state"] = "applied"): ObjectResult[] =>
  due.map(({ group, kind, namespace, name }) => ({
    group,
    version: "v1",
    kind,
    namespace,
    name,
    state,
    isWritten: true,
  }));

test("an object that the cluster refuses to have set right is not a fight", () => {
  const corrections = new Corrections(new ManualClock());
  for (let round = 0; round < 10; round += 1) {
    const { due } = corrections.driftOf(placement());
    expect(due).toHaveLength(1);
    corrections.note(placement(), due, results(due, "failed"));
  }
});

test("an object is set right at once, then at growing intervals, until it is a fight", async () => {
  const clock = new ManualClock();
  const corrections = new Corrections(clock);
  const waits: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { due } = corrections.driftOf(placement());
    expect(due).toMatchObject([{ kind: "Deployment", name: "web", changedBy: "scaler" }]);
    corrections.note(placement(), due, results(due));
    const { againMs } = corrections.driftOf(placement());
    waits.push(againMs);
    if (againMs !== Infinity) await clock.advance(againMs);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, Infinity]);
  const fight = corrections.driftOf(placement());
  expect([fight.due.length, fight.contested.size]).toEqual([0, 1]);
  expect(contestedStatement(fight)).toMatchObject({
    reason: "Contested",
    message: expect.stringContaining("Deployment shop/web: scaler sets it back"),
  });
  expect(corrections.driftOf(placement(2)).due).toHaveLength(1);
});
