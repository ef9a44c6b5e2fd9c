import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ApiClient, type ApiAnswer } from "../api/testing/api-client.ts";
import { startKubesim, type Kubesim } from "../kubesim.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { protobufType } from "./protobuf-object.ts";
import { encodeEnvelope, encodeObject } from "./testing/encode-object.ts";

let sim: Kubesim;
let client: ApiClient;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  client = new ApiClient(sim);
});

afterAll(() => sim.stop());

function send(method: string, path: string, object: JsonRecord): Promise<ApiAnswer> {
  return client.send(method, path, encodeObject(object), { contentType: protobufType });
}

const configMaps = "/api/v1/namespaces/default/configmaps";

function configMap(name: string, data: Record<string, string> = {}): JsonRecord {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

describe("requests in protobuf", () => {
  it("create and replace, and are answered in JSON", async () => {
    const created = await send("POST", configMaps, configMap("a", { key: "1" }));
    expect([created.status, created.headers.get("content-type")]).toEqual([201, "application/json"]);
    expect(created.at("data")).toEqual({ key: "1" });
    const replaced = await send("PUT", `${configMaps}/a`, configMap("a", { key: "2" }));
    expect([replaced.status, replaced.at("data")]).toEqual([200, { key: "2" }]);
  });

  it("scale, evict, bind and delete", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "c", image: "i:1" }];
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } };
    expect((await send("POST", pods, pod)).status).toBe(201);
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { name: "n" } };
    expect((await send("POST", `${pods}/p/binding`, binding)).status).toBe(201);
    expect((await client.get(`${pods}/p`)).at("spec.nodeName")).toBe("n");
    const deleteOptions = { gracePeriodSeconds: 0 };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, deleteOptions };
    expect((await send("POST", `${pods}/p/eviction`, eviction)).status).toBe(201);
    expect((await client.get(`${pods}/p`)).status).toBe(404);
  });

  it("carry the conditions of a deletion", async () => {
    await client.post(configMaps, configMap("kept"));
    const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "another" } };
    expect((await send("DELETE", `${configMaps}/kept`, options)).status).toBe(409);
    const dry = { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"] };
    expect((await send("DELETE", `${configMaps}/kept`, dry)).status).toBe(200);
    expect((await client.get(`${configMaps}/kept`)).status).toBe(200);
  });

  it("set replicas to zero", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "i:1" }] },
    };
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
    await send("POST", deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec,
    });
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: {} };
    const scaled = await send("PUT", `${deployments}/web/scale`, scale);
    expect([scaled.status, scaled.at("spec.replicas")]).toEqual([200, 0]);
    expect((await client.get(`${deployments}/web`)).at("spec.replicas")).toBe(0);
  });

  it("are refused as JSON would be: another kind, another version, a rule broken", async () => {
    const kind = await send("POST", configMaps, { ...configMap("b"), kind: "Secret" });
    expect([kind.status, kind.at("message")]).toEqual([400, expect.stringContaining("Secret")]);
    const invalid = await send("POST", configMaps, configMap("B"));
    expect([invalid.status, invalid.at("reason")]).toEqual([422, "Invalid"]);
    const broken = await client.send("POST", configMaps, "{}", { contentType: protobufType });
    expect([broken.status, broken.at("reason")]).toEqual([400, "BadRequest"]);
  });

  it("do not exist for custom kinds, nor for patches", async () => {
    const names = { apiVersion: "example.com/v1", kind: "Widget" };
    const custom = await client.send("POST", configMaps, encodeEnvelope(names, Buffer.alloc(0)), {
      contentType: protobufType,
    });
    expect([custom.status, custom.at("message")]).toEqual([415, expect.not.stringContaining("protobuf")]);
    const patch = await send("PATCH", `${configMaps}/a`, configMap("a"));
    expect(patch.status).toBe(415);
  });

  it("are answered with 406 where the client takes nothing but protobuf", async () => {
    const answer = await client.send("POST", configMaps, encodeObject(configMap("c")), {
      contentType: protobufType,
      accept: protobufType,
    });
    expect(answer.status).toBe(406);
    expect((await client.get(`${configMaps}/c`)).status).toBe(404);
  });
});
