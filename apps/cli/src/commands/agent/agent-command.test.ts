import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { runBowline } from "../../testing/run-bowline.ts";
import { AgentBench } from "./testing/agent-bench.ts";
import { relayTo } from "./testing/tcp-relay.ts";

async function startCluster(): Promise<Kubesim> {
  const cluster = await startKubesim({ controllers: false });
  onTestFinished(() => cluster.stop());
  return cluster;
}

const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "greeting", namespace: "default" },
  data: { hello: "world" },
};

describe("bowline agent", () => {
  test("joins the server, lets its requests into the cluster, and comes back as who it was", async () => {
    const [bench, cluster] = await Promise.all([AgentBench.open(), startCluster()]);
    expect(await bench.get("/clusters/edge/version")).toMatchObject({ status: 503 });
    const joinToken = await bench.newJoinToken();
    const first = await bench.startAgent(cluster.kubeconfig(), { joinToken });
    expect(first.terminal.written).toMatch(
      /is the agent of the cluster edge\n {2}Identity {2}\S+identity\.json\n/u,
    );
    await bench.reachable(true);

    const path = "/clusters/edge/api/v1/namespaces/default/configmaps";
    expect(await bench.post(path, configMap)).toMatchObject({ status: 201, body: { data: configMap.data } });
    expect(await bench.get(`${path}/greeting`)).toMatchObject({
      status: 200,
      body: { data: configMap.data },
    });
    expect(await bench.get(`${path}/none`)).toMatchObject({ status: 404, body: { reason: "NotFound" } });
    expect(cluster.api.get("configmaps", "default", "greeting")).toBeDefined();

    const health = /http:\/\/\S+/u.exec(first.terminal.written)?.[0] ?? "";
    expect(await (await fetch(health)).text()).toContain("[+]session ok");
    const metrics = await (await fetch(health.replace("readyz", "metrics"))).text();
    expect(metrics).toMatch(/^bowline_agent_sessions 1$/mu);
    expect(metrics).toMatch(/^bowline_agent_streams 0$/mu);
    expect(metrics).toMatch(/^bowline_agent_request_bytes_total [1-9]/mu);

    expect((await first.stop()).code).toBe(0);
    expect(await bench.get("/clusters/edge/version")).toMatchObject({ status: 503 });
    // Without a token: it knows who it is.
    await bench.startAgent(cluster.kubeconfig());
    await bench.reachable(true);
    expect((await bench.get("/api/v1/clusters/edge")).body).toMatchObject({
      status: { kubernetesVersion: "v1.34.0", agent: { version: "1.2.3" } },
    });
  });

  test("says why it may not join: a token that was used, that is cut, that is for another server", async () => {
    const [bench, cluster, other] = await Promise.all([AgentBench.open(), startCluster(), startCluster()]);
    const joinToken = await bench.newJoinToken();
    await bench.startAgent(cluster.kubeconfig(), { joinToken });
    const refused = async (token: string, folder: string): Promise<string> => {
      const flags = ["--data", join(bench.folder, folder)];
      const { stop } = await bench.startAgent(other.kubeconfig(), { joinToken: token, flags });
      const { code, error } = await stop();
      return `${code} ${error}`;
    };
    expect(await refused(joinToken, "a")).toMatch(
      /^1 error: The join token was used before, with another key/u,
    );
    expect(await refused(joinToken.slice(0, -3), "b")).toMatch(/^2 error: The join token is not complete/u);
    // Somebody sits where another server was.
    const stranger = await AgentBench.open();
    const theirs = await stranger.newJoinToken();
    await stranger.server[Symbol.asyncDispose]();
    await relayTo(bench.port, stranger.port);
    expect(await refused(theirs, "c")).toMatch(
      /^1 error: \S+ shows no certificate of the CA that the join token names/u,
    );
    await expect
      .poll(async () => (await bench.get("/api/v1/audit?verb=join")).body["items"])
      .toMatchObject([{ outcome: "denied" }, { outcome: "allowed" }]);
  });

  test("is refused with a copied key in another cluster, and once it is revoked", async () => {
    const [bench, cluster, other] = await Promise.all([AgentBench.open(), startCluster(), startCluster()]);
    const data = join(bench.folder, "identity");
    const flags = ["--data", data];
    const agent = await bench.startAgent(cluster.kubeconfig(), {
      joinToken: await bench.newJoinToken(),
      flags,
    });
    await bench.reachable(true);
    const copied = await bench.startAgent(other.kubeconfig(), { flags });
    const health = /http:\/\/\S+/u.exec(copied.terminal.written)?.[0] ?? "";
    await expect
      .poll(async () => (await fetch(health)).text())
      .toContain("The key of this agent belongs to an agent in another cluster");
    await copied.stop();

    await bench.post("/api/v1/clusters/edge/revoke-agents");
    await bench.reachable(false);
    const ownHealth = /http:\/\/\S+/u.exec(agent.terminal.written)?.[0] ?? "";
    await expect.poll(async () => (await fetch(ownHealth)).text()).toContain("was revoked");

    // A new token makes it somebody again; the old key stays dead.
    await agent.stop();
    const before = await readFile(join(data, "identity.json"), "utf8");
    await bench.startAgent(cluster.kubeconfig(), { joinToken: await bench.newJoinToken(), flags });
    await bench.reachable(true);
    expect(await readFile(join(data, "identity.json"), "utf8")).not.toBe(before);
  });

  test("does not talk to a server whose certificate another CA has signed", async () => {
    const [bench, cluster] = await Promise.all([AgentBench.open(), startCluster()]);
    const flags = ["--data", join(bench.folder, "identity")];
    const joined = await bench.startAgent(cluster.kubeconfig(), {
      joinToken: await bench.newJoinToken(),
      flags,
    });
    await joined.stop();
    const caFile = join(bench.folder, "other-ca.crt");
    await writeFile(caFile, cluster.caCert);
    const agent = await bench.startAgent(cluster.kubeconfig(), {
      flags: [...flags, "--server-ca-file", caFile],
    });
    const health = /http:\/\/\S+/u.exec(agent.terminal.written)?.[0] ?? "";
    await expect
      .poll(async () => (await fetch(health)).text())
      .toContain("is not signed by the CA that the agent trusts");
    expect(await bench.get("/clusters/edge/version")).toMatchObject({ status: 503 });
  });

  test("has its flags in its help, and says what is wrong with them", async () => {
    const { out } = await runBowline(["agent", "--help"]);
    expect(out).toContain("--join-token-file <FILE>");
    expect(out).not.toContain("--join-token <");
    const { code, error } = await runBowline(["agent", "--max-streams", "many"]);
    expect(`${code} ${error}`).toMatch(/^2 error: --max-streams must be a whole number from 1 to 100000/u);
    const missing = await runBowline(["agent", "--kubeconfig", "/none", "--log-level", "silent"]);
    expect(`${missing.code} ${missing.error}`).toMatch(/^1 error: .*\/none/u);
  });
});
