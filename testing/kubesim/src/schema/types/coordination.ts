import type { TypeTable } from "../type-language.ts";

export const coordinationTypes: TypeTable = {
  prefix: "io.k8s.api.coordination.v1",
  source: `
Lease: A claim that is held for a time and renewed.
  metadata~: meta.ObjectMeta
  spec~: LeaseSpec
LeaseSpec: What is wanted of the lease.
  acquireTime: micro-time
  holderIdentity*: string
  leaseDurationSeconds*, leaseTransitions*: int32
  renewTime: micro-time
`,
};
