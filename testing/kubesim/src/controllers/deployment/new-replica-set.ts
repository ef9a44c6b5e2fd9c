import type { NewObject } from "../../store/sim-api.ts";
import type { Deployment, ReplicaSet } from "../kinds/workloads.ts";
import { controllerReference } from "../owner-references.ts";
import { podTemplateHashLabel, templateHash } from "../pods/pod-template.ts";
import { newReplicaSetAnnotations, sizeAnnotations } from "./deployment-annotations.ts";

/** The ReplicaSet for a Deployment's current template. Its name follows from the template. */
export function newReplicaSet(deployment: Deployment, revision: number, replicas: number): NewObject {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [podTemplateHashLabel]: hash };
  const { namespace, name } = deployment.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: {
        ...newReplicaSetAnnotations(deployment, undefined, revision),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [podTemplateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** An existing ReplicaSet brought in line with its Deployment; its revision grows when its template returns. */
export function refreshed(deployment: Deployment, replicaSet: ReplicaSet, revision: number): ReplicaSet {
  const annotations = newReplicaSetAnnotations(deployment, replicaSet.metadata.annotations, revision);
  const { minReadySeconds } = deployment.spec;
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) },
  };
}
