import type { KubeObject } from "@bowline/kube";
import type { InventoryItem } from "@bowline/store";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hookNameStart, hookOfRevision } from "./hook-name.ts";
import { surplusHooks } from "./old-hooks.ts";
import { orderOf, orderProblem } from "./order-annotations.ts";
import { applySteps, awaitedBy, type OrderedObject } from "./steps.ts";

const object = (annotations: Record<string, string>, kind = "Job", apiVersion = "batch/v1"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "migrate", annotations },
});

describe("the annotations", () => {
  test.each([
    ["0", 0],
    ["-3", -3],
    ["12", 12],
    ["-0", 0],
  ])("a wave may be %s", (wave, number) => {
    const given = object({ "bowline.dev/wave": wave });
    expect(orderProblem(given)).toBeUndefined();
    expect(orderOf(given)).toEqual({ wave: number });
  });

  test.each(["", "first", "1.5", "+1", "01", "1e3", " 1", "9999999999"])("a wave is not «%s»", (wave) => {
    expect(orderProblem(object({ "bowline.dev/wave": wave }))).toContain("bowline.dev/wave must be");
  });

  test("a hook is a Job or a Pod, and one of three words", () => {
    const pre = { "bowline.dev/hook": "pre" };
    expect(orderProblem(object(pre))).toBeUndefined();
    expect(orderProblem(object(pre, "Pod", "v1"))).toBeUndefined();
    expect(orderProblem(object(pre, "Deployment", "apps/v1"))).toContain("is for Jobs and Pods");
    expect(orderProblem(object(pre, "Job", "batch.example.com/v1"))).toContain("is for Jobs and Pods");
    expect(orderProblem(object({ "bowline.dev/hook": "before" }))).toContain("bowline.dev/hook must be");
    expect(orderOf(object({ ...pre, "bowline.dev/wave": "2" }))).toEqual({ wave: 2, hook: "pre" });
  });
});

describe("the name of a hook", () => {
  test("is another for each revision and each content, and no longer than a Job's may be", () => {
    const long = { ...object({}), metadata: { name: `${"a".repeat(51)}-${"b".repeat(200)}` } };
    const names = [
      hookOfRevision(object({}), "sha256:1"),
      hookOfRevision(object({}), "sha256:2"),
      hookOfRevision({ ...object({}), spec: { a: 1 } }, "sha256:1"),
      hookOfRevision(long, "sha256:1"),
    ].map(({ metadata }) => metadata.name ?? "");
    expect(new Set(names).size).toBe(4);
    expect(hookOfRevision(object({}), "sha256:1").metadata.name).toBe(names[0]);
    for (const name of names) expect(name).toMatch(/^[a-z]+-[0-9a-f]{10}$/);
    expect(names[3]?.length).toBeLessThanOrEqual(63);
    expect(hookNameStart(names[0] ?? "")).toBe("migrate");
  });
});

const kinds = {
  namespace: { group: "", kind: "Namespace" },
  storageClass: { group: "storage.k8s.io", kind: "StorageClass" },
  configMap: { group: "", kind: "ConfigMap" },
  deployment: { group: "apps", kind: "Deployment" },
  job: { group: "batch", kind: "Job" },
} as const;
type Item = OrderedObject & { readonly name: string };
const item = (name: string, kind: keyof typeof kinds, order: Partial<OrderedObject> = {}): Item => ({
  name,
  ...kinds[kind],
  wave: 0,
  ...order,
});
const items = [
  item("after", "job", { hook: "post" }),
  item("web", "deployment", { wave: 1 }),
  item("database", "deployment", { wave: -1 }),
  item("settings", "configMap"),
  item("second", "job", { hook: "pre", wave: 2 }),
  item("first", "job", { hook: "pre" }),
  item("gone", "job", { hook: "delete" }),
  item("shop", "namespace", { wave: 7 }),
  item("fast", "storageClass"),
];
const names = (all: readonly Item[]): string[] => all.map(({ name }) => name);

describe("the steps", () => {
  const steps = applySteps(items, (each) => each);

  test("are what others live in, hooks before, waves, and hooks after", () => {
    expect(steps.map((step) => [step.phase, step.wave, ...names(step.items)])).toEqual([
      ["foundation", 7, "shop"],
      ["foundation", 0, "fast"],
      ["pre", 0, "first"],
      ["pre", 2, "second"],
      ["main", -1, "database"],
      ["main", 0, "settings"],
      ["main", 1, "web"],
      ["post", 0, "after"],
    ]);
  });

  test("wait for what comes before them, and for nothing else", () => {
    const awaited = steps.map((step) => {
      const { hooks, healthy, applied } = awaitedBy(step, steps);
      return [names(step.items)[0], names(hooks), names(healthy), names(applied)];
    });
    expect(awaited).toEqual([
      ["shop", [], [], []],
      ["fast", [], [], []],
      ["first", [], [], ["shop", "fast"]],
      ["second", ["first"], [], ["shop", "fast"]],
      ["database", ["first", "second"], [], []],
      ["settings", ["first", "second"], ["database"], []],
      ["web", ["first", "second"], ["database", "settings"], []],
      ["after", ["first", "second"], ["shop", "fast", "database", "settings", "web"], []],
    ]);
  });

  test("have every object once, in the order of the waves, whatever the order they come in", () => {
    const kind = fc.constantFrom("namespace", "storageClass", "configMap", "deployment", "job");
    const one = fc.record({ kind, wave: fc.integer({ min: -2, max: 2 }) });
    fc.assert(
      fc.property(fc.array(one), (given) => {
        const all = given.map(({ kind: name, wave }, index) => item(`${index}`, name, { wave }));
        const planned = applySteps(all, (each) => each);
        expect(names(planned.flatMap((step) => step.items)).toSorted()).toEqual(names(all).toSorted());
        const waves = planned.filter(({ phase }) => phase === "main").map(({ wave }) => wave);
        expect(waves).toEqual([...new Set(waves)].toSorted((a, b) => a - b));
      }),
    );
  });
});

test("Of the runs of a hook the newest three stay, with that of the current revision", () => {
  const job = { instanceId: "i", clusterId: "c", group: "batch", kind: "Job", namespace: "shop" };
  const row = { ...job, version: "v1", stage: 2, state: "kept", revision: "r", hook: "pre" } as const;
  const run = (name: string, appliedAtMs: number): InventoryItem => ({ ...row, name, appliedAtMs });
  const old = [1, 2, 3, 4].map((at) => run(`migrate-000000000${at}`, at));
  const other = [run("seed-0000000001", 1)];
  const current = [run("migrate-0000000009", 9)];
  const surplus = surplusHooks([...old, ...other], current);
  expect(surplus.map(({ name }) => name)).toEqual(["migrate-0000000002", "migrate-0000000001"]);
  expect(surplusHooks(old, []).map(({ name }) => name)).toEqual(["migrate-0000000001"]);
});
