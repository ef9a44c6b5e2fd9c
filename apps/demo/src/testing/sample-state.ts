import type { DemoState, ShownRequest } from "../live/demo-state.ts";
import type { Guide } from "../view/demo-lines.ts";

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
    requests: [],
    notes: [],
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
