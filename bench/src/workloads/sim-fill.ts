import { setImmediate as nextTurn } from "node:timers/promises";

import { asRecord } from "@bowline/core";
import type { Kubesim, NewObject, SimObject } from "@bowline/kubesim";

import { benchPod } from "../pods.ts";
import type { FillOrder } from "./sim-order.ts";

/** Gives every Deployment its ReplicaSet and pods that run. Resolves to how many pods there are. */
export async function fillDeployments(
  sims: readonly Kubesim[],
  { podsPerDeployment }: FillOrder,
): Promise<number> {
  let pods = 0;
  for (const { api } of sims) {
    const deployments = [...api.list("deployments.apps")];
    for (const deployment of deployments) {
      const replicaSet = api.create("replicasets.apps", replicaSetOf(deployment, podsPerDeployment));
      const status = runningStatus(podsPerDeployment);
      api.updateStatus("replicasets.apps", { ...replicaSet, status: { ...status, observedGeneration: 1 } });
      for (let count = 0; count < podsPerDeployment; count++, pods++)
        api.create("pods", podOf(replicaSet, pods));
      const { generation = 1 } = deployment.metadata;
      const conditions = ["Available", "Progressing"].map((type) => ({ type, status: "True" }));
      const whole = {
        ...status,
        updatedReplicas: podsPerDeployment,
        observedGeneration: generation,
        conditions,
      };
      api.updateStatus("deployments.apps", { ...deployment, status: whole });
      // Watches are to see it as it happens.
      await nextTurn();
    }
  }
  return pods;
}

function runningStatus(replicas: number) {
  return { replicas, readyReplicas: replicas, availableReplicas: replicas, fullyLabeledReplicas: replicas };
}

function replicaSetOf(deployment: SimObject, replicas: number): NewObject {
  const { name, namespace = "default" } = deployment.metadata;
  const { selector, template } = asRecord(deployment["spec"]);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: `${name}-5d9c7b8f6d`, namespace, ownerReferences: [ownerOf(deployment)] },
    spec: { replicas, selector, template },
  };
}

/** As large as pods are, and as healthy as they can be. */
function podOf(replicaSet: SimObject, index: number): NewObject {
  const { metadata, ...pod } = benchPod(index);
  const { name, namespace = "default" } = replicaSet.metadata;
  return {
    ...pod,
    metadata: {
      name: `${name}-${index.toString(36).padStart(5, "0")}`,
      namespace,
      labels: { app: name },
      ...(Array.isArray(metadata["managedFields"]) ? { managedFields: metadata["managedFields"] } : {}),
      ownerReferences: [ownerOf(replicaSet)],
    },
  };
}

function ownerOf({ apiVersion, kind, metadata: { name, uid } }: SimObject) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
