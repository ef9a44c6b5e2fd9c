import type { Cluster, Credential, WorkloadDefinition, WorkloadInstance } from "@bowline/api";

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
      namespace: "default",
      parameters: {},
      prune: true,
      deletionPolicy: "delete",
    },
  };
}

export function credential(name: string, data?: Record<string, string>): DesiredWrite<typeof Credential> {
  return { metadata: metadata(name), spec: { type: "opaque", ...(data === undefined ? {} : { data }) } };
}
