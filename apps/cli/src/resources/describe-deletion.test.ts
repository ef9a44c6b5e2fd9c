import { Cluster, WorkloadInstance, WorkloadPlacement, type ApiObject } from "@bowline/api";
import { readObject } from "@bowline/client/testing";
import { expect, test } from "vitest";

import { fakeClient } from "../testing/fake-context.ts";
import { sampleObject } from "../testing/sample-object.ts";
import { condition, webInstance, webPlacement } from "../testing/sample-rollout.ts";
import { deletedFirst, describeDeletion } from "./describe-deletion.ts";
import type { FoundObject } from "./resource.ts";

const deletedAt = "2026-01-01T00:00:00Z";
const waits = "bowline.dev/wait-for-referrers";
const going = (...finalizers: string[]): ApiObject => sampleObject(Cluster, "a", { deletedAt, finalizers });
const placementIn = (cluster: string): FoundObject => ({
  kind: WorkloadPlacement,
  object: webPlacement(cluster, {}),
});
const instance = (name: string): FoundObject => ({
  kind: WorkloadInstance,
  object: sampleObject(WorkloadInstance, name),
});

test.each<[string, ApiObject, FoundObject[], string]>([
  ["nothing", going(), [], "it is being deleted"],
  [
    "parts in clusters",
    going(waits),
    [placementIn("east"), placementIn("west")],
    "it is being deleted; what it has in east, west is being removed",
  ],
  [
    "another object",
    going(waits),
    [instance("web")],
    "it is being deleted; workloadinstance/web has to go first",
  ],
  [
    "many others",
    going(waits),
    ["a", "b", "c", "d", "e", "f", "g"].map(instance),
    "it is being deleted; workloadinstance/a, workloadinstance/b, workloadinstance/c, workloadinstance/d, workloadinstance/e and 2 more have to go first",
  ],
  ["some that may not be seen", going(waits), [], "it is being deleted; what refers to it has to go first"],
  [
    "objects in the cluster",
    going("bowline.dev/remove-resources"),
    [],
    "it is being deleted; its objects are being removed from the cluster",
  ],
  [
    "somebody else",
    going("x.y/z\u001B[2J"),
    [],
    String.raw`it is being deleted; somebody has yet to remove its finalizer x.y/z\u001b[2J`,
  ],
  ["nobody", sampleObject(Cluster, "a"), [], "nobody has asked for its deletion"],
])("a deletion that waits for %s says so", (_, object, referrers, expected) => {
  expect(describeDeletion(object, referrers)).toBe(expected);
});

test("the controller of an object knows best what its deletion waits for, once it has seen it", () => {
  const message = "It is being removed from east; east: No grant lets editor in.";
  const told = webInstance({ conditions: [condition("Ready", "False", { reason: "NotGranted", message })] });
  const leaving = { ...told, metadata: { ...told.metadata, deletedAt, finalizers: [waits] } };
  expect(describeDeletion(leaving, [placementIn("east")])).toBe(
    "it is being removed from east; east: No grant lets editor in.",
  );
  const older = { ...leaving, metadata: { ...leaving.metadata, generation: 2 } };
  expect(describeDeletion(older, [placementIn("east")])).toBe(
    "it is being deleted; what it has in east is being removed",
  );
});

test("what refers to an object is asked for only where its deletion waits for that", async () => {
  const asked: string[] = [];
  const client = fakeClient({
    async *listAll(kind, query) {
      asked.push(`${kind.plural} ${query?.fieldSelector ?? ""}`);
      const clusters = kind.kind === WorkloadPlacement.kind ? ["east", "west"] : [];
      const items = clusters.map((cluster) => readObject(kind, webPlacement(cluster, {})));
      yield { items, metadata: { resourceVersion: "1", total: items.length } };
    },
  });
  const target = { kind: WorkloadInstance, name: "web" };
  const { signal } = new AbortController();
  expect(await deletedFirst(client, target, { object: going("x.y/z"), signal })).toEqual([]);
  expect(asked).toEqual([]);
  const found = await deletedFirst(client, target, { object: going(waits), signal });
  expect(found.map(({ object }) => object.metadata.name)).toEqual(["web-east", "web-west"]);
  expect(asked).toContain("workloadplacements spec.instance=web");
});
