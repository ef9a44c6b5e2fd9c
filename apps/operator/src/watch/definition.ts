import type { FieldMask, KubeObject, ResourceRef } from "@bowline/kube";

/** What matters of a CustomResourceDefinition. */
export interface Definition {
  readonly group: string;
  readonly plural: string;
  /** Those that the server answers for; none before it is established. */
  readonly servedVersions: readonly string[];
}

/** Schemas are most of a definition, and of no interest. */
export const definitionFields: FieldMask = {
  metadata: { name: true },
  spec: { group: true, names: { plural: true }, versions: { name: true, served: true } },
  status: { conditions: { type: true, status: true } },
};

interface CustomResourceDefinition extends KubeObject {
  spec?: {
    readonly group?: string;
    readonly names?: { readonly plural?: string };
    readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[];
  };
  status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

export function definitionOf(object: KubeObject): Definition {
  const { spec, status }: CustomResourceDefinition = object;
  const isEstablished = (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
  const served = (spec?.versions ?? []).filter((version) => version.served === true);
  return {
    group: spec?.group ?? "",
    plural: spec?.names?.plural ?? "",
    servedVersions: isEstablished ? served.map(({ name = "" }) => name) : [],
  };
}

export function isDefinitionOf(definition: Definition, { group, plural }: ResourceRef): boolean {
  return definition.group === group && definition.plural === plural;
}
