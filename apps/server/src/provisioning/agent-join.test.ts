import { joinSecretHash } from "@bowline/gateway";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { decodeJoinToken } from "@bowline/protocol";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { conditionsOf, ProvisioningHarness, type Replica } from "./testing/provisioning-harness.ts";

const namespace = "bowline-system";
const minuteMs = 60_000;

let harness: ProvisioningHarness;
let replica: Replica;
let sim: Kubesim;

beforeEach(async () => {
  harness = await ProvisioningHarness.open();
  replica = harness.start();
  sim = await startKubesim({ controllers: false });
  onTestFinished(() => sim.stop());
  harness.cloud.kubeconfig = sim.kubeconfig();
});

/** What the agent would join with. */
function tokenInCluster(): string | undefined {
  const secret = sim.api.get("secrets", namespace, "bowline-agent-join");
  const { token } = (secret?.["data"] ?? {}) as { readonly token?: string };
  return token === undefined ? undefined : Buffer.from(token, "base64").toString();
}

async function joinBy(token: string): Promise<string> {
  const tokenHash = joinSecretHash(decodeJoinToken(token).secret);
  const outcome = await harness.store.agents.join({
    tokenHash,
    publicKey: Buffer.alloc(32, 1).toString("base64url"),
    clusterUid: "the-cluster",
  });
  return outcome.refusal ?? "joined";
}

async function tokensMade(): Promise<number> {
  const { items } = await harness.store.audit.list();
  return items.filter(({ kind, verb }) => kind === "JoinToken" && verb === "create").length;
}

/** Looks until that is so: the cluster answers over a real network, in real time, while the time of the server stands. */
async function untilAgent(reason: string): Promise<void> {
  const look = async (): Promise<string | undefined> =>
    conditionsOf(await harness.look(replica))["AgentConnected"];
  await expect.poll(look).toBe(`False ${reason}`);
}

async function untilJoining(): Promise<string> {
  await harness.create();
  await harness.look(replica);
  for (let turn = 0; turn < 4; turn += 1) await harness.pass(replica, 5_000);
  await untilAgent("InstallingAgent");
  const token = tokenInCluster();
  if (token === undefined) throw new Error("There is no join token in the cluster.");
  return token;
}

