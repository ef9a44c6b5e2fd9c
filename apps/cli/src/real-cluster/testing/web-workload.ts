import { busyboxImage } from "@bowline/test-cluster";

import type { ApiState, Pod } from "./both-sides.ts";

/** Only the workload `web` is in it. */
export const namespace = "shop";

export interface Wish {
  /** A label of the pods: tells one rollout from the next. */
  readonly version: string;
  readonly replicas: number;
  /** Further fields of each. */
  readonly deployment?: object;
  readonly pod?: object;
  readonly container?: object;
}

/** The Deployment `web`, whose pods run and do nothing, unless something else is wished for. */
export function manifestOf({ version, replicas, deployment, pod, container }: Wish): string {
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      ...deployment,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web", version } },
        spec: {
          terminationGracePeriodSeconds: 0,
          ...pod,
          containers: [
            {
              name: "main",
              image: busyboxImage,
              imagePullPolicy: "IfNotPresent",
              command: ["sleep", "3600"],
              ...container,
            },
          ],
        },
      },
    },
  });
}

/** Why a pod is not ready, in the words of the cluster, as far as it has some. */
export function podReason({ status: { conditions, containerStatuses } }: Pod): string {
  const [container] = containerStatuses ?? [];
  const unscheduled = conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  const reason = container?.state.waiting?.reason ?? unscheduled?.reason;
  if (reason !== undefined) return reason;
  if (container?.state.terminated === undefined && container?.state.running === undefined) return "Pending";
  if (container.ready) return "Ready";
  if (container.restartCount > 0) return "CrashLoopBackOff";
  // Where kubectl shows `Error`; it is started again a moment later.
  return container.state.terminated === undefined ? "ReadinessProbeFailing" : "ContainerFailed";
}

export function isWorkloadReady({ placement, instance }: ApiState): boolean {
  const ready = placement?.status.conditions.find(({ type }) => type === "Ready");
  const isCurrent = ready?.observedGeneration === placement?.metadata.generation;
  return isCurrent && ready?.status === "True" && instance?.status.readyCount === 1;
}
