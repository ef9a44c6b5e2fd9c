import { asRecord } from "@bowline/core";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "./builtin.ts";
import type { JsonObject } from "./json-value.ts";
import { prune } from "./prune.ts";

function pruned(group: string, kind: string, object: JsonObject): JsonObject {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return prune(object, schema);
}

describe("pruning a built-in object", () => {
  it("drops fields the type does not have, at any depth, silently", () => {
    const spec = {
      replicas: 1,
      bogus: 1,
      template: { spec: { containers: [{ name: "a", bogus: { x: 1 } }] } },
    };
    expect(pruned("apps", "Deployment", { metadata: {}, spec, more: 1 })).toMatchObject({
      spec: { replicas: 1, template: { spec: { containers: [{ name: "a" }] } } },
    });
    expect(JSON.stringify(pruned("apps", "Deployment", { metadata: {}, spec, more: 1 }))).not.toMatch(
      /bogus|more/,
    );
  });

  it("keeps keys of maps and JSON of any shape", () => {
    expect(pruned("", "ConfigMap", { data: { anything: "1" } })).toMatchObject({ data: { anything: "1" } });
    const revision = { metadata: {}, revision: 1, data: { spec: { any: [1, null] } } };
    expect(pruned("apps", "ControllerRevision", revision)).toEqual(revision);
  });

  it("counts nulls and empty values as missing, but not where zero means something", () => {
    const spec = { replicas: 0, minReadySeconds: 0, paused: false, progressDeadlineSeconds: null };
    const { spec: kept } = pruned("apps", "Deployment", { metadata: { labels: {}, finalizers: [] }, spec });
    expect(kept).toMatchObject({ replicas: 0 });
    expect(Object.keys(asRecord(kept))).not.toContain("paused");
    expect(Object.keys(asRecord(kept))).not.toContain("minReadySeconds");
    expect(pruned("", "ConfigMap", { metadata: { name: "c", labels: {} } })["metadata"]).toEqual({
      name: "c",
    });
  });

  it("writes out the parts that every object of the type has", () => {
    const deployment = pruned("apps", "Deployment", { metadata: { name: "d" } });
    expect(deployment).toEqual({
      metadata: { name: "d" },
      spec: { strategy: {}, template: { metadata: {}, spec: {} } },
      status: {},
    });
    expect(pruned("apps", "ReplicaSet", { metadata: {} })["status"]).toEqual({ replicas: 0 });
    const pod = pruned("", "Pod", { metadata: {}, spec: { containers: [{ name: "a" }] } });
    expect(pod["spec"]).toEqual({ containers: [{ name: "a", resources: {} }] });
  });

  it("shows times and lists that a type cannot leave out, if only as null", () => {
    expect(pruned("", "Event", { firstTimestamp: null, count: 1 })).toMatchObject({
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      count: 1,
    });
    const role = (rules: unknown): JsonObject => pruned("rbac.authorization.k8s.io", "Role", { rules });
    expect(role([])).toMatchObject({ rules: null });
    expect(role([{ verbs: ["get"] }])).toMatchObject({ rules: [{ verbs: ["get"] }] });
  });

  it("changes nothing the second time", () => {
    const spec = {
      containers: [{ name: "a", ports: [{ containerPort: 80 }] }],
      volumes: [{ name: "v", emptyDir: {} }],
    };
    const once = pruned("", "Pod", { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec });
    expect(pruned("", "Pod", once)).toEqual(once);
  });

  it("is not fooled by names that every object inherits", () => {
    const hostile = JSON.parse(
      '{"metadata": {"labels": {"constructor": "1"}}, "__proto__": {"x": 1}, "constructor": 1}',
    );
    expect(pruned("", "ConfigMap", hostile)).toEqual({ metadata: { labels: { constructor: "1" } } });
  });
});