describe("The agent of a cluster that is there", () => {
  test("is installed through the kubeconfig of the provider, and asked for no more until it is late", async () => {
    const token = await untilJoining();
    expect(decodeJoinToken(token).servers).toEqual(["https://bowline.example.com"]);
    expect(sim.api.get("deployments.apps", namespace, "bowline-agent")).toMatchObject({
      spec: { template: { spec: { containers: [{ image: "bowline:test" }] } } },
    });
    expect((await harness.get())?.status.provisioning).toMatchObject({
      state: "Joining",
      step: { text: "Waiting for the agent" },
    });
    const asked = (): number => harness.cloud.calls.filter((call) => call === "credentials").length;
    expect(asked()).toBe(1);
    for (let turn = 0; turn < 5; turn += 1) await harness.pass(replica, 10_000);
    expect([asked(), tokenInCluster()]).toEqual([1, token]);
    expect(await joinBy(token)).toBe("joined");
  });

  test("is looked for when it is late, with the token that it has", async () => {
    const token = await untilJoining();
    await harness.clock.advance(5 * minuteMs);
    await untilAgent("AgentNotStarted");
    expect(tokenInCluster()).toBe(token);
    expect((await harness.get())?.status.provisioning?.state).toBe("Joining");
  });

  test("is waited for no longer where the clock was ahead when it was installed", async () => {
    harness.clock.setNow(harness.clock.now() + 24 * 60 * minuteMs);
    await untilJoining();
    harness.clock.setNow(harness.clock.now() - 24 * 60 * minuteMs);
    for (const thing of harness.cloud.things) thing.readyAtMs = 0;
    await harness.look(replica);
    await harness.clock.advance(5 * minuteMs);
    await untilAgent("AgentNotStarted");
    expect((await harness.get())?.status.provisioning?.state).toBe("Joining");
  });

  test("gets another join token before the one it has ends, and is waited for anew", async () => {
    const first = await untilJoining();
    await harness.clock.advance(54 * minuteMs);
    await untilAgent("AgentNotStarted");
    expect(tokenInCluster()).toBe(first);
    await harness.clock.advance(minuteMs);
    await untilAgent("InstallingAgent");
    const second = tokenInCluster() ?? "";
    expect(second).not.toBe(first);
    await harness.clock.advance(5 * minuteMs);
    expect(await joinBy(first)).toBe("expired-token");
    await untilAgent("AgentNotStarted");
    expect(tokenInCluster()).toBe(second);
    expect(await joinBy(second)).toBe("joined");
  });

  test("is told to be installed by hand where the server does not reach the cluster, and tried again", async () => {
    await sim.stop();
    await harness.create();
    await harness.look(replica);
    for (let turn = 0; turn < 3; turn += 1) await harness.pass(replica, 5_000);
    await untilAgent("WaitingForJoin");
    const found = await harness.get();
    expect(found?.status.provisioning?.state).toBe("Provisioned");
    expect(found?.status.conditions.find(({ type }) => type === "AgentConnected")?.message).toContain(
      "bowline cluster add web | kubectl apply -f -",
    );
    const before = harness.cloud.calls.length;
    await harness.pass(replica, 9_999);
    expect(harness.cloud.calls.slice(before)).toEqual([]);
    await harness.pass(replica, 1);
    expect(harness.cloud.calls.slice(before)).toContain("credentials");
    // Nobody could have used one.
    expect(await tokensMade()).toBe(0);
  });

  test("costs no join token for as long as the cluster refuses what runs it", async () => {
    const fault = sim.faults.failRequests({ code: 403, resource: "deployments.apps" });
    await harness.create();
    for (let turn = 0; turn < 4; turn += 1) {
      await harness.look(replica);
      await harness.clock.advance(10_000);
    }
    await untilAgent("WaitingForJoin");
    expect(fault.hits).toBeGreaterThan(0);
    expect([await tokensMade(), tokenInCluster()]).toEqual([0, undefined]);
    fault.remove();
    await untilAgent("InstallingAgent");
    expect(await tokensMade()).toBe(1);
    expect(await joinBy(tokenInCluster() ?? "")).toBe("joined");
  });

  test("keeps nobody for a cluster that takes its time for each answer", async () => {
    const fault = sim.faults.slowRequests({ resource: "deployments.apps", delayMs: 600_000 });
    await harness.create();
    await harness.look(replica);
    for (let turn = 0; turn < 3; turn += 1) await harness.pass(replica, 5_000);
    await expect.poll(() => fault.hits).toBe(1);
    await harness.clock.advance(60_000);
    await untilAgent("WaitingForJoin");
    const told = (await harness.get())?.status.conditions.find(({ type }) => type === "AgentConnected");
    expect(told?.message).toContain("within 60 s");
    fault.remove();
    // The next visit has begun by now, and is as slow.
    await harness.clock.advance(60_000);
    await untilAgent("InstallingAgent");
  });

  test("is not installed by a kubeconfig that has this machine read its files or start its programs", async () => {
    const cluster = { name: "c", cluster: { server: sim.url } };
    const user = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "id" } };
    harness.cloud.kubeconfig = JSON.stringify({
      clusters: [cluster],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
    await harness.create();
    await harness.look(replica);
    for (let turn = 0; turn < 3; turn += 1) await harness.pass(replica, 5_000);
    await untilAgent("WaitingForJoin");
    const found = await harness.get();
    const told = found?.status.conditions.find(({ type }) => type === "AgentConnected")?.message;
    expect(told).toContain("names files or programs of its machine");
  });
});
