import { WorkloadInstance } from "@bowline/api";
import { resources } from "@bowline/kube";
import { instanceLabel } from "@bowline/workloads";
import { beforeEach, describe, expect, test } from "vitest";

import { WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const config = (annotations: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default, annotations: {${annotations}}}, data: {a: "1"}}\n`;

let harness: WorkloadHarness;
let east: TestCluster;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
});

const live = () => east.client.get(resources.configMaps, { namespace: "default", name: "one" });
const isGone = () =>
  live().then(
    () => false,
    () => true,
  );

describe("an instance under another name", () => {
  test("has nothing while the old one is there, and everything once that is deleted", async () => {
    await harness.define(config(""));
    await harness.place(["east"]);
    await expect.poll(() => harness.condition("east")).toBe("True Applied");
    const before = await live();
    await harness.place(["east"], { name: "shop" });
    await expect.poll(() => harness.condition("east", "Applied", "shop")).toBe("False OwnedByOther");
    expect((await live()).metadata.labels?.[instanceLabel]).toBe("web");
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(() => harness.store.objects.get(WorkloadInstance, "web")).toBeUndefined();
    expect(await isGone()).toBe(true);
    // It is tried again after some minutes, or at once with another revision.
    await harness.define(config("renamed: again"));
    await expect.poll(() => harness.condition("east", "Applied", "shop")).toBe("True Applied");
    const after = await live();
    expect(after.metadata.labels?.[instanceLabel]).toBe("shop");
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
  });

  test("adopts the objects of the old one, which go on as they are when that is deleted", async () => {
    await harness.define(config(""));
    await harness.place(["east"]);
    await expect.poll(() => harness.condition("east")).toBe("True Applied");
    const before = await live();
    await harness.define(config('bowline.dev/adopt: "true"'), { name: "adopting" });
    await harness.place(["east"], { name: "shop", definition: "adopting" });
    await expect.poll(() => harness.condition("east", "Applied", "shop")).toBe("True Applied");
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(() => harness.store.objects.get(WorkloadInstance, "web")).toBeUndefined();
    const after = await live();
    expect(after.metadata.labels?.[instanceLabel]).toBe("shop");
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });
});
