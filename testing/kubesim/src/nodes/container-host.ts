import type { ContainerPlan } from "./container-plan.ts";
import type { KubeletSettings } from "./kubelet-settings.ts";

/** What a container needs of the pod and the node it runs on. */
export interface ContainerHost {
  readonly settings: KubeletSettings;
  plan(): ContainerPlan;
  restarts(exitCode: number): boolean;
  /** Why the container cannot be made now, such as a ConfigMap that is not there. */
  missingInput(): string | undefined;
  hasImage(image: string): boolean;
  keepImage(image: string): void;
  imageId(image: string): string;
  newContainerId(): string;
  podIp(): string;
  /** `name_namespace(uid)`, as the kubelet's messages name a pod. */
  podTitle(): string;
  event(type: "Normal" | "Warning", reason: string, message: string): void;
}
