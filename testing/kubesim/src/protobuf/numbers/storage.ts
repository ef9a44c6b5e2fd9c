import { storageTypes } from "../../schema/types/storage.ts";
import type { NumberTable } from "../field-numbers.ts";

export const storageNumbers: NumberTable = {
  prefix: storageTypes.prefix,
  source: `
StorageClass: metadata provisioner parameters reclaimPolicy mountOptions allowVolumeExpansion
  volumeBindingMode allowedTopologies
`,
};
