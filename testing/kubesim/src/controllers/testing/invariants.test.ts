import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Deployment, ReplicaSet, StatefulSet } from "../kinds/workloads.ts";
import { controllerOf } from "../owner-references.ts";
import { isActive, isReady } from "../pods/pod-state.ts";
import { deployment, statefulSet, template } from "./manifests.ts";
import { SimCluster } from "./sim-cluster.ts";

type Command =
  | { readonly do: "scale"; readonly kind: "web" | "db"; readonly replicas: number }
  | { readonly do: "roll"; readonly kind: "web" | "db"; readonly image: string }
  | { readonly do: "kill-pod" | "delete-pod"; readonly pick: number }
  | { readonly do: "fail-node" | "recover-node" | "drain-node" | "uncordon-node"; readonly node: number }
  | { readonly do: "pass"; readonly seconds: number };

const kind = fc.constantFrom("web" as const, "db" as const);
const node = fc.integer({ min: 0, max: 3 });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant("scale" as const), kind, replicas: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ do: fc.constant("roll" as const), kind, image: fc.constantFrom("a:1", "a:2", "a:3") }),
  fc.record({
    do: fc.constantFrom("kill-pod" as const, "delete-pod" as const),
    pick: fc.integer({ min: 0, max: 20 }),
  }),
  fc.record({
    do: fc.constantFrom(
      "fail-node" as const,
      "recover-node" as const,
      "drain-node" as const,
      "uncordon-node" as const,
    ),
    node,
  }),
  fc.record({ do: fc.constant("pass" as const), seconds: fc.integer({ min: 0, max: 90 }) }),
);

async function run(cluster: SimCluster, next: Command): Promise<void> {
  const { nodes } = cluster;
  switch (next.do) {
    case "scale":
      changeSpec(cluster, next.kind, { replicas: next.replicas });
      break;
    case "roll":
      changeSpec(cluster, next.kind, { template: template(next.kind, { image: next.image }) });
      break;
    case "kill-pod":
    case "delete-pod":
      hurtPod(cluster, next.do, next.pick);
      break;
    case "fail-node":
      nodes.fail(nameOf(next.node));
      break;
    case "recover-node":
      nodes.recover(nameOf(next.node));
      break;
    case "drain-node":
      nodes.drain(nameOf(next.node));
      break;
    case "uncordon-node":
      nodes.uncordon(nameOf(next.node));
      break;
    case "pass":
      await cluster.pass(next.seconds * 1000);
      break;
    default:
      next satisfies never;
  }
}

function nameOf(index: number): string {
  return `node-${index + 1}`;
}

function changeSpec(cluster: SimCluster, name: "web" | "db", spec: object): void {
  if (name === "web") {
    cluster.change<Deployment>(cluster.deployment("web"), (live) => ({
      ...live,
      spec: { ...live.spec, ...spec },
    }));
  } else {
    cluster.change<StatefulSet>(cluster.statefulSet("db"), (live) => ({
      ...live,
      spec: { ...live.spec, ...spec },
    }));
  }
}

function hurtPod(cluster: SimCluster, how: "kill-pod" | "delete-pod", pick: number): void {
  const pods = cluster.pods();
  const victim = pods[pick % Math.max(1, pods.length)];
  if (victim === undefined) return;
  const { name, namespace = "default" } = victim.metadata;
  if (how === "kill-pod") cluster.nodes.kill({ namespace, name });
  else cluster.store.delete("pods", namespace, name);
}

function expectInvariants(cluster: SimCluster): void {
  const pods = cluster.pods();
  const web = cluster.deployment("web");
  const db = cluster.statefulSet("db");
  const webPods = pods.filter((pod) => controllerOf(pod)?.kind === "ReplicaSet");
  const dbPods = pods.filter((pod) => controllerOf(pod)?.kind === "StatefulSet");

  expect(webPods.length + dbPods.length).toBe(pods.length);
  const owners = new Set([...cluster.replicaSets(), db].map(({ metadata }) => metadata.uid));
  expect(pods.every((pod) => owners.has(controllerOf(pod)?.uid ?? ""))).toBe(true);
  expect(pods.every((pod) => isActive(pod) && isReady(pod))).toBe(true);

  expect(webPods).toHaveLength(web.spec.replicas ?? 1);
  const inUse = cluster.replicaSets().filter(({ spec }: ReplicaSet) => (spec.replicas ?? 0) > 0);
  expect(inUse.length).toBeLessThanOrEqual(1);
  const image = web.spec.template.spec.containers[0]?.image;
  expect(webPods.every(({ spec }) => spec.containers[0]?.image === image)).toBe(true);
  expect(web.status?.availableReplicas ?? 0).toBe(web.spec.replicas);
  expect(web.status?.observedGeneration).toBe(web.metadata.generation);

  const ordinals = Array.from({ length: db.spec.replicas ?? 1 }, (_, ordinal) => `db-${ordinal}`);
  expect(dbPods.map(({ metadata }) => metadata.name).sort()).toEqual(ordinals);
  expect(db.status).toMatchObject({ replicas: ordinals.length, currentRevision: db.status?.updateRevision });

  const addresses = pods.map(({ status }) => status?.podIP);
  expect(new Set(addresses).size).toBe(addresses.length);
}

test("whatever happens, a cluster that is left in peace comes to what was asked for", async () => {
  const result = await fc.check(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 25 }), async (commands) => {
      using cluster = new SimCluster({ nodes: 4 });
      cluster.apply(deployment("web", { replicas: 4 }));
      cluster.apply(statefulSet("db", { replicas: 3 }));
      for (const next of commands) await run(cluster, next);
      for (const name of cluster.nodes.names) {
        cluster.nodes.recover(name);
        cluster.nodes.uncordon(name);
      }
      await cluster.pass(1_200_000);
      expectInvariants(cluster);
    }),
    { numRuns: 60 },
  );
  expect(fc.defaultReportMessage(result)).toBeUndefined();
});

test("the same seed gives the same cluster", async () => {
  const snapshot = async (): Promise<string> => {
    using cluster = new SimCluster({ seed: 7 });
    cluster.apply(deployment("web"));
    cluster.apply(statefulSet("db"));
    await cluster.pass(60_000);
    cluster.nodes.fail("node-1");
    await cluster.pass(600_000);
    return JSON.stringify([...cluster.store.list("pods"), ...cluster.store.list("events")]);
  };
  expect(await snapshot()).toBe(await snapshot());
});
