import type { DemoState, ShownEvent, ShownRequest, WorkloadState } from "../live/demo-state.ts";
import type { Guide } from "../view/guide-lines.ts";

export const nowMs = Date.UTC(2026, 0, 2, 9, 30, 0);

/** The demo as it is after a minute. */
export function sampleState(change: Partial<DemoState> = {}): DemoState {
  return {
    startedAtMs: nowMs - 65_000,
    server: "https://127.0.0.1:7443",
    isReady: true,
    clusters: [
      {
        name: "edge",
        phase: "connected",
        place: "a network with no way in",
        kubernetesVersion: "v1.33.4",
        connectedSinceMs: nowMs - 61_000,
        roundTripMs: 2.34,
        pods: { ready: 7, total: 7 },
        requests: 12,
      },
      {
        name: "cloud",
        phase: "offline",
        place: "a plain process",
        requests: 0,
        pods: { ready: 4, total: 5 },
      },
    ],
    workloads: [],
    events: [],
    requests: [],
    notes: [],
    ...change,
  };
}

/** A workload that is well. */
export function sampleWorkload(change: Partial<WorkloadState> = {}): WorkloadState {
  const { instance = "shop", cluster = "edge" } = change;
  return {
    id: `${instance}/${cluster}`,
    instance,
    cluster,
    health: "Healthy",
    reason: "",
    message: "",
    healthyCount: 3,
    resourceCount: 3,
    ...change,
  };
}

/** One whose image cannot be pulled. */
export const brokenWorkload = sampleWorkload({
  instance: "reports",
  cluster: "cloud",
  health: "Degraded",
  reason: "ImagePullBackOff",
  message: "The image cannot be pulled.",
  healthyCount: 1,
  resourceCount: 2,
});

export function sampleEvent(change: Partial<ShownEvent> = {}): ShownEvent {
  const { cluster = "cloud", instance = "reports", reason = "BackOff" } = change;
  return {
    key: `${cluster}/${instance}/${reason}`,
    atMs: nowMs - 2000,
    cluster,
    instance,
    isWarning: true,
    reason,
    message: "Back-off pulling image (Pod reports-1)",
    count: 1,
    ...change,
  };
}

export function sampleRequest(id: string, change: Partial<ShownRequest> = {}): ShownRequest {
  return {
    id,
    atMs: nowMs - 1000,
    who: "admin",
    verb: "list",
    what: "pods in shop",
    cluster: "edge",
    status: 200,
    durationMs: 12,
    count: 1,
    ...change,
  };
}

export const sampleGuide: Guide = {
  sections: [
    { title: "Try:", commands: ["npx bowline get clusters", "kubectl --context bowline-edge get pods -A"] },
    { title: "Then:", commands: ["npx bowline server"] },
  ],
};
