import {
  placementName,
  type Cluster,
  type Credential,
  type WorkloadDefinition,
  type WorkloadInstance,
  type WorkloadPlacement,
} from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";

import type { DesiredWrite } from "../objects/write-options.ts";

interface Meta {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

function metadata(name: string, { labels = {}, annotations = {} }: Meta = {}) {
  return { name, labels, annotations };
}

export function cluster(
  name: string,
  meta: Meta & { readonly region?: string } = {},
): DesiredWrite<typeof Cluster> {
  const { region } = meta;
  return {
    metadata: metadata(name, meta),
    spec: { provider: "existing", ...(region === undefined ? {} : { region }) },
  };
}

export function definition(name: string): DesiredWrite<typeof WorkloadDefinition> {
  return {
    metadata: metadata(name),
    spec: { source: { inline: { manifests: "kind: ConfigMap\n" } }, parameters: [] },
  };
}

export function instance(
  name: string,
  definitionName: string,
  clusters: string[],
): DesiredWrite<typeof WorkloadInstance> {
  return {
    metadata: metadata(name),
    spec: {
      definition: definitionName,
      placement: { clusters },
      ...workloadDefaults(),
    },
  };
}

/** The placement of an instance in a cluster, both of which have to be there. */
export function placement(
  instanceName: string,
  clusterName: string,
  definitionName = "web",
): DesiredWrite<typeof WorkloadPlacement> {
  return {
    metadata: metadata(placementName(instanceName, clusterName)),
    spec: {
      instance: instanceName,
      cluster: clusterName,
      definition: definitionName,
      revision: `sha256:${"0".repeat(64)}`,
      actingUser: { user: "editor", method: "token", groups: [] },
      ...workloadDefaults(),
    },
  };
}

export function credential(name: string, data?: Record<string, string>): DesiredWrite<typeof Credential> {
  return { metadata: metadata(name), spec: { type: "opaque", ...(data === undefined ? {} : { data }) } };
}
