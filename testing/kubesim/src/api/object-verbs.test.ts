import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { ApiClient } from "./testing/api-client.ts";

let sim: Kubesim;
let client: ApiClient;
let count = 0;
let namespace: string;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  client = new ApiClient(sim);
});
afterAll(() => sim.stop());
beforeEach(() => {
  count += 1;
  namespace = `test-${count}`;
  sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

const configMaps = (): string => `/api/v1/namespaces/${namespace}/configmaps`;
const configMap = (name: string, data: Record<string, string> = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

describe("create", () => {
  it("fills in what the server owns", async () => {
    const answer = await client.post(configMaps(), configMap("a", { key: "value" }));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        namespace,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: String(sim.revision),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      data: { key: "value" },
    });
  });

  it("refuses a second object of the same name", async () => {
    await client.post(configMaps(), configMap("a"));
    const answer = await client.post(configMaps(), configMap("a"));
    expect(answer.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "a" already exists',
      reason: "AlreadyExists",
      details: { name: "a", kind: "configmaps" },
      code: 409,
    });
  });

  it("makes up names that begin as asked", async () => {
    const answer = await client.post(configMaps(), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { generateName: "job-" },
    });
    expect(answer.at("metadata.name")).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it("names the rule that a bad name breaks", async () => {
    const answer = await client.post(configMaps(), configMap("Not_Valid"));
    expect(answer.status).toBe(422);
    expect(answer.at("reason")).toBe("Invalid");
    expect(answer.at("details.causes")).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "metadata.name",
        message: expect.stringContaining("a lowercase RFC 1123 subdomain must consist of"),
      },
    ]);
  });

  it("needs the namespace", async () => {
    const answer = await client.post("/api/v1/namespaces/nowhere/configmaps", configMap("a"));
    expect([answer.status, answer.at("message")]).toEqual([404, 'namespaces "nowhere" not found']);
  });

  it("refuses a body of another kind, version or namespace", async () => {
    const kind = await client.post(configMaps(), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a" },
    });
    expect(kind.at("message")).toMatch(/^Secret in version "v1" cannot be handled as a ConfigMap/);
    const version = await client.post(configMaps(), { ...configMap("a"), apiVersion: "v2" });
    expect(version.at("message")).toBe(
      "the API version in the data (v2) does not match the expected API version (v1)",
    );
    const place = await client.post(configMaps(), {
      ...configMap("a"),
      metadata: { name: "a", namespace: "other" },
    });
    expect(place.at("message")).toBe(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
    expect([kind.status, version.status, place.status]).toEqual([400, 400, 400]);
  });

  it("answers bad JSON with 400 and too much of it with 413", async () => {
    const bad = await client.post(configMaps(), "{not json");
    expect([bad.status, bad.at("reason")]).toEqual([400, "BadRequest"]);
    const large = await client.post(configMaps(), configMap("a", { key: "x".repeat(3 * 1024 * 1024) }));
    expect([large.status, large.at("reason")]).toEqual([413, "RequestEntityTooLarge"]);
  });

  it("takes YAML, and says what else it takes", async () => {
    const yaml = await client.post(configMaps(), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n", {
      contentType: "application/yaml",
    });
    expect(yaml.status).toBe(201);
    const other = await client.post(configMaps(), "x", { contentType: "text/plain" });
    expect([other.status, other.at("reason")]).toEqual([415, "UnsupportedMediaType"]);
  });

  it("changes nothing in a dry run", async () => {
    const before = sim.revision;
    const answer = await client.post(`${configMaps()}?dryRun=All`, configMap("a"));
    expect([answer.status, sim.revision]).toEqual([201, before]);
    expect((await client.get(`${configMaps()}/a`)).status).toBe(404);
  });

  it("drops fields that the kind does not have and fills in its defaults", async () => {
    const answer = await client.post(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        nonsense: 1,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "c", image: "nginx" }] },
        },
      },
    });
    expect(answer.at("spec.nonsense")).toBeUndefined();
    expect(answer.body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
        template: {
          spec: {
            restartPolicy: "Always",
            containers: [{ imagePullPolicy: "Always", terminationMessagePath: "/dev/termination-log" }],
          },
        },
      },
      status: {},
    });
  });
});

