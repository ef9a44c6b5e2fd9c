import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { ApiClient, itemNames } from "./testing/api-client.ts";

let sim: Kubesim;
let client: ApiClient;

beforeEach(async () => {
  sim = await startKubesim({ tls: false, controllers: false, historyLimit: 50 });
  client = new ApiClient(sim);
});
afterEach(() => sim.stop());

const path = "/api/v1/namespaces/default/configmaps";

function addConfigMap(name: string, namespace = "default", labels: Record<string, string> = {}): void {
  sim.api.create("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels },
  });
}

describe("a list", () => {
  it("is in the order of the keys, across namespaces", async () => {
    for (const namespace of ["a-b", "a"]) {
      sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      addConfigMap("two", namespace);
      addConfigMap("one", namespace);
    }
    const answer = await client.get("/api/v1/configmaps");
    expect(answer.body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    // "a-b/" comes before "a/", because "-" comes before "/".
    expect(answer.at("items")).toMatchObject(
      ["a-b", "a-b", "a", "a"].map((namespace, index) => ({
        metadata: { namespace, name: index % 2 === 0 ? "one" : "two" },
      })),
    );
  });

  it("carries the revision of the whole store and items without their kind", async () => {
    addConfigMap("a");
    addConfigMap("b");
    sim.api.delete("configmaps", "default", "b");
    const answer = await client.get(path);
    expect(answer.at("metadata")).toEqual({ resourceVersion: String(sim.revision) });
    expect(answer.at("items")).toEqual([expect.not.objectContaining({ kind: "ConfigMap" })]);
  });

  it("comes in pages that all show the same moment", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) addConfigMap(name);
    const first = await client.get(`${path}?limit=2`);
    expect(itemNames(first)).toEqual(["a", "b"]);
    expect(first.at("metadata.remainingItemCount")).toBe(3);
    sim.api.delete("configmaps", "default", "d");
    addConfigMap("bb");
    addConfigMap("z");
    const second = await client.get(`${path}?limit=2&continue=${String(first.at("metadata.continue"))}`);
    expect(itemNames(second)).toEqual(["c", "d"]);
    expect(second.at("metadata.resourceVersion")).toBe(first.at("metadata.resourceVersion"));
    const third = await client.get(`${path}?limit=2&continue=${String(second.at("metadata.continue"))}`);
    expect(itemNames(third)).toEqual(["e"]);
    expect(third.at("metadata.continue")).toBeUndefined();
  });

  it("loses its snapshot by compaction, and says how to go on without it", async () => {
    for (const name of ["a", "b", "c"]) addConfigMap(name);
    const first = await client.get(`${path}?limit=1`);
    addConfigMap("bb");
    sim.faults.compact();
    const gone = await client.get(`${path}?limit=5&continue=${String(first.at("metadata.continue"))}`);
    expect([gone.status, gone.at("reason")]).toEqual([410, "Expired"]);
    const rest = await client.get(`${path}?limit=5&continue=${String(gone.at("metadata.continue"))}`);
    expect(itemNames(rest)).toEqual(["b", "bb", "c"]);
  });

  it("loses its snapshot when too much has changed since", async () => {
    for (const name of ["a", "b", "c"]) addConfigMap(name);
    const first = await client.get(`${path}?limit=1`);
    for (let index = 0; index < 100; index += 1) addConfigMap(`more-${index}`);
    const gone = await client.get(`${path}?limit=1&continue=${String(first.at("metadata.continue"))}`);
    expect(gone.status).toBe(410);
  });

  it("refuses a continue token that nobody gave out", async () => {
    const answer = await client.get(`${path}?limit=1&continue=nonsense`);
    expect([answer.status, answer.at("message")]).toEqual([
      400,
      "invalid continue token: continue key is not valid",
    ]);
  });
});

