import type { KubeObject, ResourceRef } from "@bowline/kube";
import { monitoringDefinitions } from "@bowline/monitoring";

import {
  grafanaAgents,
  grafanaInstances,
  metricsAgents,
  metricsInstances,
  monitorResources,
} from "../objects/kinds.ts";

export const allResources: readonly ResourceRef[] = [metricsAgents, metricsInstances, ...monitorResources];

/** Definitions of the Grafana Agent Operator. */
export const grafanaResources: readonly ResourceRef[] = [grafanaAgents, grafanaInstances];

const ownDefinitions = monitoringDefinitions();

/** Ours as they are; those of others take anything, but for the status that some do not have. */
export function definitionOf(resource: ResourceRef): KubeObject {
  const { group, version, plural, kind } = resource;
  const name = `${plural}.${group}`;
  const own = ownDefinitions.find(({ metadata }) => metadata.name === name);
  if (own !== undefined) return { ...own };
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const hasStatus = !grafanaResources.includes(resource);
  const properties = { spec: anything, ...(hasStatus ? { status: anything } : {}) };
  const openAPIV3Schema = { type: "object", properties };
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
          ...(hasStatus ? { subresources: { status: {} } } : {}),
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}

export function apiVersionOf({ group, version }: ResourceRef): string {
  return group === "" ? version : `${group}/${version}`;
}
