import { expect, test } from "vitest";

import { findCondition } from "../controllers/conditions.ts";
import type { ContainerState, ContainerStatus } from "../controllers/kinds/pod.ts";
import { deployment, pod } from "../controllers/testing/manifests.ts";
import { SimCluster } from "../controllers/testing/sim-cluster.ts";

function container(cluster: SimCluster, name: string): ContainerStatus | undefined {
  return cluster.pod(name).status?.containerStatuses?.[0];
}

function waiting(cluster: SimCluster, name: string): ContainerState["waiting"] {
  return container(cluster, name)?.state.waiting;
}

function behaving(kind: string, more: Record<string, string> = {}): { annotations: Record<string, string> } {
  const parameters = Object.entries(more).map(([key, value]) => [`kubesim.bowline.dev/${key}`, value]);
  return { annotations: { "kubesim.bowline.dev/behaviour": kind, ...Object.fromEntries(parameters) } };
}

test("a pod goes from ContainerCreating to Running and Ready", async () => {
  using cluster = new SimCluster({ startDelayMs: 2_000 });
  const web = cluster.apply(pod("web"));
  await cluster.pass(1_000);
  expect(cluster.pod("web").status).toMatchObject({
    phase: "Pending",
    hostIP: expect.stringMatching(/^172\.18\./),
    startTime: "2026-01-01T00:00:00Z",
    conditions: [
      { type: "Initialized", status: "True" },
      {
        type: "Ready",
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [app]",
      },
      { type: "ContainersReady", status: "False" },
      { type: "PodScheduled", status: "True" },
    ],
    containerStatuses: [{ name: "app", ready: false, state: { waiting: { reason: "ContainerCreating" } } }],
  });
  expect(cluster.pod("web").status).not.toHaveProperty("podIP");

  await cluster.pass(1_000);
  expect(cluster.pod("web").status).toMatchObject({
    phase: "Running",
    podIP: expect.stringMatching(/^10\.128\./),
    containerStatuses: [
      {
        ready: true,
        started: true,
        restartCount: 0,
        image: "docker.io/library/nginx:1.25",
        state: { running: { startedAt: "2026-01-01T00:00:02Z" } },
      },
    ],
  });
  expect(cluster.events(web).slice(1)).toEqual([
    'Pulling: Pulling image "nginx:1.25"',
    'Pulled: Successfully pulled image "nginx:1.25" in 2s (2s including waiting)',
    "Created: Created container app",
    "Started: Started container app",
  ]);
});

test("with no start delay a pod runs as soon as it is bound", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(pod("web"));
  await cluster.settled();
  expect(cluster.pod("web").status?.phase).toBe("Running");
});

test("a container that crashes is restarted at once, then with a back-off that doubles to five minutes", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  const web = cluster.apply(pod("web", behaving("crash-loop", { "exit-code": "3", "run-seconds": "2" })));
  await cluster.pass(3_000);
  expect(container(cluster, "web")).toMatchObject({
    restartCount: 1,
    state: { running: {} },
    lastState: { terminated: { exitCode: 3, reason: "Error" } },
  });
  const delays: string[] = [];
  for (let crash = 0; crash < 7; crash++) {
    await cluster.pass(4_000);
    const { uid } = cluster.pod("web").metadata;
    const message = waiting(cluster, "web")?.message ?? "";
    expect(waiting(cluster, "web")?.reason).toBe("CrashLoopBackOff");
    const [, delay = ""] = /^back-off (\w+) restarting failed container=app pod=/.exec(message) ?? [];
    expect(message).toContain(`pod=web_default(${uid})`);
    delays.push(delay);
    const restarts = container(cluster, "web")?.restartCount ?? 0;
    for (let waited = 0; waited < 400 && container(cluster, "web")?.restartCount === restarts; waited++) {
      await cluster.pass(1_000);
    }
  }
  expect(delays).toEqual(["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  expect(cluster.pod("web").status?.phase).toBe("Running");
  const backOff = cluster.events(web).find((event) => event.startsWith("BackOff"));
  expect(backOff).toMatch(
    /^BackOff: Back-off restarting failed container app in pod web_default\(.*\) \(x\d+\)$/,
  );
});

test("the back-off can be made short", async () => {
  using cluster = new SimCluster({ startDelayMs: 0, syncMs: 1, backoffBaseMs: 10, backoffMaxMs: 40 });
  cluster.apply(pod("web", behaving("crash-loop", { "run-seconds": "0.001" })));
  await cluster.pass(1_000);
  expect(container(cluster, "web")?.restartCount).toBeGreaterThan(15);
});

test("an image that cannot be had alternates between ErrImagePull and ImagePullBackOff", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  const web = cluster.apply(pod("web", { image: "nginx:nope", ...behaving("image-pull-error") }));
  await cluster.settled();
  expect(waiting(cluster, "web")).toMatchObject({
    reason: "ErrImagePull",
    message: expect.stringContaining('failed to pull and unpack image "docker.io/library/nginx:nope"'),
  });
  await cluster.pass(2_000);
  expect(waiting(cluster, "web")).toEqual({
    reason: "ImagePullBackOff",
    message: 'Back-off pulling image "nginx:nope"',
  });
  expect(cluster.pod("web").status?.phase).toBe("Pending");
  await cluster.pass(60_000);
  const events = cluster.events(web);
  expect(events).toContainEqual(expect.stringMatching(/^Failed: Error: ErrImagePull \(x[34]\)$/));
  expect(events).toContainEqual(
    expect.stringMatching(/^BackOff: Back-off pulling image "nginx:nope" \(x\d+\)$/),
  );
});

