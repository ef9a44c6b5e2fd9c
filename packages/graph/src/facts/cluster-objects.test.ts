import { expect, test } from "vitest";

import { factsOf } from "./testing/told.ts";

test("a Node tells what it is, and nothing that changes by the minute", () => {
  const facts = factsOf("v1", "Node", {
    spec: {
      providerID: "aws:///a/i-1",
      unschedulable: true,
      taints: [
        { key: "dedicated", value: "gpu", effect: "NoSchedule" },
        { key: "spot", effect: "NoExecute" },
        {},
      ],
    },
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.0.5" },
        { type: "Hostname", address: "worker-1" },
      ],
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-11-16T10:00:00Z" }],
      images: [{ names: ["nginx"] }],
      nodeInfo: { architecture: "arm64", kubeletVersion: "v1.36.0", bootID: "x" },
    },
  });
  expect(facts.properties).toEqual({
    providerID: "aws:///a/i-1",
    unschedulable: true,
    taints: ["dedicated=gpu:NoSchedule", "spot:NoExecute"],
    addresses: ["10.0.0.5", "worker-1"],
    architecture: "arm64",
    kubelet: "v1.36.0",
  });
});

test("a Namespace tells its phase and its labels", () => {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const facts = factsOf("v1", "Namespace", { metadata: { labels }, status: { phase: "Terminating" } });
  expect(facts.node).toEqual({ kind: "Namespace", namespace: "", name: "web" });
  expect(facts.properties).toEqual({ labels, phase: "Terminating" });
});
