import * as fc from "fast-check";
import { expect, test } from "vitest";

import { healthFacts } from "./facts/health-facts.ts";
import { judge } from "./judge.ts";
import { healths, rollUp, type Verdict } from "./verdict.ts";

const kinds = [
  ["v1", "Pod"],
  ["v1", "Service"],
  ["v1", "Namespace"],
  ["v1", "PersistentVolumeClaim"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
  ["autoscaling/v1", "HorizontalPodAutoscaler"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["argoproj.io/v1alpha1", "Application"],
  ["gloo.solo.io/v1", "Upstream"],
  ["example.com/v1", "Widget"],
] as const;

/** Names that rules look for, so that chance gets behind the first field. */
const name = fc.oneof(
  fc.constantFrom(
    ..."conditions type status reason message phase state health ready replicas containerStatuses initContainerStatuses waiting running terminated exitCode lastState name active parents statuses observedGeneration paused __proto__ constructor toString length".split(
      " ",
    ),
  ),
  fc.string({ maxLength: 8 }),
);
const scalar = fc.oneof(
  fc.constantFrom(
    "True",
    "False",
    "Unknown",
    "Running",
    "Failed",
    "Ready",
    "CrashLoopBackOff",
    "",
    null,
    undefined,
    true,
    false,
  ),
  fc.string({ unit: "binary", maxLength: 800 }),
  fc.double(),
  fc.bigInt(),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.array(tie("tree"), { maxLength: 40 }),
    fc.dictionary(name, tie("tree"), { maxKeys: 12 }),
  ),
}));
const object = fc
  .record({
    id: fc.constantFrom(...kinds),
    metadata: fc.oneof(
      tree,
      fc.record({ generation: fc.nat(3), deletionTimestamp: scalar, finalizers: tree, annotations: tree }),
    ),
    spec: tree,
    status: fc.oneof(tree, fc.dictionary(name, tree, { maxKeys: 30 })),
  })
  .map(({ id: [apiVersion, kind], ...rest }) => ({ apiVersion, kind, ...rest }));
const anything = fc.oneof(
  object,
  tree,
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true }),
);

/** Far above what objects of real clusters need; it bounds what one object can cost an agent and a server. */
const maxFactsChars = 192 * 1024;

test("facts of anything are bounded JSON, and judged the same after a journey", () => {
  fc.assert(
    fc.property(anything, (value) => {
      const facts = healthFacts(value);
      const json = JSON.stringify(facts);
      expect(json.length).toBeLessThan(maxFactsChars);
      const found = judge(facts);
      expect(healths).toContain(found.health);
      expect(found.reason).toMatch(/^[A-Z][A-Za-z0-9]{0,63}$/);
      expect(found.message.length).toBeLessThan(700);
      expect(found.message).toMatch(/^[^\n]*[.!?…]$/u);
      expect(judge(JSON.parse(json))).toEqual(found);
      expect(judge(healthFacts(value))).toEqual(found);
    }),
    { numRuns: 100 },
  );
});

test("facts that nobody made are judged without a throw", () => {
  fc.assert(
    fc.property(anything, (value) => {
      expect(healths).toContain(judge(value, new Date(0)).health);
    }),
    { numRuns: 100 },
  );
});

test("an object as deep and wide as it likes costs no more than its size", () => {
  let deep: unknown = { phase: "Running" };
  for (let level = 0; level < 50_000; level++) deep = { state: deep, list: [deep] };
  const wide = Object.fromEntries(
    Array.from({ length: 20_000 }, (_none, index) => [`state${index}State`, "Running"]),
  );
  for (const status of [deep, wide, { a: wide, b: [wide, wide] }]) {
    const facts = healthFacts({ apiVersion: "example.com/v1", kind: "Widget", status });
    expect(JSON.stringify(facts).length).toBeLessThan(maxFactsChars);
    expect(healths).toContain(judge(facts).health);
  }
});

const verdicts = fc.array(
  fc.record({
    health: fc.constantFrom(...healths),
    reason: fc.constant("Because"),
    message: fc.constant("So it is."),
  }),
);

test("a roll-up is as bad as the worst of its parts, and of nothing unknown", () => {
  expect(rollUp([])).toMatchObject({ health: "Unknown", reason: "NothingReported" });
  fc.assert(
    fc.property(verdicts, (all: readonly Verdict[]) => {
      const { health } = rollUp(all);
      const worst = healths.find((candidate) => all.some((each) => each.health === candidate));
      expect(health).toBe(worst ?? "Unknown");
      expect(rollUp(all.map((each) => rollUp([each]))).health).toBe(health);
    }),
  );
});

test("a roll-up says how many are as bad as the worst, and what is wrong with the first", () => {
  const one: Verdict = { health: "Degraded", reason: "CrashLoopBackOff", message: "Container a crashes." };
  const other: Verdict = { health: "Degraded", reason: "Unschedulable", message: "No node." };
  const fine: Verdict = { health: "Healthy", reason: "Ready", message: "It runs." };
  expect(rollUp([fine, one, other])).toEqual({
    health: "Degraded",
    reason: "CrashLoopBackOff",
    message: "2 of 3: Container a crashes.",
  });
  expect(rollUp([fine, fine])).toMatchObject({ health: "Healthy", reason: "AllHealthy" });
  expect(rollUp([one])).toEqual(one);
});