test("a pod whose image is tried again does not look as if it were new", async () => {
  using cluster = new SimCluster({ startDelayMs: 500 });
  const web = cluster.apply(pod("web", { image: "nginx:nope", ...behaving("image-pull-error") }));
  await cluster.pass(1_000);
  const reasons = new Set<unknown>();
  for (let passedMs = 0; passedMs < 30_000; passedMs += 100) {
    await cluster.pass(100);
    reasons.add(waiting(cluster, "web")?.reason);
  }
  expect(cluster.events(web)).toContainEqual(expect.stringMatching(/^Pulling: .* \(x[2-9]\)$/));
  expect(reasons).toEqual(new Set(["ErrImagePull", "ImagePullBackOff"]));
});

test("an image that nobody has published cannot be had by any pod, and the one before can", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.nodes.behaviour({ image: "example.test/web:2.0" }, { kind: "image-pull-error" });
  cluster.apply(deployment("new", {}, { image: "example.test/web:2.0" }));
  cluster.apply(deployment("old", {}, { image: "example.test/web:1.9" }));
  await cluster.pass(2_000);
  expect(cluster.deployment("new").status).toMatchObject({ unavailableReplicas: 3 });
  expect(cluster.deployment("old").status).toMatchObject({ availableReplicas: 3 });
});

test("a container that uses too much memory is OOMKilled", async () => {
  using cluster = new SimCluster();
  cluster.apply(pod("web", { ...behaving("oom"), spec: { restartPolicy: "Never" } }));
  await cluster.pass(5_000);
  expect(cluster.pod("web").status?.phase).toBe("Failed");
  expect(container(cluster, "web")?.state.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

test.each([
  ["succeed", "Never", "Succeeded"],
  ["succeed", "OnFailure", "Succeeded"],
  ["fail", "Never", "Failed"],
  ["fail", "OnFailure", "Running"],
  ["succeed", "Always", "Running"],
] as const)("%s with restartPolicy %s ends as %s", async (kind, restartPolicy, phase) => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(pod("task", { ...behaving(kind), spec: { restartPolicy } }));
  await cluster.pass(10_000);
  expect(cluster.pod("task").status?.phase).toBe(phase);
});

test("init containers run one after another before the others", async () => {
  using cluster = new SimCluster({ startDelayMs: 1_000 });
  cluster.apply(
    pod("web", {
      spec: {
        initContainers: [
          { name: "first", image: "busybox:1" },
          { name: "second", image: "busybox:1" },
        ],
      },
    }),
  );
  await cluster.pass(1_500);
  expect(cluster.pod("web").status).toMatchObject({
    phase: "Pending",
    initContainerStatuses: [
      { name: "first", ready: true, state: { terminated: { reason: "Completed" } } },
      { name: "second", ready: false, state: { waiting: { reason: "PodInitializing" } } },
    ],
    containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
  });
  expect(findCondition(cluster.pod("web").status?.conditions, "Initialized")).toMatchObject({
    status: "False",
    message: "containers with incomplete status: [second]",
  });
  await cluster.pass(2_000);
  expect(cluster.pod("web").status?.phase).toBe("Running");
});

test("a readiness probe delays Ready, and one that fails is reported", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  const readinessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 15, periodSeconds: 5 };
  cluster.apply(pod("slow", { container: { readinessProbe } }));
  const sick = cluster.apply(pod("sick", { container: { readinessProbe }, ...behaving("never-ready") }));
  await cluster.pass(10_000);
  expect(container(cluster, "slow")).toMatchObject({ ready: false, state: { running: {} } });
  await cluster.pass(10_000);
  expect(container(cluster, "slow")?.ready).toBe(true);
  expect(container(cluster, "sick")?.ready).toBe(false);
  expect(cluster.events(sick)).toContain(
    "Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503 (x4)",
  );
});