describe("resourceVersion of a list", () => {
  it("asks for an exact moment, with a match or with a limit", async () => {
    addConfigMap("a");
    const then = sim.revision;
    addConfigMap("b");
    const exact = await client.get(`${path}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect([itemNames(exact), exact.at("metadata.resourceVersion")]).toEqual([["a"], String(then)]);
    expect(itemNames(await client.get(`${path}?resourceVersion=${then}&limit=10`))).toEqual(["a"]);
    const newer = await client.get(`${path}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`);
    expect(itemNames(newer)).toEqual(["a", "b"]);
    expect(itemNames(await client.get(`${path}?resourceVersion=0`))).toEqual(["a", "b"]);
  });

  it("is gone after compaction, and not there yet in the future", async () => {
    addConfigMap("a");
    const then = sim.revision;
    addConfigMap("b");
    sim.faults.compact();
    const old = await client.get(`${path}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect([old.status, old.at("message")]).toEqual([
      410,
      "The resourceVersion for the provided list is too old.",
    ]);
    const future = await client.get(`${path}?resourceVersion=${sim.revision + 100}`);
    expect(future.body).toMatchObject({
      code: 504,
      reason: "Timeout",
      message: `Timeout: Too large resource version: ${sim.revision + 100}, current: ${sim.revision}`,
      details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
    });
    expect((await client.get(`${path}/a?resourceVersion=${sim.revision + 100}`)).status).toBe(504);
  });

  it.each([
    ["resourceVersionMatch=Exact", "resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    ["resourceVersion=1&resourceVersionMatch=Maybe", 'Unsupported value: "Maybe"'],
  ])("refuses %s", async (query, why) => {
    const answer = await client.get(`${path}?${query}`);
    expect([answer.status, answer.at("reason")]).toEqual([422, "Invalid"]);
    expect(answer.at("message")).toContain(why);
  });

  it("refuses what is not a number", async () => {
    expect((await client.get(`${path}?resourceVersion=abc`)).status).toBe(400);
  });
});

describe("selectors", () => {
  beforeEach(() => {
    addConfigMap("a", "default", { app: "web", tier: "front" });
    addConfigMap("b", "default", { app: "db" });
    addConfigMap("c", "default", {});
  });

  it.each([
    ["app=web", ["a"]],
    ["app==web", ["a"]],
    ["app!=web", ["b", "c"]],
    ["app in (web, db)", ["a", "b"]],
    ["app notin (web)", ["b", "c"]],
    ["app", ["a", "b"]],
    ["!app", ["c"]],
    ["app,tier=front", ["a"]],
    ["", ["a", "b", "c"]],
  ])("by labels: %s", async (selector, names) => {
    expect(itemNames(await client.get(`${path}?labelSelector=${encodeURIComponent(selector)}`))).toEqual(
      names,
    );
  });

  it.each(["app=(", "app in web", "=x", "a b"])("cannot read %s", async (selector) => {
    expect((await client.get(`${path}?labelSelector=${encodeURIComponent(selector)}`)).status).toBe(400);
  });

  it("leave the number of the rest unknown", async () => {
    const answer = await client.get(`${path}?limit=1&labelSelector=app`);
    expect(answer.at("metadata.continue")).toBeDefined();
    expect(answer.at("metadata.remainingItemCount")).toBeUndefined();
  });

  it("by fields that the kind offers", async () => {
    expect(itemNames(await client.get(`${path}?fieldSelector=metadata.name%3Db`))).toEqual(["b"]);
    expect(itemNames(await client.get(`${path}?fieldSelector=metadata.name!%3Db`))).toEqual(["a", "c"]);
    const unknown = await client.get(`${path}?fieldSelector=data.key%3Db`);
    expect([unknown.status, unknown.at("message")]).toEqual([
      400,
      `"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    ]);
  });

  it("by the node and phase of pods", async () => {
    for (const [name, nodeName] of [
      ["p1", "n1"],
      ["p2", "n2"],
    ]) {
      sim.api.create("pods", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: String(name), namespace: "default" },
        spec: { nodeName, containers: [{ name: "web", image: "web:1" }] },
      });
    }
    expect(itemNames(await client.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn2"))).toEqual(["p2"]);
    expect(
      itemNames(await client.get("/api/v1/pods?fieldSelector=status.phase%3DPending,spec.nodeName%3Dn1")),
    ).toEqual(["p1"]);
  });
});

describe("other shapes", () => {
  it("gives metadata alone", async () => {
    addConfigMap("a");
    const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    const answer = await client.get(path, { accept });
    expect(answer.body).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      items: [{ kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    });
    expect(answer.at("items")).toEqual([expect.not.objectContaining({ data: expect.anything() })]);
  });

  it("gives rows", async () => {
    sim.api.create("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
      data: { x: "1", y: "2" },
    });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const answer = await client.get(`${path}?includeObject=None`, { accept });
    expect(answer.body).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name", format: "name" }, { name: "Data" }, { name: "Age" }],
      rows: [{ cells: ["a", 2, expect.stringMatching(/^\d+s$/)], object: null }],
    });
    const single = await client.get(`${path}/a`, { accept });
    expect(single.at("rows")).toMatchObject([{ object: { kind: "PartialObjectMetadata" } }]);
  });

  it("answers JSON to those who would like protobuf first, and 406 to those who take nothing else", async () => {
    const first = await client.get(path, { accept: "application/vnd.kubernetes.protobuf,application/json" });
    expect(first.status).toBe(200);
    const only = await client.get(path, { accept: "application/vnd.kubernetes.protobuf" });
    expect([only.status, only.at("reason")]).toEqual([406, "NotAcceptable"]);
  });
});
