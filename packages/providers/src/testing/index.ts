export { prepareManagementCluster, worldNamespace } from "./cluster-api/cluster-api-world.ts";
export { clustersOf } from "./cluster-api/definitions.ts";
export { ReferenceClusterApi } from "./cluster-api/reference-cluster-api.ts";
export { FakeCloud } from "./fake-cloud.ts";
export { fakeProvider } from "./fake-provider.ts";
export { MemoryRecords } from "./memory-records.ts";
export { Died, MortalCalls } from "./mortal-calls.ts";
export { testWork, type TestWork } from "./provider-work.ts";
export { KindStandIn } from "../kind/testing/stand-in.ts";
