import { WorkloadInstance } from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { afterEach, expect, test, vi } from "vitest";

import { changeSpec, replaceObject } from "./change-spec.ts";

const metadata = {
  id: "019a8f2b-0000-7000-8000-000000000000",
  name: "web",
  labels: {},
  annotations: {},
  generation: 3,
  resourceVersion: "7",
  createdAt: "2026-01-02T09:30:00.000Z",
  updatedAt: "2026-01-02T09:30:00.000Z",
};
const shown: WorkloadInstance = {
  apiVersion: "bowline.dev/v1",
  kind: "WorkloadInstance",
  metadata,
  spec: {
    definition: "web",
    placement: { clusters: ["one"] },
    ...workloadDefaults(),
    namespace: "shop",
  },
  status: { conditions: [], clusters: [], clusterCount: 0, readyCount: 0 },
};
const stale = { error: { code: "PreconditionFailed", message: "It has changed." } };

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers one request after the other; returns what was asked. */
function answer(...answers: readonly (readonly [status: number, body: unknown])[]): string[] {
  const left = [...answers];
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (_: string, { method, headers }: RequestInit) => {
    asked.push(`${method} ${new Headers(headers).get("if-match") ?? ""}`.trim());
    const [status, body] = left.shift() ?? [500, {}];
    return new Response(JSON.stringify(body), { status });
  });
  return asked;
}

test("a change is made to what was shown, also when its status is another by then", async () => {
  const asked = answer(
    [412, stale],
    [200, { ...shown, metadata: { ...metadata, resourceVersion: "9" } }],
    [200, {}],
  );
  await changeSpec(WorkloadInstance, shown, { paused: { reason: "" } });
  expect(asked).toEqual(['PATCH "7"', "GET", 'PATCH "9"']);
});

test("nothing is changed where somebody else has changed it meanwhile", async () => {
  const asked = answer([412, stale], [200, { ...shown, metadata: { ...metadata, generation: 4 } }]);
  await expect(changeSpec(WorkloadInstance, shown, {})).rejects.toThrow("It has changed.");
  expect(asked).toHaveLength(2);
});

test("what is refused for another reason is told at once", async () => {
  const asked = answer([403, { error: { code: "Forbidden", message: "You are a viewer." } }]);
  await expect(changeSpec(WorkloadInstance, shown, {})).rejects.toThrow("You are a viewer.");
  expect(asked).toHaveLength(1);
});

test("a whole text is written over another status, and not over labels that somebody else has changed", async () => {
  const text = { body: { metadata: { name: "web" }, spec: shown.spec }, dryRun: false };
  const later = { ...metadata, resourceVersion: "9" };
  const asked = answer([412, stale], [200, { ...shown, metadata: later }], [200, shown]);
  await replaceObject(WorkloadInstance, shown, text);
  expect(asked).toEqual(['PUT "7"', "GET", 'PUT "9"']);
  for (const changed of [{ labels: { team: "till" } }, { annotations: { note: "by hand" } }]) {
    const again = answer([412, stale], [200, { ...shown, metadata: { ...later, ...changed } }]);
    await expect(replaceObject(WorkloadInstance, shown, text)).rejects.toThrow("It has changed.");
    expect(again).toEqual(['PUT "7"', "GET"]);
  }
  // They are no part of what a change of the spec writes.
  const ofSpec = answer(
    [412, stale],
    [200, { ...shown, metadata: { ...later, labels: { team: "till" } } }],
    [200, {}],
  );
  await changeSpec(WorkloadInstance, shown, { paused: { reason: "" } });
  expect(ofSpec).toHaveLength(3);
});
