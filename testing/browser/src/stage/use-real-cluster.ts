import { busyboxImage, startCluster, type Cluster } from "@bowline/test-cluster";
import { afterAll, beforeAll } from "vitest";

import { useStage, type TestStage } from "./use-stage.ts";

/** What the console calls the real cluster. */
export const realClusterName = "edge";

/** A stage whose one cluster is real: pods run, and `kubectl` tells what is so without the console. */
export interface RealStage extends Pick<TestStage, "stage" | "signIn"> {
  /** Runs kubectl as the cluster's admin and resolves to what it printed. */
  kubectl(...args: readonly string[]): Promise<string>;
}

/** Starts one for all tests of a file. The cluster is there before its agent and after it. */
export function useRealCluster(): RealStage {
  let started: Cluster | undefined;
  const clusterNow = (): Cluster => {
    if (started === undefined) throw new Error("The cluster is started before the first test.");
    return started;
  };
  beforeAll(async () => {
    started = await startCluster();
    await fill(started);
  });
  afterAll(() => started?.stop());
  const on = useStage();
  beforeAll(() => on.stage.joinExisting(realClusterName, clusterNow().kubeconfig()));
  return {
    get stage() {
      return on.stage;
    },
    signIn: (options) => on.signIn(options),
    kubectl: (...args) => clusterNow().kubectl(args),
  };
}

/** A file in the pod `box`: what is written to it is in the pod's log at once. */
export const logFile = "/tmp/said";

const namespace = "default";
const main = { name: "main", image: busyboxImage, imagePullPolicy: "Never" };

const box = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "box", namespace },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        ...main,
        // Open for writing too, so that it has no end.
        command: ["sh", "-c", `mkfifo ${logFile} && exec cat <>${logFile}`],
        readinessProbe: { exec: { command: ["test", "-e", logFile] }, periodSeconds: 1 },
      },
    ],
  },
};

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ ...main, command: ["sleep", "3600"] }],
      },
    },
  },
};

const boats = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.example.test" },
  spec: {
    group: "example.test",
    scope: "Namespaced",
    names: { kind: "Boat", plural: "boats" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Harbour", type: "string", jsonPath: ".spec.harbour" },
          { name: "Masts", type: "integer", jsonPath: ".spec.masts" },
          { name: "Built In", type: "string", jsonPath: ".spec.builtIn", priority: 1 },
        ],
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const boatKind = { apiVersion: "example.test/v1", kind: "Boat" };
const fleet = [
  {
    ...boatKind,
    metadata: { name: "anna", namespace },
    spec: { harbour: "Old Town", masts: 2, builtIn: "1923" },
  },
  { ...boatKind, metadata: { name: "bea", namespace }, spec: { masts: 1 } },
];

/** A pod, a Deployment, and a kind that nobody else has; all of it is up at the end. */
async function fill(cluster: Cluster): Promise<void> {
  const create = (...objects: readonly object[]): Promise<string> =>
    cluster.kubectl(["create", "-f", "-"], { input: objects.map((each) => JSON.stringify(each)).join("\n") });
  await create(box, web, boats);
  await cluster.kubectl(["wait", "crd/boats.example.test", "--for=condition=Established", "--timeout=150s"]);
  await create(...fleet);
  await cluster.kubectl(["wait", "pod/box", "--for=condition=Ready", "--timeout=150s"]);
  await cluster.kubectl(["rollout", "status", "deployment/web", "--timeout=150s"]);
}
