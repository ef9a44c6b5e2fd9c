import { resources } from "@bowline/kube";
import { startApiServer } from "@bowline/test-cluster";
import { expect, onTestFinished, test } from "vitest";

import { metricsAgents } from "./objects/kinds.ts";
import {
  metricsAgent,
  metricsInstance,
  namespace,
  secret,
  serviceMonitor,
  withPassword,
} from "./testing/objects.ts";
import { OperatorBench } from "./testing/operator-bench.ts";

const id = "default/metrics-main-shard-0";

/** As people write it, which is not as the server keeps it. */
const spec = {
  replicas: 2,
  resources: { limits: { cpu: "1000m", memory: "1024Mi" }, requests: { cpu: "0.5" } },
  tolerations: [],
  affinity: {},
  storage: { emptyDir: { sizeLimit: "1024Mi" } },
};

test("on a real API server: what is selected, what is written, and that nothing is written twice", async () => {
  const server = await startApiServer();
  onTestFinished(() => server.stop());
  const bench = await OperatorBench.open({ kubeconfig: server.kubeconfigPath });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  await bench.apply(namespace("shop", { env: "test" }));
  await bench.apply(
    metricsAgent("default/main", spec),
    metricsInstance("default/team", { serviceMonitorNamespaceSelector: { matchLabels: { env: "prod" } } }),
    serviceMonitor("shop/web", withPassword("login")),
  );
  await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
  expect(await bench.get(resources.statefulSets, id)).toMatchObject({ spec: { replicas: 2 } });

  await bench.apply(namespace("shop", { env: "prod" }));
  const accepted = (): Promise<unknown> => bench.condition("default/main", "MonitorsAccepted");
  await expect.poll(accepted).toMatch(/^False Rejected ServiceMonitor shop\/web is left out/u);
  await bench.apply(secret("shop/login", { password: "one" }));
  await expect.poll(() => bench.config("default/main")).toContain("password: one");
  await bench.apply(secret("shop/login", { password: "two" }));
  await expect.poll(() => bench.config("default/main")).toContain("password: two");
  await bench.quiet();

  bench.writes.length = 0;
  const looks = bench.reconciles.length;
  const annotated = { metadata: { annotations: { note: "seen" } } };
  await bench.client.patch(resources.secrets, annotated, { type: "merge", namespace: "shop", name: "login" });
  await expect.poll(() => bench.reconciles.length).toBeGreaterThan(looks);
  await bench.quiet();
  await bench.stopOperator();
  const again = bench.reconciles.length;
  bench.startOperator();
  await expect.poll(() => bench.reconciles.length).toBeGreaterThan(again);
  await bench.quiet();
  expect(bench.writes).toEqual([]);

  // A field that cannot change; the name is free again when nobody holds the old one.
  const before = (await bench.get(resources.statefulSets, id))?.metadata.uid;
  const claim = { spec: { resources: { requests: { storage: "1024Mi" } } } };
  await bench.apply(metricsAgent("default/main", { ...spec, storage: { volumeClaimTemplate: claim } }));
  const deleting = async (): Promise<unknown> => (await bench.get(resources.statefulSets, id))?.metadata;
  await expect.poll(deleting).toMatchObject({ finalizers: ["orphan"] });
  // No garbage collector runs here.
  const released = { metadata: { finalizers: null } };
  const target = { namespace: "default", name: "metrics-main-shard-0" };
  await bench.client.patch(resources.statefulSets, released, { type: "merge", ...target });
  const uid = async (): Promise<unknown> =>
    (await bench.get(resources.statefulSets, id))?.metadata.uid ?? before;
  await expect.poll(uid).not.toBe(before);
  await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
  await bench.quiet();
  expect(bench.errors).toEqual([]);

  await bench.delete(metricsAgents, "default/main");
  await bench.quiet();
});