describe("update", () => {
  it("needs the version that was read", async () => {
    const created = await client.post(configMaps(), configMap("a"));
    const version = String(created.at("metadata.resourceVersion"));
    const next = { ...configMap("a", { n: "1" }), metadata: { name: "a", resourceVersion: version } };
    expect((await client.put(`${configMaps()}/a`, next)).status).toBe(200);
    const late = await client.put(`${configMaps()}/a`, { ...next, data: { n: "2" } });
    expect([late.status, late.at("reason"), late.at("message")]).toEqual([
      409,
      "Conflict",
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
  });

  it("overwrites without a version where the kind allows it, and creates only some kinds", async () => {
    await client.post(configMaps(), configMap("a"));
    expect((await client.put(`${configMaps()}/a`, configMap("a", { n: "1" }))).status).toBe(200);
    expect((await client.put(`${configMaps()}/b`, configMap("b"))).status).toBe(404);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" } };
    expect((await client.put(`${leases}/l`, lease)).status).toBe(201);
    const blind = await client.put(`${leases}/l`, lease);
    expect([blind.status, blind.at("message")]).toEqual([
      422,
      'Lease.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ]);
  });

  it("writes nothing where nothing changes", async () => {
    await client.post(configMaps(), configMap("a", { n: "1" }));
    const before = sim.revision;
    const answer = await client.put(`${configMaps()}/a`, configMap("a", { n: "1" }));
    expect([answer.status, sim.revision]).toEqual([200, before]);
  });

  it("checks names and uids", async () => {
    await client.post(configMaps(), configMap("a"));
    const other = await client.put(`${configMaps()}/a`, configMap("b"));
    expect(other.at("message")).toBe("the name of the object (b) does not match the name on the URL (a)");
    const uid = await client.put(`${configMaps()}/a`, {
      ...configMap("a"),
      metadata: { name: "a", uid: "x" },
    });
    expect([uid.status, uid.at("reason")]).toEqual([409, "Conflict"]);
  });

  it("counts generations by the spec alone", async () => {
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await client.post(deployments, deployment());
    const labelled = await client.patch(`${deployments}/web`, "merge", { metadata: { labels: { a: "b" } } });
    expect(labelled.at("metadata.generation")).toBe(1);
    const scaled = await client.patch(`${deployments}/web`, "merge", { spec: { replicas: 3 } });
    expect(scaled.at("metadata.generation")).toBe(2);
    const status = await client.patch(`${deployments}/web/status`, "merge", {
      spec: { replicas: 9 },
      status: { replicas: 3 },
    });
    expect([
      status.at("metadata.generation"),
      status.at("spec.replicas"),
      status.at("status.replicas"),
    ]).toEqual([2, 3, 3]);
  });

  it("keeps status out of reach of plain updates", async () => {
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await client.post(deployments, deployment());
    const answer = await client.patch(`${deployments}/web`, "merge", { status: { replicas: 7 } });
    expect(answer.at("status.replicas")).toBeUndefined();
  });

  it("refuses to change a selector", async () => {
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await client.post(deployments, deployment());
    const answer = await client.patch(`${deployments}/web`, "json", [
      { op: "replace", path: "/spec/selector/matchLabels", value: { app: "other" } },
      { op: "replace", path: "/spec/template/metadata/labels", value: { app: "other" } },
    ]);
    expect(answer.status).toBe(422);
    expect(answer.at("message")).toContain("spec.selector: Invalid value");
    expect(answer.at("message")).toContain("field is immutable");
  });

  it("records who owns which field", async () => {
    await client.post(`${configMaps()}?fieldManager=creator`, configMap("a", { n: "1" }));
    const answer = await client.patch(`${configMaps()}/a?fieldManager=editor`, "merge", { data: { n: "2" } });
    expect(answer.at("metadata.managedFields")).toEqual([
      expect.objectContaining({ manager: "creator", operation: "Update" }),
      expect.objectContaining({
        manager: "editor",
        operation: "Update",
        fieldsV1: { "f:data": { "f:n": {} } },
      }),
    ]);
  });
});

describe("server-side apply", () => {
  it("creates, then conflicts with another owner unless forced", async () => {
    const path = `${configMaps()}/a`;
    const applied = (n: string): string => JSON.stringify(configMap("a", { n }));
    expect((await client.patch(`${path}?fieldManager=one`, "apply", applied("1"))).status).toBe(201);
    const refused = await client.patch(`${path}?fieldManager=two`, "apply", applied("2"));
    expect([refused.status, refused.at("reason")]).toEqual([409, "Conflict"]);
    expect(refused.at("details.causes")).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.n" },
    ]);
    const forced = await client.patch(`${path}?fieldManager=two&force=true`, "apply", applied("2"));
    expect(forced.at("data.n")).toBe("2");
  });

  it("writes nothing when the same is applied again", async () => {
    const path = `${configMaps()}/a?fieldManager=one`;
    await client.patch(path, "apply", JSON.stringify(configMap("a", { n: "1" })));
    const before = sim.revision;
    await client.patch(path, "apply", JSON.stringify(configMap("a", { n: "1" })));
    expect(sim.revision).toBe(before);
  });

  it("needs a field manager", async () => {
    const answer = await client.patch(`${configMaps()}/a`, "apply", JSON.stringify(configMap("a")));
    expect([answer.status, answer.at("message")]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ]);
  });
});

describe("delete", () => {
  it("says what is gone", async () => {
    const created = await client.post(configMaps(), configMap("a"));
    const answer = await client.delete(`${configMaps()}/a`);
    expect(answer.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: created.at("metadata.uid") },
    });
    expect((await client.delete(`${configMaps()}/a`)).status).toBe(404);
  });

  it("waits for finalizers", async () => {
    await client.post(configMaps(), {
      ...configMap("a"),
      metadata: { name: "a", finalizers: ["example.com/hold"] },
    });
    const deleted = await client.delete(`${configMaps()}/a`);
    expect(deleted.at("metadata.deletionTimestamp")).toBeDefined();
    expect(deleted.at("metadata.deletionGracePeriodSeconds")).toBe(0);
    const more = await client.patch(`${configMaps()}/a`, "merge", {
      metadata: { finalizers: ["example.com/hold", "example.com/more"] },
    });
    expect(more.status).toBe(422);
    expect(more.at("message")).toContain("no new finalizers can be added if the object is being deleted");
    await client.patch(`${configMaps()}/a`, "merge", { metadata: { finalizers: null } });
    expect((await client.get(`${configMaps()}/a`)).status).toBe(404);
  });

  it("checks preconditions", async () => {
    await client.post(configMaps(), configMap("a"));
    const answer = await client.delete(`${configMaps()}/a`, { preconditions: { uid: "other" } });
    expect([answer.status, answer.at("reason")]).toEqual([409, "Conflict"]);
    expect(answer.at("message")).toContain(
      "the UID in the precondition (other) does not match the UID in record",
    );
  });

  it("leaves a pod on a node to its kubelet", async () => {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const pod = (name: string, nodeName?: string): object => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { ...(nodeName ? { nodeName } : {}), containers: [{ name: "c", image: "i:1" }] },
    });
    await client.post(pods, pod("free"));
    await client.post(pods, pod("bound", "node-1"));
    await client.delete(`${pods}/free`);
    expect((await client.get(`${pods}/free`)).status).toBe(404);
    const first = await client.delete(`${pods}/bound`);
    expect(first.at("metadata.deletionGracePeriodSeconds")).toBe(30);
    const shorter = await client.delete(`${pods}/bound`, { gracePeriodSeconds: 5 });
    expect(shorter.at("metadata.deletionGracePeriodSeconds")).toBe(5);
    await client.delete(`${pods}/bound`, { gracePeriodSeconds: 0 });
    expect((await client.get(`${pods}/bound`)).status).toBe(404);
  });

  it("deletes a collection by labels", async () => {
    for (const [name, app] of [
      ["a", "x"],
      ["b", "y"],
      ["c", "x"],
    ]) {
      await client.post(configMaps(), { ...configMap(String(name)), metadata: { name, labels: { app } } });
    }
    await client.delete(`${configMaps()}?labelSelector=app%3Dx`);
    const left = await client.get(configMaps());
    expect(left.at("items")).toHaveLength(1);
  });
});

function deployment(): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i:1" }] } },
    },
  };
}
