import { afterEach, expect, test, vi } from "vitest";

import { isScalable, readReplicas, scaleObject, wantedReplicas } from "./scale.ts";

const place = {
  cluster: "edge",
  group: "apps",
  version: "v1",
  resource: "deployments",
  namespace: "shop",
  name: "web",
};

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers with a Scale; returns what was asked. */
function answerScale(spec: unknown): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string, { method, body, headers }: RequestInit & { body: string }) => {
    asked.push(`${method} ${path}`, new Headers(headers).get("content-type") ?? "", body);
    return new Response(JSON.stringify({ kind: "Scale", apiVersion: "autoscaling/v1", spec }));
  });
  return asked;
}

test("the number of replicas is set by a merge patch of the scale, as kubectl scale does", async () => {
  const asked = answerScale({ replicas: 3 });
  expect(await scaleObject(place, 3)).toBe(3);
  expect(asked).toEqual([
    "PATCH /clusters/edge/apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=bowline-console",
    "application/merge-patch+json",
    '{"spec":{"replicas":3}}',
  ]);
});

test("a scale that says nothing is one of zero", async () => {
  answerScale({});
  expect(await scaleObject(place, 0)).toBe(0);
});

test("what wants replicas says how many; without a word it is one", () => {
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
  expect(wantedReplicas({ ...object, spec: { replicas: 0 } })).toBe(0);
  expect(wantedReplicas({ ...object, spec: { replicas: "<b>" } })).toBe(1);
  expect(wantedReplicas(object)).toBe(1);
});

test("only kinds that keep pods are scaled", () => {
  for (const resource of ["deployments", "statefulsets", "replicasets"])
    expect(isScalable({ group: "apps", resource })).toBe(true);
  expect(isScalable({ group: "apps", resource: "daemonsets" })).toBe(false);
  expect(isScalable({ group: "example.test", resource: "deployments" })).toBe(false);
});

test("only whole numbers that somebody can mean are taken", () => {
  expect(["0", " 7 ", "10000"].map(readReplicas)).toEqual([0, 7, 10_000]);
  for (const typed of ["", "-1", "1.5", "1e3", "many", "10001", "99999999999999999999"])
    expect(readReplicas(typed)).toBeUndefined();
});
