import { describe, expect, onTestFinished, test } from "vitest";

import { clientOf, ObservedCluster } from "../testing/observed-cluster.ts";
import { event, service } from "../testing/sample-objects.ts";

describe("what is kept and told", () => {
  test("no value of a Secret, an environment or a last-applied configuration leaves the agent", async () => {
    const cluster = await ObservedCluster.start();
    const canary = "CANARY-7f3a";
    const metadata = {
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${canary}"}`,
        note: canary,
      },
      labels: { note: canary },
    };
    const value = Buffer.from(canary).toString("base64");
    cluster.create(
      "secrets",
      { apiVersion: "v1", kind: "Secret", data: { password: value } },
      { name: "keys", ...metadata },
    );
    cluster.create("configmaps", { data: { password: canary } }, { name: "settings", ...metadata });
    const env = [{ name: "PASSWORD", value: canary }];
    cluster.create(
      "pods",
      {
        apiVersion: "v1",
        kind: "Pod",
        spec: { containers: [{ name: "a", image: "a:1", env, args: [canary] }] },
      },
      { name: "web-1", ...metadata },
    );
    cluster.setWorkload("shop", "/Secret default/keys", "/ConfigMap default/settings", "/Pod default/web-1");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toHaveLength(3);
    cluster.setWorkload("more", "/Secret default/other");
    cluster.create(
      "secrets",
      { apiVersion: "v1", kind: "Secret", data: { password: value } },
      { name: "other", ...metadata },
    );
    await expect.poll(() => seen.state).toHaveLength(4);
    const told = JSON.stringify(seen.items, (_, part: unknown) =>
      typeof part === "bigint" ? String(part) : part,
    );
    expect(told).not.toContain(canary);
    expect(told).not.toContain(value);
  });

  test("whoever may read metadata of Secrets only is not asked for more", async () => {
    const cluster = await ObservedCluster.start();
    const accepts: string[] = [];
    cluster.create("secrets", { apiVersion: "v1", kind: "Secret" }, { name: "keys" });
    cluster.setWorkload("shop", "/Secret default/keys");
    const client = await clientOf(cluster.sim);
    const { transport } = client;
    const request = transport.request.bind(transport);
    transport.request = (asked) => {
      if (asked.path.includes("/secrets")) accepts.push(asked.headers?.["accept"] ?? "");
      return request(asked);
    };
    onTestFinished(() => void (transport.request = request));
    const seen = cluster.observe({ client });
    await expect.poll(() => seen.state).toEqual(["Secret keys of shop"]);
    expect(accepts.length).toBeGreaterThan(0);
    for (const accept of accepts) expect(accept).toContain("PartialObjectMetadata");
  });

  test("an update that changes nothing of its health is not told again", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("services", service, { name: "a" });
    cluster.setWorkload("shop", "/Service default/a");
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    const labelled = { ...web, metadata: { ...web.metadata, labels: { a: "b" } } };
    cluster.sim.api.update("services", labelled);
    cluster.setWorkload("shop", "/Service default/a", "/Service default/b");
    cluster.create("services", service, { name: "b" });
    await expect.poll(() => seen.state).toHaveLength(2);
    expect(seen.objects.map(({ ref }) => ref?.name)).toEqual(["a", "b"]);
  });

  test("when there is no room, objects and events are read again as soon as there is", async () => {
    const cluster = await ObservedCluster.start();
    const names = Array.from({ length: 40 }, (_, index) => `s-${index}`);
    for (const name of names) {
      const { metadata } = cluster.create("services", service, { name });
      const about = { apiVersion: "v1", kind: "Service", namespace: "default", name, uid: metadata.uid };
      cluster.create("events", event("", { involvedObject: about }), { name });
    }
    cluster.setWorkload("shop", ...names.map((name) => `/Service default/${name}`));
    const seen = cluster.observe({ limits: { maxItems: 1000, maxBytes: 8_000 } });
    seen.isAway = true;
    await expect.poll(() => seen.observer.deferred).toBeGreaterThan(20);
    expect(seen.queue.bytes).toBeLessThanOrEqual(8_000);
    seen.back();
    await expect.poll(() => [seen.state.length, seen.events.length]).toEqual([40, 40]);
    await expect.poll(() => seen.isComplete).toBe(true);
    expect(seen.counts.dropped).toBe(0);
  });
});
