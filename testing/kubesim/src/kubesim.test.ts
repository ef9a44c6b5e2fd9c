import { afterEach, describe, expect, it } from "vitest";

import { ApiClient } from "./api/testing/api-client.ts";
import { startKubesim, type Kubesim } from "./kubesim.ts";

const running: Kubesim[] = [];

async function start(options: Parameters<typeof startKubesim>[0]): Promise<Kubesim> {
  const sim = await startKubesim(options);
  running.push(sim);
  return sim;
}

afterEach(async () => {
  for (const sim of running.splice(0)) await sim.stop();
});

describe("a simulated cluster", () => {
  it("brings a Deployment to life", async () => {
    const sim = await start({ tls: false, nodes: 2, kubelet: { startDelayMs: 1 } });
    const client = new ApiClient(sim);
    await client.post("/apis/apps/v1/namespaces/default/deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "c", image: "i:1" }] },
        },
      },
    });
    const deployment = "/apis/apps/v1/namespaces/default/deployments/web";
    await expect.poll(async () => (await client.get(deployment)).at("status.readyReplicas")).toBe(3);
    const [pod] = [...sim.api.list("pods", "default")];
    const log = await client.get(`/api/v1/namespaces/default/pods/${pod?.metadata.name ?? ""}/log`);
    expect([log.status, log.body]).toEqual([200, expect.stringContaining("\n")]);
    await client.delete(deployment);
    await expect.poll(() => [...sim.api.list("pods", "default")].length).toBe(0);
  });

  it("leaves nothing open when it stops", async () => {
    const sim = await startKubesim({ tls: false, nodes: 1 });
    const client = new ApiClient(sim);
    const reader = await client.watch("/api/v1/pods?watch=1");
    expect([sim.openWatches, sim.openConnections > 0]).toEqual([1, true]);
    await sim.stop();
    await expect(reader.next()).rejects.toThrow("terminated");
    expect([sim.openWatches, sim.openConnections]).toEqual([0, 0]);
    await expect(client.get("/healthz")).rejects.toThrow("fetch failed");
  });

  describe("whose controller trips over an object", () => {
    /** Only an update in process gets past every check. */
    function breakTemplate(sim: Kubesim): void {
      const name = "web";
      const labels = { app: name };
      const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } };
      const web = sim.api.create("deployments.apps", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, namespace: "default" },
        spec: { selector: { matchLabels: labels }, template },
      });
      sim.api.update("deployments.apps", { ...web, spec: {} });
    }

    it("says so to who waits for it", async () => {
      const sim = await startKubesim({ tls: false });
      breakTemplate(sim);
      await expect(sim.settled()).rejects.toMatchObject({
        name: "ControllerError",
        queue: "deployment",
        key: "default/web",
        cause: expect.any(TypeError),
      });
      await sim.stop();
      expect(sim.openConnections).toBe(0);
    });

    it("says so at the end where nobody waited", async () => {
      const sim = await startKubesim({ tls: false });
      breakTemplate(sim);
      await new Promise((resolve) => setImmediate(resolve));
      await expect(sim.stop()).rejects.toThrow('failed on "default/web"');
    });

    it("tells whoever asked, and nobody else", async () => {
      const told: string[] = [];
      const sim = await start({ tls: false, onError: ({ queue, key }) => told.push(`${queue} ${key}`) });
      breakTemplate(sim);
      await sim.settled();
      expect(told).toContain("deployment default/web");
    });
  });

  it("says when its port is taken, and leaves nothing behind", async () => {
    const first = await start({ tls: false, controllers: false });
    const port = Number(new URL(first.url).port);
    await expect(startKubesim({ tls: false, port })).rejects.toThrow(/EADDRINUSE/);
  });

  it("refuses a version that is none", async () => {
    await expect(startKubesim({ version: "latest" })).rejects.toThrow(/not a Kubernetes version/);
  });

  it("can be many at once, each with its own authority and users", async () => {
    const [one, two] = await Promise.all([start({ controllers: false }), start({ controllers: false })]);
    expect(one?.caCert).not.toBe(two?.caCert);
    expect(one?.adminToken).not.toBe(two?.adminToken);
  });
});
