import { ManualClock } from "@bowline/core/testing";
import { connect, KubeClient } from "@bowline/kube";
import { startKubesim, type Kubesim, type NewObject } from "@bowline/kubesim";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import { agentTrouble } from "./agent-trouble.ts";

const namespace = "bowline-system";
const server = "https://bowline.example.com";
let clock: ManualClock;
let sim: Kubesim;
let client: KubeClient;

beforeEach(async () => {
  clock = new ManualClock();
  sim = await startKubesim({ tls: false, controllers: false, clock });
  onTestFinished(() => sim.stop());
  sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const sockets = connect({
    name: "web",
    server: sim.url,
    namespace: "default",
    insecureSkipVerify: false,
    auth: { type: "token", token: sim.adminToken },
  });
  onTestFinished(() => sockets.close());
  client = new KubeClient(sockets);
});

/** One of the agent, in a state that the kubelet tells. */
function addPod(name: string, status: object, labels = { "app.kubernetes.io/name": "bowline-agent" }): void {
  const pod: NewObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "agent", image: "bowline:1.2.3" }] },
  };
  const created = sim.api.create("pods", pod);
  sim.api.updateStatus("pods", { ...created, status });
}

function addEvent(name: string, type: "Normal" | "Warning", message: string, lastTimestamp: string): void {
  sim.api.create("events", {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: { kind: "ReplicaSet", name: "bowline-agent-1", namespace },
    type,
    reason: "Something",
    message,
    lastTimestamp,
  });
}

/** Of its one container, that waits. */
function waitingFor(reason: string, more: object = {}, message?: string): object {
  const waiting = message === undefined ? { reason } : { reason, message };
  return {
    phase: "Pending",
    containerStatuses: [{ name: "agent", image: "bowline:1.2.3", state: { waiting }, ...more }],
  };
}

async function told(): Promise<{ readonly reason: string; readonly message: string }> {
  const signal = AbortSignal.timeout(10_000);
  const { status, reason, message } = await agentTrouble(client, { namespace, server, signal });
  expect(status).toBe("False");
  return { reason, message };
}

test("says that there is no pod, and the last warning of those that say why", async () => {
  addPod("another", { phase: "Running" }, { "app.kubernetes.io/name": "another" });
  expect(await told()).toEqual({
    reason: "AgentNotStarted",
    message: "There is no pod of the agent in bowline-system.",
  });
  addEvent("old", "Warning", "An old one.", "2026-01-01T10:00:00Z");
  addEvent("new", "Warning", "pods is forbidden: exceeded quota.", "2026-01-01T11:00:00Z");
  addEvent("normal", "Normal", "All is well.", "2026-01-01T12:00:00Z");
  expect(await told()).toEqual({
    reason: "AgentNotStarted",
    message:
      "There is no pod of the agent in bowline-system. Kubernetes says: pods is forbidden: exceeded quota.",
  });
});

test.each(["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"])(
  "names the image and its setting where the kubelet says %s",
  async (reason) => {
    addPod("agent", waitingFor(reason, {}, "no such host"));
    expect(await told()).toEqual({
      reason: "AgentImageNotPulled",
      message: `The image bowline:1.2.3 cannot be pulled (${reason}: no such host). Have the server's setting agent.image name an image that the cluster can pull.`,
    });
  },
);

test("says what a container that does not stay up has said last, or with which code it ended", async () => {
  const ended = (terminated: object): object => ({ lastState: { terminated } });
  addPod("agent", waitingFor("CrashLoopBackOff", ended({ exitCode: 137 }), "back-off 40s"));
  expect(await told()).toEqual({
    reason: "AgentCrashes",
    message: "The agent does not stay up (CrashLoopBackOff: back-off 40s). It ended with 137.",
  });
  sim.api.delete("pods", namespace, "agent", { gracePeriodSeconds: 0 });
  addPod("agent", waitingFor("CrashLoopBackOff", ended({ exitCode: 1, message: "The token has ended." })));
  expect(await told()).toEqual({
    reason: "AgentCrashes",
    message: "The agent does not stay up (CrashLoopBackOff). It said: The token has ended.",
  });
});

test("says why no node takes the pod", async () => {
  const message = "0/3 nodes are available: 3 Insufficient memory.";
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  addPod("agent", { phase: "Pending", conditions: [condition] });
  expect(await told()).toEqual({
    reason: "AgentNotScheduled",
    message: `No node takes the pod of the agent: ${message}`,
  });
});

test("says that a pod is still being started, with what holds it up", async () => {
  addPod("agent", waitingFor("ContainerCreating"));
  addEvent("mount", "Warning", "failed to set up the network of the pod.", "2026-01-01T10:00:00Z");
  expect(await told()).toEqual({
    reason: "AgentNotStarted",
    message: "The pod of the agent is Pending. Kubernetes says: failed to set up the network of the pod.",
  });
});

test("has whoever runs the cluster look at the network, the certificate and the clocks where the agent runs", async () => {
  addPod("agent", { phase: "Running", containerStatuses: [{ name: "agent", state: { running: {} } }] });
  expect(await told()).toEqual({
    reason: "AgentCannotReachServer",
    message:
      "The agent runs and has not come: look whether pods of the cluster reach https://bowline.example.com, whether its certificate is the one that the agent was told of, and whether the clocks agree.",
  });
});

test("tells of the newest pod, and cuts what a cluster says down to what a condition may say", async () => {
  addPod("agent-old", waitingFor("ErrImagePull"));
  await clock.advance(1_000);
  addPod("agent-new", waitingFor("CrashLoopBackOff", {}, "x".repeat(100_000)));
  const { reason, message } = await told();
  expect(reason).toBe("AgentCrashes");
  expect(message.length).toBeLessThan(2_000);
});
