export type { UserInfo } from "./auth/user-info.ts";
export { ControllerError } from "./controllers/index.ts";
export type { FaultMatch } from "./faults/fault-match.ts";
export type { Fault, FaultLimits, Faults, RequestFaultOptions } from "./faults/faults.ts";
export { startKubesim, type Kubesim, type KubesimOptions } from "./kubesim.ts";
export type {
  BehaviourKind,
  KubeletSettings,
  PodBehaviour,
  PodMatcher,
  PodName,
  SimNodeOptions,
  SimNodes,
} from "./nodes/index.ts";
export type { IdentitySource } from "./store/identity-source.ts";
export type {
  NewObject,
  SimApi,
  SimDeleteOptions,
  SimEvent,
  SimObject,
  SimObjectMeta,
  SimOwnerReference,
} from "./store/sim-api.ts";
export {
  SimStatusError,
  type Status,
  type StatusCause,
  type StatusDetails,
} from "./store/sim-status-error.ts";
