import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ApiClient } from "../api/testing/api-client.ts";
import { startKubesim, type Kubesim } from "../kubesim.ts";

let sim: Kubesim;

beforeEach(async () => {
  sim = await startKubesim({ tls: false });
});
afterEach(() => sim.stop());

const claim = (): unknown => sim.api.get("persistentvolumeclaims", "default", "data");

describe("storage in use", () => {
  beforeEach(async () => {
    await new ApiClient(sim).post("/api/v1/namespaces/default/persistentvolumeclaims", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  });

  it("stays until no pod mounts it", async () => {
    sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "user", namespace: "default" },
      spec: {
        containers: [{ name: "c", image: "i:1" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
    sim.api.delete("persistentvolumeclaims", "default", "data");
    await new Promise((resolve) => {
      setImmediate(() => setImmediate(resolve));
    });
    expect(claim()).toMatchObject({ metadata: { finalizers: ["kubernetes.io/pvc-protection"] } });
    sim.api.delete("pods", "default", "user");
    await expect.poll(claim).toBeUndefined();
  });

  it("goes at once where nothing uses it", async () => {
    sim.api.delete("persistentvolumeclaims", "default", "data");
    await expect.poll(claim).toBeUndefined();
  });
});
