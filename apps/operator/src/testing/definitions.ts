import type { KubeObject, ResourceRef } from "@bowline/kube";
import { monitoringDefinitions } from "@bowline/monitoring";

import { metricsAgents, metricsInstances, monitorResources } from "../api/resources.ts";

export const allResources: readonly ResourceRef[] = [metricsAgents, metricsInstances, ...monitorResources];

const ownDefinitions = monitoringDefinitions();

/** Ours as they are; those of others take anything. */
export function definitionOf(resource: ResourceRef): KubeObject {
  const { group, version, plural, kind } = resource;
  const name = `${plural}.${group}`;
  const own = ownDefinitions.find(({ metadata }) => metadata.name === name);
  if (own !== undefined) return { ...own };
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: anything, status: anything } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}
