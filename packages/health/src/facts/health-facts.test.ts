import { expect, test } from "vitest";

import { judge } from "../judge.ts";
import { healthFacts } from "./health-facts.ts";

const canary = "hunter2-canary";

test("facts are a part of the object, under the names of Kubernetes", () => {
  const facts = healthFacts({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 4, ownerReferences: [{ kind: "Widget", controller: true }] },
    spec: { replicas: 2, template: { spec: { containers: [] } } },
    status: { replicas: 2, observedGeneration: 4, collisionCount: 1 },
  });
  expect(facts).toEqual({
    facts: 1,
    apiVersion: "apps/v1",
    kind: "Deployment",
    generation: 4,
    owner: "Widget",
    spec: { replicas: 2 },
    status: { replicas: 2, observedGeneration: 4 },
    statusFields: 3,
  });
});

test.each([
  [
    "data of a Secret",
    { apiVersion: "v1", kind: "Secret", data: { password: canary }, stringData: { a: canary } },
  ],
  [
    "the last applied configuration",
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": canary } },
    },
  ],
  [
    "values of the environment",
    {
      apiVersion: "v1",
      kind: "Pod",
      spec: { containers: [{ name: "a", env: [{ name: "PASSWORD", value: canary }], args: [canary] }] },
    },
  ],
  ["labels", { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: canary } } }],
  [
    "a spec that a custom resource repeats in its status",
    {
      apiVersion: "example.com/v1",
      kind: "Widget",
      spec: { password: canary, state: canary },
      status: {
        phase: "Ready",
        lastAppliedSpec: { env: [{ name: "state", status: canary }] },
        connectionSecret: { state: canary },
        observed: canary,
        items: [{ template: { phase: canary } }],
      },
    },
  ],
])("%s does not get into facts", (_name, object) => {
  expect(JSON.stringify(healthFacts(object))).not.toContain(canary);
});

test("long texts and lists are cut, and the number of items is told", () => {
  const facts = healthFacts({
    apiVersion: "example.com/v1",
    kind: "Widget",
    status: {
      conditions: Array.from({ length: 500 }, (_none, index) => ({
        type: `T${index}`,
        message: "x".repeat(9000),
      })),
      phase: "y".repeat(100_000),
    },
  });
  expect(facts.cut).toEqual({ "status.conditions": 500 });
  expect(JSON.stringify(facts).length).toBeLessThan(64 * 1024);
});

test("of many containers, those in trouble are kept", () => {
  const fine = Array.from({ length: 40 }, (_none, index) => ({
    name: `c${index}`,
    ready: true,
    state: { running: {} },
  }));
  const bad = { name: "bad", ready: false, state: { waiting: { reason: "ImagePullBackOff" } } };
  const facts = healthFacts({
    apiVersion: "v1",
    kind: "Pod",
    status: { phase: "Running", containerStatuses: [...fine, bad] },
  });
  expect(facts.cut).toEqual({ "status.containerStatuses": 41 });
  expect(judge(facts)).toMatchObject({ health: "Degraded", reason: "ImagePullBackOff" });
});

test("without an object it is missing; without a kind nothing is known", () => {
  expect(judge(healthFacts(undefined))).toMatchObject({ health: "Missing", reason: "NotFound" });
  expect(judge(healthFacts(null))).toMatchObject({ health: "Missing" });
  expect(judge(healthFacts({}))).toMatchObject({ health: "Unknown", reason: "NoKind" });
  expect(judge(undefined)).toMatchObject({ health: "Unknown", reason: "NoFacts" });
});

test("fields that a newer agent adds are ignored", () => {
  const facts = healthFacts({ apiVersion: "v1", kind: "Service", spec: { type: "ClusterIP" } });
  expect(judge({ ...facts, facts: 9, weather: "fine", spec: { ...facts.spec, moon: 1 } })).toEqual(
    judge(facts),
  );
});

test("a deletion that a reader of YAML has made a date of is one", () => {
  const metadata = { deletionTimestamp: new Date("2026-01-01T00:00:00Z") };
  expect(healthFacts({ apiVersion: "v1", kind: "Service", metadata }).deletion).toEqual({
    at: "2026-01-01T00:00:00.000Z",
    finalizers: [],
  });
});
