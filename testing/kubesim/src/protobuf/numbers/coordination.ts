import { coordinationTypes } from "../../schema/types/coordination.ts";
import type { NumberTable } from "../field-numbers.ts";

export const coordinationNumbers: NumberTable = {
  prefix: coordinationTypes.prefix,
  source: `
Lease: metadata spec
LeaseSpec: holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions
`,
};
