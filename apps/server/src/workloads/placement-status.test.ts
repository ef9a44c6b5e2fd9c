import type { ObjectResult } from "@bowline/workloads";
import { expect, test } from "vitest";

import { resourcesAfter } from "./placement-status.ts";

function result(change: Partial<ObjectResult> = {}): ObjectResult {
  return {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    uid: "u1",
    state: "applied",
    isWritten: true,
    ...change,
  };
}

const { uid: _, ...waiting } = result({ state: "waiting", isWritten: false });

test("an object is on its way from the moment in which it was applied, and not before", () => {
  const first = resourcesAfter([], [waiting]);
  expect(first.resources).toMatchObject([{ state: "waiting", health: "Unknown" }]);
  const second = resourcesAfter(first.resources, [result()]);
  expect(second.resources).toMatchObject([{ health: "Progressing", healthReason: "JustApplied" }]);
});

test("an object that was reported keeps its health, one of another UID has to be reported anew", () => {
  const [applied] = resourcesAfter([], [result()]).resources;
  if (applied === undefined) throw new Error("It is not there.");
  const healthy = { ...applied, health: "Healthy", healthReason: "Available" } as const;
  expect(resourcesAfter([healthy], [result()]).resources).toMatchObject([{ health: "Healthy" }]);
  const anew = resourcesAfter([healthy], [result({ uid: "u2" })]).resources;
  expect(anew).toMatchObject([{ uid: "u2", healthReason: "JustApplied" }]);
});
