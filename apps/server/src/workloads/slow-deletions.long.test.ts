import { WorkloadInstance } from "@bowline/api";
import { beforeEach, expect, test } from "vitest";

import { editor, WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const finalizer = "example.com/never";

let harness: WorkloadHarness;
let east: TestCluster;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
});

/** A workload of one object with a finalizer that nobody takes away, if it is to hang. */
async function add(name: string, hangs: boolean): Promise<void> {
  const finalizers = hangs ? `, finalizers: [${finalizer}]` : "";
  const metadata = `{name: ${name}, namespace: default${finalizers}}`;
  await harness.define(`{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}`, { name });
  await harness.place(["east"], { name, definition: name });
}

async function applied(name: string): Promise<void> {
  await expect.poll(() => harness.condition("east", "Applied", name)).toBe("True Applied");
}

/** What somebody does who looks after the finalizer. */
function finish(name: string): void {
  const live = east.sim.api.get("configmaps", "default", name);
  if (live === undefined) throw new Error(`${name} is gone already`);
  east.sim.api.update("configmaps", { ...live, metadata: { ...live.metadata, finalizers: [] } });
}

const deletions = (): number =>
  east.requests.filter((line) => line.startsWith("DELETE") && line.includes("/configmaps/")).length;

const isThere = (name: string): boolean => east.sim.api.get("configmaps", "default", name) !== undefined;

test("A hundred deletions that hang on finalizers hold no worker: all are asked for, and others are applied meanwhile", async () => {
  const names = Array.from({ length: 100 }, (_, at) => `hung-${at}`);
  for (const name of names) await add(name, true);
  for (const name of names) await applied(name);
  harness.sleepsForever = true;
  for (const name of names) await harness.store.objects.delete(WorkloadInstance, name, { author: editor });
  await expect.poll(deletions).toBe(100);
  await add("other", false);
  await applied("other");
  expect(names.filter(isThere)).toEqual(names);
  expect(deletions()).toBe(100);
});

test("A deletion that hangs is told with what it waits for, and ends when that is gone", async () => {
  await add("web", true);
  await applied("web");
  await harness.store.objects.delete(WorkloadInstance, "web", { author: editor });
  await expect.poll(() => harness.condition("east")).toBe("False BeingDeleted");
  const { resources } = (await harness.placement("east"))?.status ?? {};
  expect(resources).toMatchObject([{ name: "web", state: "deleting" }]);
  expect(resources?.[0]?.message).toContain(finalizer);
  finish("web");
  await expect.poll(() => harness.placement("east")).toBeUndefined();
});
