import type { NumberTable } from "./field-numbers.ts";
import { apiextensionsNumbers } from "./numbers/apiextensions.ts";
import { apiregistrationNumbers } from "./numbers/apiregistration.ts";
import { appsNumbers } from "./numbers/apps.ts";
import { authenticationNumbers } from "./numbers/authentication.ts";
import { authorizationNumbers } from "./numbers/authorization.ts";
import { autoscalingV1Numbers } from "./numbers/autoscaling-v1.ts";
import { autoscalingNumbers } from "./numbers/autoscaling.ts";
import { batchNumbers } from "./numbers/batch.ts";
import { coordinationNumbers } from "./numbers/coordination.ts";
import { coreClusterNumbers } from "./numbers/core-cluster.ts";
import { corePodNumbers } from "./numbers/core-pod.ts";
import { coreStorageNumbers } from "./numbers/core-storage.ts";
import { coreVolumeNumbers } from "./numbers/core-volume.ts";
import { discoveryNumbers, discoveryV1beta1Numbers } from "./numbers/discovery.ts";
import { eventsNumbers } from "./numbers/events.ts";
import { metaNumbers } from "./numbers/meta.ts";
import { networkingNumbers } from "./numbers/networking.ts";
import { policyNumbers } from "./numbers/policy.ts";
import { rbacNumbers } from "./numbers/rbac.ts";
import { schedulingNumbers } from "./numbers/scheduling.ts";
import { storageNumbers } from "./numbers/storage.ts";

export const numberTables: readonly NumberTable[] = [
  metaNumbers,
  corePodNumbers,
  coreVolumeNumbers,
  coreStorageNumbers,
  coreClusterNumbers,
  appsNumbers,
  batchNumbers,
  networkingNumbers,
  policyNumbers,
  autoscalingNumbers,
  autoscalingV1Numbers,
  rbacNumbers,
  coordinationNumbers,
  discoveryNumbers,
  apiextensionsNumbers,
  apiregistrationNumbers,
  storageNumbers,
  schedulingNumbers,
  eventsNumbers,
  authorizationNumbers,
  authenticationNumbers,
];

/** Where an old version gave numbers to other fields than the one that followed it. */
export const deviatingTables: ReadonlyMap<string, NumberTable> = new Map([
  ["discovery.k8s.io/v1beta1", discoveryV1beta1Numbers],
]);
