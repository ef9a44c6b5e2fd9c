import { expect, test } from "vitest";

import { askCluster } from "./ask-cluster.ts";
import { clusterName } from "./people.ts";
import type { Topic } from "./topic.ts";

const namespace = "bowline-system";
const deployment = "deployment/bowline-agent";
const label = "app.kubernetes.io/name=bowline-agent";
const patience = { timeout: 60_000, interval: 500 };
const account = `system:serviceaccount:${namespace}:bowline-agent`;

/** The agent as a pod of its cluster, with the manifest that `bowline cluster add` printed. */
export const agentsTopic: Topic = (stage) => {
  /** Beside Bowline, as whoever looks after the cluster. */
  const admin = (...args: string[]): Promise<string> =>
    stage().cluster.kubectl(["--namespace", namespace, ...args]);
  const identity = (): Promise<string> =>
    admin("get", "secret/bowline-agent-key", "-o", String.raw`jsonpath={.data.identity\.json}`);
  const log = (): Promise<string> => admin("logs", deployment);
  const joins = async (): Promise<number> => {
    const { out } = await stage().bowline(["audit", "--verb", "join", "-o", "json"]);
    return (JSON.parse(out) as readonly unknown[]).length;
  };
  /** The names of pods that are ready. */
  const readyPods = async (): Promise<string[]> => {
    const filter = "{range .items[?(@.status.containerStatuses[0].ready==true)]}{.metadata.name} {end}";
    const names = await admin("get", "pods", "-l", label, "-o", `jsonpath=${filter}`);
    return names.split(" ").filter((name) => name !== "");
  };
  const metricsOf = (pod: string): Promise<string> =>
    admin("get", "--raw", `/api/v1/namespaces/${namespace}/pods/${pod}:8081/proxy/metrics`);
  const reachable = async (): Promise<void> => {
    await expect.poll(async () => (await stage().operator.tried(["get", "nodes"])).code, patience).toBe(0);
  };
  /** As docs/guides/connect-a-cluster.md says. */
  const rotate = async (): Promise<void> => {
    const { cluster, bowline } = stage();
    const { out: manifest } = await bowline(["cluster", "rotate", clusterName]);
    await cluster.kubectl(["apply", "-f", "-"], { input: manifest });
    await admin("rollout", "restart", deployment);
    await admin("rollout", "status", deployment, "--timeout=150s");
  };

  test("runs as nobody, cannot write, is ready and was never restarted", async () => {
    const { operator } = stage();
    const pod = "{.items[*].status.containerStatuses[*]['ready','restartCount']}";
    await admin("rollout", "status", deployment, "--timeout=150s");
    expect(await admin("get", "pods", "-l", label, "-o", `jsonpath=${pod}`)).toBe("true 0");
    // Through the very agent that is looked at.
    const inAgent = ["exec", "--namespace", namespace, deployment, "--"];
    expect(await operator.run(...inAgent, "node", "--print", "process.getuid()")).toBe("65532\n");
    const write = 'require("node:fs").writeFileSync("/app/new", "")';
    const written = await operator.tried([...inAgent, "node", "--eval", write]);
    expect(written).toMatchObject({
      code: 1,
      error: expect.stringContaining("EROFS: read-only file system"),
    });
  });

  test("may do by itself what its rules say, and no more", async () => {
    const rights = await admin("auth", "can-i", "--list", "--no-headers", "--as", account);
    // Whoever is signed in may ask what the cluster offers, and about himself.
    const own = rights
      .split("\n")
      .filter((line) => !/^(?:$| |selfsubject)/u.test(line))
      .map((line) => line.replaceAll(/ {2,}/gu, " ").trim())
      .toSorted();
    const reads = " [] [] [get list watch]";
    expect(own.filter((line) => !line.endsWith(reads))).toEqual([
      "customresourcedefinitions.apiextensions.k8s.io [] [workloads.bowline.dev] [create update patch]",
      "groups [] [] [impersonate]",
      "leases.coordination.k8s.io [] [bowline-agent] [get update patch]",
      "namespaces [] [kube-system] [get]",
      "secrets [] [bowline-agent-key] [get update patch]",
      "userextras.authentication.k8s.io/bowline.dev/grant [] [] [impersonate]",
      "userextras.authentication.k8s.io/bowline.dev/request-id [] [] [impersonate]",
      "userextras.authentication.k8s.io/bowline.dev/user [] [] [impersonate]",
      "users [] [] [impersonate]",
      "workloads.bowline.dev [] [] [get list watch create update patch delete]",
      "workloads.bowline.dev/status [] [] [get list watch create update patch delete]",
    ]);
    const read = own.filter((line) => line.endsWith(reads)).map((line) => line.replace(reads, ""));
    expect(read).toEqual(expect.arrayContaining(["pods", "deployments.apps", "events"]));
    expect(read.filter((resource) => /secret|\*/u.test(resource))).toEqual([]);
  });

  test("has all the rights it needs", async () => {
    expect(await log()).toContain('"msg":"Connected"');
    const lines = (await log()).split("\n").filter((line) => /forbidden/iu.test(line));
    // Kinds of workloads that its rights leave out, such as Secrets, it names itself.
    expect(lines.filter((line) => !line.includes('"reason":"WatchForbidden"'))).toEqual([]);
  });

  test("holds nothing of requests that have ended, or whose clients were killed", async () => {
    const [pod = ""] = await readyPods();
    await expect.poll(() => metricsOf(pod), patience).toMatch(/^bowline_agent_streams 0$/mu);
  });

  test("two of them are one agent: one reports, either lets requests in, none needs the join token", async () => {
    const { operator } = stage();
    const key = await identity();
    await admin("delete", "secret/bowline-agent-join");
    await admin("scale", deployment, "--replicas=2");
    await admin("rollout", "status", deployment, "--timeout=150s");
    const pods = await readyPods();
    expect(pods).toHaveLength(2);
    const reporters = async (): Promise<string[]> => {
      const pages = await Promise.all(pods.map(metricsOf));
      return pods.filter((_, index) => /^bowline_agent_is_reporter 1$/mu.test(pages[index] ?? ""));
    };
    await expect.poll(reporters, patience).toHaveLength(1);
    const [reporter = ""] = await reporters();
    await admin("delete", `pod/${reporter}`, "--wait=false");
    expect(await operator.run("get", "nodes", "-o", "name")).toBe("node/node-1\n");
    const isNew = (name: string): boolean => !pods.includes(name);
    await expect.poll(async () => (await readyPods()).some(isNew), patience).toBe(true);
    expect(await identity()).toBe(key);
    expect(await joins()).toBe(1);
    await admin("scale", deployment, "--replicas=1");
    await expect.poll(readyPods, patience).toHaveLength(1);
    await reachable();
  });

  test("gets a new key when it is rotated", async () => {
    const before = await identity();
    await rotate();
    await reachable();
    expect(await identity()).not.toBe(before);
    expect(await joins()).toBe(2);
  });

  test("is shut out when it is revoked, lives on, and is let in again", async () => {
    const { bowline, tokens } = stage();
    await bowline(["cluster", "revoke", clusterName]);
    const question = { token: tokens.operator, method: "GET", path: "/version" };
    expect(await askCluster(stage(), question)).toMatchObject({
      status: 503,
      headers: { "x-bowline-error-from": "agent" },
      body: { reason: "AgentOffline" },
    });
    await expect.poll(log, patience).toContain("was revoked");
    await rotate();
    await reachable();
    expect(await joins()).toBe(3);
  });

  test("is taken out by what `bowline cluster remove` prints", async () => {
    const { bowline, cluster } = stage();
    const { error: advice } = await bowline(["cluster", "remove", clusterName, "--cascade"]);
    const [, command = ""] = /^ *kubectl (delete .*)$/mu.exec(advice) ?? [];
    await cluster.kubectl([...command.split(" "), "--wait=false"]);
    const roles = ["get", "clusterroles,clusterrolebindings", "-l", "app.kubernetes.io/part-of=bowline"];
    expect(await cluster.kubectl([...roles, "-o", "name"])).toBe("");
    const phase = ["get", `namespace/${namespace}`, "-o", "jsonpath={.status.phase}"];
    expect(await cluster.kubectl(phase)).toBe("Terminating");
  });
};