test("a pod that is deleted ends its containers first and then goes", async () => {
  using cluster = new SimCluster({ stopDelayMs: 3_000 });
  const web = cluster.apply(pod("web"));
  await cluster.pass(1_000);
  cluster.store.delete("pods", "default", "web");
  await cluster.pass(2_000);
  expect(cluster.pod("web").metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(container(cluster, "web")?.state).toHaveProperty("running");
  await cluster.pass(2_000);
  expect(cluster.pods()).toEqual([]);
  expect(cluster.events(web)).toContain("Killing: Stopping container app");
});

test("a pod with a finalizer stays until the finalizer goes", async () => {
  using cluster = new SimCluster();
  cluster.apply(pod("web"));
  cluster.change(cluster.pod("web"), (live) => ({
    ...live,
    metadata: { ...live.metadata, finalizers: ["example.com/wait"] },
  }));
  await cluster.pass(1_000);
  cluster.store.delete("pods", "default", "web");
  await cluster.pass(60_000);
  expect(container(cluster, "web")?.state).toHaveProperty("terminated");
  cluster.change(cluster.pod("web"), (live) => {
    const { finalizers: _, ...metadata } = live.metadata;
    return { ...live, metadata };
  });
  await cluster.pass(1_000);
  expect(cluster.pods()).toEqual([]);
});

test("a rule changes how running pods behave, and taking it back heals them", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(deployment("web"));
  await cluster.pass(1_000);
  const undo = cluster.nodes.behaviour({ labels: { app: "web" } }, { kind: "never-ready" });
  await cluster.settled();
  expect(cluster.deployment("web").status).toMatchObject({ unavailableReplicas: 3 });
  undo();
  await cluster.settled();
  expect(cluster.deployment("web").status).toMatchObject({ availableReplicas: 3 });
});

test("a container that is killed is restarted", async () => {
  using cluster = new SimCluster();
  cluster.apply(pod("web"));
  await cluster.pass(1_000);
  cluster.nodes.kill({ namespace: "default", name: "web" });
  await cluster.pass(5_000);
  expect(container(cluster, "web")).toMatchObject({
    restartCount: 1,
    ready: true,
    lastState: { terminated: { exitCode: 137, reason: "Error" } },
  });
});

test("a pod waits for a ConfigMap that it mounts", async () => {
  using cluster = new SimCluster();
  const volumes = [{ name: "settings", configMap: { name: "settings" } }];
  const web = cluster.apply(pod("web", { spec: { volumes } }));
  await cluster.pass(5_000);
  expect(cluster.pod("web").status?.phase).toBe("Pending");
  expect(cluster.events(web)).toContainEqual(
    expect.stringMatching(
      /^FailedMount: MountVolume\.SetUp failed for volume "settings" : configmap "settings" not found \(x\d\)$/,
    ),
  );
  cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } });
  await cluster.pass(10_000);
  expect(cluster.pod("web").status?.phase).toBe("Running");
});

test("a container waits for a Secret that its environment needs", async () => {
  using cluster = new SimCluster();
  const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password" } } }];
  cluster.apply(pod("web", { container: { env } }));
  await cluster.pass(5_000);
  expect(waiting(cluster, "web")).toEqual({
    reason: "CreateContainerConfigError",
    message: 'secret "db" not found',
  });
  cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "db" } });
  await cluster.pass(20_000);
  expect(cluster.pod("web").status?.phase).toBe("Running");
});

test("no two pods have the same address, and addresses come back", async () => {
  using cluster = new SimCluster({ startDelayMs: 0, stopDelayMs: 0, nodes: [{ pods: 1000 }] });
  for (let round = 0; round < 3; round++) {
    cluster.apply(deployment(`web${round}`, { replicas: 200 }));
    await cluster.pass(1_000);
    const addresses = cluster.pods().map((each) => each.status?.podIP);
    expect(new Set(addresses).size).toBe(addresses.length);
    cluster.store.delete("deployments.apps", "default", `web${round}`, { propagation: "Background" });
    await cluster.pass(5_000);
  }
  expect(cluster.pods()).toEqual([]);
});

test("logs show what a container did, also before it was restarted", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(pod("web"));
  await cluster.pass(25_000);
  const log = cluster.nodes.containerLogs(cluster.pod("web"), "app");
  expect(log.lines().map(({ text }) => text)).toEqual([
    "starting docker.io/library/nginx:1.25",
    "listening, ready to serve",
    "served 39 requests in the last 10s",
    "served 38 requests in the last 10s",
  ]);
  const heard: string[] = [];
  const stop = log.follow({ line: ({ text }) => heard.push(text), end: () => heard.push("end") });
  cluster.nodes.writeLog({ namespace: "default", name: "web" }, "app", "hello");
  await cluster.pass(10_000);
  expect(heard).toEqual(["hello", "served 37 requests in the last 10s"]);
  cluster.nodes.kill({ namespace: "default", name: "web" }, { exitCode: 2 });
  await cluster.pass(5_000);
  stop();
  expect(heard).toContain("fatal: giving up, exit status 2");
  expect(log.lines({ previous: true }).at(-1)?.text).toBe("fatal: giving up, exit status 2");
  expect(log.lines()[0]?.timeMs).toBeGreaterThan(cluster.clock.now() - 5_000);
});

test("keeps as many lines of a container as it is told to, the newest", async () => {
  using cluster = new SimCluster({ startDelayMs: 0, keptLogLines: 3 });
  cluster.apply(pod("web"));
  await cluster.pass(1_000);
  for (let line = 1; line <= 20; line++) {
    cluster.nodes.writeLog({ namespace: "default", name: "web" }, "app", `line ${line}`);
    const kept = cluster.nodes.containerLogs(cluster.pod("web"), "app").lines();
    expect(kept).toHaveLength(3);
    expect(kept.at(-1)?.text).toBe(`line ${line}`);
  }
});
