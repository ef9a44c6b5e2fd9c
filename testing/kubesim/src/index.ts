export type { FaultMatch } from "./faults/fault-match.ts";
export type { Fault, Faults } from "./faults/faults.ts";
export { forwardTo } from "./api/service-proxy.ts";
export { startKubesim, type Kubesim, type KubesimOptions } from "./kubesim.ts";
export type { NewObject, SimEvent, SimObject } from "./store/sim-api.ts";
