import { graphKinds } from "@bowline/graph";
import { startKubesim } from "@bowline/kubesim";
import { expect, onTestFinished, test } from "vitest";

import { nowMs } from "../api/measurement.ts";
import { changeCluster } from "./change-cluster.ts";
import { fillCluster } from "./fill-cluster.ts";
import { questionSets } from "./questions.ts";
import { changedAtMs } from "./sim-order.ts";

async function filledCluster(pods: number) {
  const sim = await startKubesim({ name: "bench", controllers: false });
  onTestFinished(() => sim.stop());
  return { api: sim.api, count: await fillCluster(sim.api, pods) };
}

test("what questions are asked about is in the cluster", async () => {
  // As many as it takes for every application to have pods.
  const { api, count } = await filledCluster(1_000);
  expect(count).toBeGreaterThan(3_000);
  const resources: Readonly<Record<string, string>> = {
    Secret: "secrets",
    ConfigMap: "configmaps",
    PersistentVolumeClaim: "persistentvolumeclaims",
    ServiceAccount: "serviceaccounts",
    Service: "services",
    Deployment: "deployments.apps",
    Ingress: "ingresses.networking.k8s.io",
    Pod: "pods",
  };
  const asked = questionSets().flatMap(({ paths }) =>
    paths.flatMap((path) => {
      const { searchParams } = new URL(path, "https://bench");
      return ["node", "from", "to"].flatMap((name) => searchParams.get(name) ?? []);
    }),
  );
  expect(asked.length).toBeGreaterThan(300);
  const missing = [...new Set(asked)].filter((text) => {
    const [kind = "", namespace, name = ""] = text.split("/");
    return api.get(resources[kind] ?? "", namespace, name) === undefined;
  });
  expect(missing).toEqual([]);
});

test("changes are such that the graph is another one, and say when they were made", async () => {
  const { api } = await filledCluster(50);
  const startMs = Math.floor(nowMs());
  const { dated, probesAtMs } = await changeCluster(api, { perSecond: 400, seconds: 0.25, round: 1 });
  expect(probesAtMs).toHaveLength(1);
  const facts = graphKinds.find(({ kind }) => kind === "Pod")?.facts;
  const pods = [...api.list("pods")].map((pod) => JSON.stringify(facts?.(pod)));
  const times = pods.map((text) => changedAtMs(text)).filter((time) => time !== undefined);
  expect(pods).toHaveLength(50 + 1);
  expect(times).toHaveLength(50);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(startMs);
  expect(dated).toBeGreaterThan(75);
  expect(dated).toBeLessThan(100);
});
