import type { TypeTable } from "../type-language.ts";

export const storageTypes: TypeTable = {
  prefix: "io.k8s.api.storage.v1",
  source: `
StorageClass: A sort of storage that claims can ask for.
  allowVolumeExpansion*: bool
  allowedTopologies: [core.TopologySelectorTerm]
  metadata~: meta.ObjectMeta
  mountOptions: [string]
  parameters: {string}
  provisioner!: string
  reclaimPolicy*: string default(Delete) enum(Delete, Retain)
  volumeBindingMode*: string default(Immediate) enum(Immediate, WaitForFirstConsumer)
`,
};
