import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { readPath, readRecord } from "./json-value.ts";
import type { SimObject } from "./sim-api.ts";

let sim: Kubesim;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
});
afterAll(() => sim.stop());

describe("an object that is created in process", () => {
  it.each([
    ["configmaps", { apiVersion: "v1", kind: "ConfigMap", data: { a: 1 } }, "number into field data"],
    ["deployments.apps", { apiVersion: "apps/v1", kind: "Deployment" }, "spec.selector: Required value"],
    ["pods", { apiVersion: "v1", kind: "Pod", spec: {} }, "spec.containers: Required value"],
    [
      "services",
      { apiVersion: "v1", kind: "Service", spec: { ports: "80" } },
      "string into field spec.ports",
    ],
  ])("is refused where a request would be: %s", (resource, object, why) => {
    const metadata = { name: "a", namespace: "default" };
    expect(() => sim.api.create(resource, { ...object, metadata })).toThrow(why);
    expect(sim.api.get(resource, "default", "a")).toBeUndefined();
  });

  it("has the form that a request would have given it", () => {
    const event = sim.api.create("events", {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "a", namespace: "default" },
      involvedObject: { namespace: "default" },
      nonsense: true,
    });
    expect(event).toMatchObject({ eventTime: null, firstTimestamp: null, lastTimestamp: null, source: {} });
    expect(event).not.toHaveProperty("nonsense");
  });
});

describe("a write of the status", () => {
  const containers = [{ name: "web", image: "web:1", resources: { limits: { cpu: "1" } } }];
  const create = (name: string): SimObject =>
    sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: { containers },
    });

  it("leaves the spec as it is, not a copy of it", () => {
    const before = create("shared");
    const bound = sim.api.update("pods", {
      ...before,
      spec: { ...readRecord(before, "spec"), nodeName: "node-1" },
    });
    const after = sim.api.updateStatus("pods", { ...bound, status: { phase: "Running" } });
    expect(after["spec"]).toBe(bound["spec"]);
    expect(readPath(after, "spec.containers")).toBe(readPath(before, "spec.containers"));
  });

  it("completes the status", () => {
    const node = sim.api.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } });
    const status = { capacity: { cpu: "4" } };
    expect(sim.api.updateStatus("nodes", { ...node, status })).toMatchObject({
      status: { capacity: { cpu: "4" }, allocatable: { cpu: "4" } },
    });
  });
});
