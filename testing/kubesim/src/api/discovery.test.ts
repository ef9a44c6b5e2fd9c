import { isRecord } from "@bowline/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { compareVersions } from "./discovery.ts";
import { ApiClient, type ApiAnswer } from "./testing/api-client.ts";

let sim: Kubesim;
let old: Kubesim;
let client: ApiClient;
let oldClient: ApiClient;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  old = await startKubesim({ tls: false, controllers: false, version: "v1.20.2" });
  client = new ApiClient(sim);
  oldClient = new ApiClient(old);
});
afterAll(() => Promise.all([sim.stop(), old.stop()]));

function names(answer: ApiAnswer, field: string): unknown[] {
  const list = answer.at(field);
  return Array.isArray(list) ? list.map((each: unknown) => (isRecord(each) ? each["name"] : each)) : [];
}

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

describe("discovery", () => {
  it("says which version it is", async () => {
    expect((await client.get("/version")).body).toMatchObject({
      major: "1",
      minor: "36",
      gitVersion: "v1.36.4",
    });
    expect((await oldClient.get("/version")).body).toMatchObject({ minor: "20", gitVersion: "v1.20.2" });
  });

  it("lists groups and resources", async () => {
    expect((await client.get("/api")).body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect(names(await client.get("/apis"), "groups")).toEqual(
      expect.arrayContaining(["apps", "batch", "autoscaling", "rbac.authorization.k8s.io", "events.k8s.io"]),
    );
    expect((await client.get("/apis/autoscaling")).body).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { groupVersion: "autoscaling/v2" },
    });
    const core = await client.get("/api/v1");
    expect(names(core, "resources")).toEqual(
      expect.arrayContaining(["pods", "pods/log", "pods/status", "pods/eviction", "serviceaccounts/token"]),
    );
    expect(core.at("resources")).toContainEqual(
      expect.objectContaining({
        name: "pods",
        kind: "Pod",
        shortNames: ["po"],
        categories: ["all"],
        namespaced: true,
      }),
    );
    expect((await client.get("/apis/apps/v2")).status).toBe(404);
  });

  it("fits into one document for those who ask", async () => {
    const answer = await client.get("/apis", { accept: aggregated });
    expect(answer.body).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
    });
    expect(answer.headers.get("content-type")).toContain("as=APIGroupDiscoveryList");
    expect(answer.at("items")).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ name: "batch" }),
        versions: [
          expect.objectContaining({
            version: "v1",
            resources: expect.arrayContaining([
              expect.objectContaining({
                resource: "jobs",
                scope: "Namespaced",
                responseKind: { group: "batch", version: "v1", kind: "Job" },
              }),
            ]),
          }),
        ],
      }),
    );
    expect((await client.get("/api", { accept: aggregated })).at("items")).toHaveLength(1);
  });

  it("has only what its version had", async () => {
    expect((await oldClient.get("/apis", { accept: aggregated })).at("kind")).toBe("APIGroupList");
    expect((await oldClient.get("/apis/batch/v1")).at("resources")).not.toContainEqual(
      expect.objectContaining({ name: "cronjobs" }),
    );
    expect(names(await oldClient.get("/apis/batch/v1beta1"), "resources")).toContain("cronjobs");
    expect((await client.get("/apis/batch/v1beta1")).status).toBe(404);
    expect((await oldClient.get("/apis/policy/v1")).status).toBe(404);
    expect((await oldClient.get("/apis/policy/v1beta1")).status).toBe(200);
  });

  it("prefers stable and newer versions", () => {
    const versions = ["v1beta1", "v2alpha1", "v10", "v2", "v1", "v1beta2", "foo"];
    expect(versions.toSorted((a, b) => compareVersions(b, a))).toEqual([
      "v10",
      "v2",
      "v1",
      "v1beta2",
      "v1beta1",
      "v2alpha1",
      "foo",
    ]);
  });

  it("describes its kinds in OpenAPI", async () => {
    expect((await client.get("/openapi/v2")).at("definitions")).toHaveProperty(["io.k8s.api.core.v1.Pod"]);
    const index = await client.get("/openapi/v3");
    expect(index.at("paths")).toHaveProperty(["apis/apps/v1"]);
    expect((await client.get("/openapi/v3/apis/apps/v1")).at("openapi")).toBe("3.0.0");
    expect((await oldClient.get("/openapi/v3")).status).toBe(404);
  });

  it("is healthy", async () => {
    expect((await client.get("/readyz")).body).toBe("ok");
    expect((await client.get("/livez?verbose")).body).toContain("livez check passed");
  });
});
