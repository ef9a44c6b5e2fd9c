import type { Container, Probe } from "../controllers/kinds/pod.ts";
import type { PodBehaviour } from "./behaviour.ts";

/** What a container is going to do from the moment it starts. */
export interface ContainerPlan {
  readonly pulls: boolean;
  /** Absent when it never gets ready. */
  readonly readyAfterMs?: number;
  readonly exit?: ContainerExit & { readonly afterMs: number };
}

export interface ContainerExit {
  readonly code: number;
  readonly reason: "Completed" | "Error" | "OOMKilled";
}

/** Times a container that is not told otherwise. */
const defaultRunSeconds = 1;
const defaultStartSeconds = 30;

export function containerPlan(
  container: Container,
  behaviour: PodBehaviour,
  honourProbeDelays: boolean,
): ContainerPlan {
  const readyAfterMs = honourProbeDelays ? probeDelayMs(container.readinessProbe) : 0;
  const afterMs = (behaviour.runSeconds ?? defaultRunSeconds) * 1000;
  switch (behaviour.kind) {
    case "run":
      return { pulls: true, readyAfterMs };
    case "crash-loop":
    case "fail":
      return { pulls: true, readyAfterMs, exit: { afterMs, code: behaviour.exitCode ?? 1, reason: "Error" } };
    case "oom":
      return { pulls: true, readyAfterMs, exit: { afterMs, code: 137, reason: "OOMKilled" } };
    case "succeed":
      return { pulls: true, readyAfterMs, exit: { afterMs, code: 0, reason: "Completed" } };
    case "image-pull-error":
      return { pulls: false };
    case "never-ready":
      return { pulls: true };
    case "slow-start":
      return { pulls: true, readyAfterMs: (behaviour.startSeconds ?? defaultStartSeconds) * 1000 };
    default:
      return behaviour.kind satisfies never;
  }
}

/** What the kubelet reports when a probe fails, by the kind of probe. */
export function probeFailure(probe: Probe, podIp: string): string {
  if (probe.httpGet !== undefined) return "HTTP probe failed with statuscode: 503";
  if (probe.tcpSocket !== undefined) {
    return `dial tcp ${podIp}:${probe.tcpSocket.port}: connect: connection refused`;
  }
  return "";
}

function probeDelayMs(probe: Probe | undefined): number {
  return (probe?.initialDelaySeconds ?? 0) * 1000;
}
