import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import type { SimObject } from "./sim-api.ts";

let sim: Kubesim;

beforeEach(async () => {
  sim = await startKubesim({ tls: false });
});
afterEach(() => sim.stop());

function make(name: string, owners: readonly SimObject[] = [], blockOwnerDeletion = true): SimObject {
  return sim.api.create("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: "default",
      ownerReferences: owners.map((owner) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: owner.metadata.name,
        uid: owner.metadata.uid,
        blockOwnerDeletion,
      })),
    },
  });
}

const exists = (name: string): boolean => sim.api.get("configmaps", "default", name) !== undefined;
const ownersOf = (name: string): string[] =>
  sim.api.get("configmaps", "default", name)?.metadata.ownerReferences?.map((owner) => owner.name) ?? [];

describe("garbage collection", () => {
  it("follows a deleted owner down in the background", async () => {
    const top = make("top");
    const middle = make("middle", [top]);
    make("bottom", [middle]);
    sim.api.delete("configmaps", "default", "top");
    expect(exists("top")).toBe(false);
    await expect.poll(() => exists("middle") || exists("bottom")).toBe(false);
  });

  it("waits for dependents in the foreground", async () => {
    const top = make("top");
    const child = make("child", [top]);
    sim.api.update("configmaps", {
      ...child,
      metadata: { ...child.metadata, finalizers: ["example.com/hold"] },
    });
    sim.api.delete("configmaps", "default", "top", { propagation: "Foreground" });
    await expect
      .poll(() => sim.api.get("configmaps", "default", "child")?.metadata.deletionTimestamp)
      .toBeDefined();
    expect(sim.api.get("configmaps", "default", "top")?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const held = sim.api.get("configmaps", "default", "child");
    if (held) {
      const { finalizers: _held, ...metadata } = held.metadata;
      sim.api.update("configmaps", { ...held, metadata });
    }
    await expect.poll(() => exists("child") || exists("top")).toBe(false);
  });

  it("does not wait for dependents that do not block", async () => {
    const top = make("top");
    make("child", [top], false);
    sim.api.delete("configmaps", "default", "top", { propagation: "Foreground" });
    await expect.poll(() => exists("top") || exists("child")).toBe(false);
  });

  it("sets dependents free when they are orphaned", async () => {
    const top = make("top");
    make("child", [top]);
    sim.api.delete("configmaps", "default", "top", { propagation: "Orphan" });
    await expect.poll(() => exists("top")).toBe(false);
    expect(exists("child")).toBe(true);
    expect(ownersOf("child")).toEqual([]);
  });

  it("sets an object free that is its own dependent", async () => {
    const own = make("own");
    const [reference] = make("child", [own]).metadata.ownerReferences ?? [];
    sim.api.update("configmaps", {
      ...own,
      metadata: { ...own.metadata, ownerReferences: reference === undefined ? [] : [reference] },
    });
    sim.api.delete("configmaps", "default", "own", { propagation: "Orphan" });
    await expect.poll(() => exists("own")).toBe(false);
    expect(ownersOf("child")).toEqual([]);
  });

  it("keeps what another owner still holds", async () => {
    const one = make("one");
    const two = make("two");
    make("child", [one, two]);
    sim.api.delete("configmaps", "default", "one");
    await expect.poll(() => ownersOf("child")).toEqual(["two"]);
    sim.api.delete("configmaps", "default", "two");
    await expect.poll(() => exists("child")).toBe(false);
  });

  it("collects what was born without a living owner", async () => {
    const owner = make("owner");
    sim.api.delete("configmaps", "default", "owner");
    make("late", [owner]);
    await expect.poll(() => exists("late")).toBe(false);
  });
});

describe("a namespace", () => {
  it("starts with its account and the certificate authority", async () => {
    sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
    await expect.poll(() => sim.api.get("serviceaccounts", "new", "default")).toBeDefined();
    expect(sim.api.get("configmaps", "new", "kube-root-ca.crt")).toBeDefined();
  });

  it("empties itself, lets nothing in, and goes", async () => {
    sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "old" } });
    const held = sim.api.create("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "held", namespace: "old", finalizers: ["example.com/hold"] },
    });
    sim.api.delete("namespaces", undefined, "old");
    expect(sim.api.get("namespaces", undefined, "old")).toMatchObject({ status: { phase: "Terminating" } });
    expect(() =>
      sim.api.create("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "late", namespace: "old" },
      }),
    ).toThrow(/unable to create new content in namespace old because it is being terminated/);
    await expect.poll(() => sim.api.get("secrets", "old", "held")?.metadata.deletionTimestamp).toBeDefined();
    expect(sim.api.get("namespaces", undefined, "old")).toBeDefined();
    const { finalizers: _held, resourceVersion: _version, ...metadata } = held.metadata;
    sim.api.update("secrets", { ...held, metadata: { ...metadata, resourceVersion: "" } });
    await expect.poll(() => sim.api.get("namespaces", undefined, "old")).toBeUndefined();
  });

  it("may be one that must not go", () => {
    expect(() => sim.api.delete("namespaces", undefined, "default")).toThrow(
      /this namespace may not be deleted/,
    );
  });
});
