import { Cluster, DomainName } from "@bowline/api";
import { openTestStore } from "@bowline/store/testing";
import { expect, test, vi } from "vitest";

import { LedClusters, recordsMs } from "./led-clusters.ts";

const at = "2026-11-19T10:00:00.000Z";
const toA = "60 A 192.0.2.1";
const toB = "60 A 192.0.2.2";

interface Told {
  readonly clusters: readonly string[];
  readonly active: readonly string[];
  readonly records: readonly string[];
}

/** The cluster `a`, which is being deleted, and one host. */
async function stage({ clusters, active, records }: Told, { isDeleted = true } = {}) {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  const named = (name: string) => ({ name, labels: {}, annotations: {} });
  await objects.create(Cluster, { metadata: named("a"), spec: { provider: "kind" } });
  await objects.writeFinalizers(Cluster, "a", () => ["example.com/hold"]);
  if (isDeleted) await objects.delete(Cluster, "a");
  const spec: DomainName["spec"] = {
    domain: "example.com",
    provider: "rfc2136",
    rfc2136: { server: "192.0.2.53" },
    policy: "single",
    ttl: "60s",
    failover: { after: "30s", returnAfter: "5m", return: "automatic" },
  };
  await objects.create(DomainName, { metadata: named("example-com"), spec });
  const host: DomainName["status"]["hosts"][number] = {
    host: "shop.example.com",
    ready: "True",
    reason: "Reachable",
    message: "",
    active: [...active],
    since: at,
    records: [...records],
    place: { provider: "rfc2136", zone: "example.com", server: "192.0.2.53" },
    clusters: clusters.map((cluster, index) => ({
      cluster,
      healthy: "True",
      since: at,
      reason: "Reachable",
      message: "",
      addresses: [`192.0.2.${index + 1}`],
    })),
  };
  await objects.writeStatus(DomainName, "example-com", ({ status }) => ({ ...status, hosts: [host] }));
  const cluster = await objects.get(Cluster, "a");
  if (cluster === undefined) throw new Error("The cluster has gone.");
  return { objects, cluster, deletedMs: Date.parse(cluster.metadata.deletedAt ?? at) };
}

/** Whether its workloads stay for so long after that. */
async function stays(told: Told, { afterMs = 1_000, isDeleted = true } = {}): Promise<boolean> {
  const { objects, cluster, deletedMs } = await stage(told, { isDeleted });
  return new LedClusters(objects).awaitsRecords(cluster, deletedMs + afterMs);
}

test("workloads of a cluster that is deleted stay while records that can lead elsewhere lead there, for a minute", async () => {
  const led = { clusters: ["a", "b"], active: ["a"], records: [toA] };
  expect(await stays(led)).toBe(true);
  expect(await stays(led, { afterMs: 60_000 })).toBe(false);
  expect(await stays(led, { isDeleted: false })).toBe(false);
  // What was decided has yet to be written.
  expect(await stays({ ...led, active: ["b"] })).toBe(true);
  expect(await stays({ ...led, active: ["b"], records: [toB] })).toBe(false);
  expect(await stays({ ...led, clusters: ["a"] })).toBe(false);
});

test("however many workloads ask, domain names are read once a second", async () => {
  const { objects, cluster, deletedMs } = await stage({
    clusters: ["a", "b"],
    active: ["a"],
    records: [toA],
  });
  const list = vi.spyOn(objects, "list");
  const led = new LedClusters(objects);
  const asked = await Promise.all(Array.from({ length: 20 }, () => led.awaitsRecords(cluster, deletedMs)));
  expect(new Set(asked)).toEqual(new Set([true]));
  expect(list).toHaveBeenCalledTimes(1);
  await led.awaitsRecords(cluster, deletedMs + recordsMs);
  expect(list).toHaveBeenCalledTimes(2);
});
