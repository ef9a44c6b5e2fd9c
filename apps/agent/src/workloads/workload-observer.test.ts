import { describe, expect, test } from "vitest";

import { MovingClock } from "../testing/moving-clock.ts";
import { ObservedCluster } from "../testing/observed-cluster.ts";
import { service, widgetBody, widgets } from "../testing/sample-objects.ts";

describe("watches", () => {
  test("a hundred updates of a Workload that change nothing leave them as they are", async () => {
    const cluster = await ObservedCluster.start();
    cluster.create("services", service, { name: "a" });
    const workload = cluster.setWorkload("shop", "/Service default/a", "apps/Deployment default/web");
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    await expect.poll(() => cluster.sim.openWatches).toBe(6);
    const [before, told] = [seen.observer.watches(), seen.items.length];
    const asked = cluster.sim.faults.slowRequests({ verb: ["list", "watch"], delayMs: 0 });
    for (let count = 0; count < 100; count++) {
      const latest = cluster.sim.api.get("workloads.bowline.dev", undefined, "shop") ?? workload;
      const metadata = { ...latest.metadata, annotations: { count: String(count) } };
      cluster.sim.api.update("workloads.bowline.dev", { ...latest, metadata });
    }
    cluster.create("services", service, { name: "last" });
    await expect.poll(() => seen.observer.objects).toBe(2);
    expect(seen.observer.watches().map(({ kind }) => kind)).toEqual(before.map(({ kind }) => kind));
    expect([cluster.sim.openWatches, asked.hits, seen.items.length]).toEqual([6, 0, told]);
  });

  test("grow with kinds and not with objects, and end with the last Workload that needs them", async () => {
    const cluster = await ObservedCluster.start();
    for (let count = 0; count < 50; count++)
      cluster.setWorkload(`w${count}`, `apps/Deployment default/web-${count}`);
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    const kinds = (): string[] =>
      seen.observer
        .watches()
        .map(({ kind }) => kind)
        .sort();
    await expect
      .poll(kinds)
      .toEqual(["/Event", "/Pod", "apps/Deployment", "apps/ReplicaSet", "bowline.dev/Workload"]);
    await expect.poll(() => cluster.sim.openWatches).toBe(5);
    for (let count = 1; count < 50; count++) cluster.removeWorkload(`w${count}`);
    cluster.setWorkload("w0", "networking.k8s.io/Ingress default/a");
    await expect.poll(kinds).toEqual(["/Event", "bowline.dev/Workload", "networking.k8s.io/Ingress"]);
    await expect.poll(() => cluster.sim.openWatches).toBe(3);
    expect(seen.observer.objects).toBe(0);
  });

  test("that the API server ends, cuts or has forgotten go on, and tell what went meanwhile", async () => {
    const cluster = await ObservedCluster.start();
    for (const name of ["a", "b"]) cluster.create("services", service, { name });
    cluster.setWorkload("shop", "/Service default/a", "/Service default/b");
    const clock = new MovingClock();
    const seen = cluster.observe({ clock });
    await clock.until(() => seen.state).toHaveLength(2);
    const failing = cluster.sim.faults.failRequests({ resource: "services", code: 500 });
    cluster.sim.faults.dropWatches({});
    await clock.until(() => failing.hits).toBeGreaterThan(0);
    cluster.sim.api.delete("services", "default", "a");
    cluster.sim.faults.compact();
    failing.remove();
    await clock.until(() => seen.state).toEqual(["Service b of shop"]);
    expect(seen.gone).toEqual(["a"]);
  });

  test("a kind that is missing or forbidden disturbs no other, is named with the rule to add, and is taken up later", async () => {
    const cluster = await ObservedCluster.start();
    const { sim } = cluster;
    cluster.create("services", service, { name: "a" });
    cluster.create("secrets", { apiVersion: "v1", kind: "Secret" }, { name: "keys" });
    cluster.setWorkload(
      "shop",
      "example.com/Widget default/big",
      "/Secret default/keys",
      "/Service default/a",
      "/Service default/none",
    );
    const refusing = sim.faults.failRequests({ resource: "secrets", code: 403 });
    const clock = new MovingClock();
    const seen = cluster.observe({ clock });
    await clock.until(() => seen.state).toEqual(["Service a of shop"]);
    await clock.until(() => seen.isComplete).toBe(true);
    await clock
      .until(() => seen.events.map(({ reason = "" }) => reason).sort())
      .toEqual(["KindUnknown", "WatchForbidden"]);
    const forbidden = seen.events.find(({ reason }) => reason === "WatchForbidden");
    expect(forbidden).toMatchObject({
      workload: "shop",
      regarding: { kind: "Workload", name: "shop" },
      type: "Warning",
    });
    expect(forbidden?.message).toContain(
      '{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list","watch"]}',
    );
    expect([...seen.observer.problems().keys()].sort()).toEqual(["/Secret", "example.com/Widget"]);
    const tried = refusing.hits;
    refusing.remove();
    sim.api.create("customresourcedefinitions.apiextensions.k8s.io", widgets("widgets", "Widget"));
    await cluster.served("/apis/example.com/v1/widgets");
    cluster.create("widgets.example.com", widgetBody("Widget"), { name: "big" });
    await clock
      .until(() => seen.state)
      .toEqual(["Secret keys of shop", "Service a of shop", "Widget big of shop"]);
    expect(tried).toBeLessThan(10);
    expect(seen.events).toHaveLength(2);
  });

  test.each([
    ["cannot be found are asked for again soon", 404, [800, 1_600, 2_000, 2_000, 2_000]],
    ["are forbidden are asked for less and less", 403, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]],
  ])("Workloads that %s", async (_, code, pauses) => {
    const cluster = await ObservedCluster.start();
    const failing = cluster.sim.faults.failRequests({ resource: "workloads.bowline.dev", code });
    const clock = new MovingClock();
    cluster.observe({ clock, random: () => 0 });
    for (const [index, pauseMs] of pauses.entries()) {
      await clock.armed(pauseMs);
      expect(failing.hits).toBe(index + 1);
      await clock.advance(pauseMs);
    }
  });

  test("an observer may be stopped at any moment, and leaves nothing open", async () => {
    const cluster = await ObservedCluster.start();
    cluster.setWorkload("shop", "apps/Deployment default/web");
    for (let turns = 0; turns < 12; turns++) {
      const seen = cluster.observe();
      for (let turn = 0; turn < turns * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      await seen.stop();
      await seen.stop();
    }
    await expect.poll(() => cluster.sim.openWatches).toBe(0);
  });
});
