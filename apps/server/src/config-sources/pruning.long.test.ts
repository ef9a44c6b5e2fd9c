import { Cluster, ConfigSource } from "@bowline/api";
import { beforeEach, describe, expect, test } from "vitest";

import { applied, clusterText, ConfigHarness } from "./testing/config-harness.ts";

const held = "Ready True Applied, UpToDate False PruneHeld";

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await ConfigHarness.open();
});

const clusters = (): Promise<string[]> => harness.store.objects.listNames(Cluster);
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `c${String(index).padStart(2, "0")}`);
const filesOf = (all: readonly string[]): Record<string, string> =>
  Object.fromEntries(all.map((name) => [`${name}.yaml`, clusterText(name)]));
const without = (all: readonly string[]): Record<string, null> =>
  Object.fromEntries(all.map((name) => [`${name}.yaml`, null]));

describe("deletions", () => {
  test("of more than the limit wait for an approval of that commit, and the rest is applied", async () => {
    const all = names(20);
    await harness.sources.repository.commit({ files: filesOf(all) });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    // 11 of 20: more than 10, and more than a quarter.
    const second = await harness.push({ ...without(all.slice(0, 11)), "new.yaml": clusterText("new") }, held);
    expect(await clusters()).toEqual([...all, "new"]);
    const { status } = await harness.source();
    expect(status.held).toMatchObject({ commit: second, deletions: 11, total: 20 });
    expect(status.held?.objects[0]).toEqual({ kind: "Cluster", name: "c00" });
    expect(await harness.message()).toContain("bowline approve cs/fleet");
    // An approval of another commit is none of this one.
    await harness.define({ approved: { commit: "1".repeat(40) } });
    await harness.sources.poll(async () => (await harness.source()).status.observedGeneration).toBe(2);
    await harness.until(held);
    expect(await clusters()).toHaveLength(21);
    await harness.define({ approved: { commit: second } });
    await harness.until(applied);
    expect(await clusters()).toEqual([...all.slice(11), "new"]);
    expect((await harness.source()).status.held).toBeUndefined();
  });

  test("of as many as the limit allows are made at once", async () => {
    const all = names(20);
    await harness.sources.repository.commit({ files: filesOf(all) });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.push(without(all.slice(0, 10)));
    expect(await clusters()).toEqual(all.slice(10));
  });

  test("of everything are held, unless an empty repository is allowed", async () => {
    await harness.sources.repository.commit({ files: filesOf(["a", "b"]) });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.push({ ...without(["a", "b"]), "README.md": "nothing here\n" }, held);
    expect(await clusters()).toEqual(["a", "b"]);
    await harness.define({ allowEmpty: true });
    await harness.until(applied);
    expect(await clusters()).toEqual([]);
  });

  test("are not made without prune: what is gone from the repository stays, and is nobody's", async () => {
    await harness.sources.repository.commit({ files: filesOf(["a", "b"]) });
    await harness.define({ prune: false });
    await harness.start();
    await harness.until(applied);
    await harness.push(without(["a"]));
    expect(await clusters()).toEqual(["a", "b"]);
    expect((await harness.store.objects.get(Cluster, "a"))?.metadata.managedBy).toBeUndefined();
  });

  test("are never made because git is away or its folder is gone", async () => {
    await harness.sources.repository.commit({ files: { "fleet/a.yaml": clusterText("a"), README: "x" } });
    const { metadata } = { metadata: { name: "fleet" } };
    const git = { url: harness.sources.server.url(), ref: "main", path: metadata.name, interval: "1m" };
    await harness.define({ git: { ...git, credential: "git" }, allowEmpty: true });
    await harness.start();
    await harness.until(applied);
    await harness.push({ "fleet/a.yaml": null }, "Ready True Applied, UpToDate False PathNotFound");
    expect(await clusters()).toEqual(["a"]);
    expect(await harness.store.objects.get(ConfigSource, "fleet")).toMatchObject({
      status: { applied: { objects: 1 } },
    });
  });
});

describe("an object that was changed by hand", () => {
  test("is told in the status, and set right by the next commit", async () => {
    await harness.sources.repository.commit({ files: filesOf(["a", "b"]) });
    await harness.define();
    await harness.start();
    await harness.until(applied);
    await harness.store.objects.write(Cluster, "a", (current) => {
      const { managedBy } = current?.metadata ?? {};
      if (current === undefined || managedBy === undefined) throw new Error("it has no mark");
      return {
        ...current,
        spec: { ...current.spec, region: "eu-9" },
        managedBy: { ...managedBy, overriddenBy: "ada" },
      };
    });
    const overridden = async (): Promise<unknown> => (await harness.source()).status.overridden;
    await harness.sources.poll(overridden).toEqual([{ kind: "Cluster", name: "a", user: "ada" }]);
    await harness.store.objects.delete(Cluster, "b");
    await harness.push({ "README.md": "another commit\n" });
    expect(await harness.store.objects.get(Cluster, "a")).toMatchObject({ spec: { region: "eu-1" } });
    expect(await clusters()).toEqual(["a", "b"]);
    expect(await overridden()).toBeUndefined();
  });
});
