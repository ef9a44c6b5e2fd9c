import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { FaultyNetwork } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { runBowline } from "../testing/run-bowline.ts";
import { AgentBench, answerTo, healthPage, responseTo } from "../testing/agent-bench.ts";

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

/** How the server sees it in its audit. */
const distrusted = expect.stringMatching(/^failed {2}.*it may not trust the CA of this server/u);

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

    expect(await healthPage(first.terminal.written, "readyz?verbose")).toContain("[+]session ok");
    const metrics = await healthPage(first.terminal.written, "metrics");
    expect(metrics).toMatch(/^bowline_agent_sessions 1$/mu);
    expect(metrics).toMatch(/^bowline_agent_streams 0$/mu);
    expect(metrics).toMatch(/^bowline_agent_is_reporter 1$/mu);
    expect(metrics).toMatch(/^bowline_agent_request_bytes_total [1-9]/mu);
    const ofServer = await text(await responseTo(bench.request("/metrics").end()));
    // One for the session, and one that carries the tunnel and nothing else.
    expect(ofServer).toMatch(/^bowline_agent_connections 2$/mu);

    expect((await first.stop()).code).toBe(0);
    expect(await bench.get("/clusters/edge/version")).toMatchObject({ status: 503 });
    // Without a token: it knows who it is.
    await bench.startAgent(cluster.kubeconfig());
    await bench.reachable(true);
    expect((await bench.get("/api/v1/clusters/edge")).body).toMatchObject({
      status: { kubernetesVersion: "v1.36.4", agent: { version: "1.2.3" } },
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
    await bench.post("/api/v1/clusters", { metadata: { name: "gone" }, spec: {} });
    const orphan = String((await bench.post("/api/v1/clusters/gone/join-tokens")).body["token"]);
    await answerTo(bench.request("/api/v1/clusters/gone", { method: "DELETE" }).end());
    expect(await refused(orphan, "c")).toMatch(/^1 error: The server does not know this join token/u);
    // Somebody sits where another server was.
    const stranger = await AgentBench.open();
    const theirs = await stranger.newJoinToken();
    await stranger.server[Symbol.asyncDispose]();
    const network = await FaultyNetwork.start(bench.port, stranger.port);
    onTestFinished(() => network[Symbol.asyncDispose]());
    expect(await refused(theirs, "d")).toMatch(
      /^1 error: \S+ shows no certificate of the CA that the join token names/u,
    );
    await expect
      .poll(() => bench.audited("join"))
      .toEqual([
        expect.stringMatching(/^denied {2}The server does not know this join token/u),
        expect.stringMatching(/^denied edge The join token was used before, with another key/u),
        expect.stringMatching(/^allowed edge Agent \S+ joined with key 1/u),
      ]);
    await expect.poll(() => bench.audited("connect")).toEqual([distrusted]);
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
    await expect
      .poll(() => healthPage(copied.terminal.written, "readyz"))
      .toContain("The key of this agent belongs to an agent in another cluster");
    await copied.stop();

    await bench.post("/api/v1/clusters/edge/revoke-agents");
    await bench.reachable(false);
    await expect.poll(() => healthPage(agent.terminal.written, "readyz")).toContain("was revoked");
    await agent.stop();
    const revoked = await bench.startAgent(cluster.kubeconfig(), { flags });
    await expect.poll(() => healthPage(revoked.terminal.written, "readyz")).toContain("was revoked at");
    await revoked.stop();
    await expect
      .poll(() => bench.audited("connect"))
      .toEqual([
        expect.stringMatching(/^denied edge The key of this agent was revoked at 2.*bowline cluster rotate/u),
        expect.stringMatching(/^denied edge The key of this agent belongs to an agent in another cluster/u),
      ]);
    expect(await bench.audited("revoke")).toEqual([expect.stringMatching(/^allowed edge/u)]);

    // A new token makes it somebody again; the old key stays dead.
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
    await bench.reachable(true);
    await joined.stop();
    expect(await bench.audited("connect")).toEqual([]);
    const caFile = join(bench.folder, "other-ca.crt");
    await writeFile(caFile, cluster.caCert);
    const agent = await bench.startAgent(cluster.kubeconfig(), {
      flags: [...flags, "--server-ca-file", caFile],
    });
    await expect
      .poll(() => healthPage(agent.terminal.written, "readyz"))
      .toContain("is not signed by the CA that the agent trusts");
    await expect.poll(() => bench.audited("connect")).toEqual([distrusted]);
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

  test("check-config lists the settings with where they are from, without the join token", async () => {
    const environment = { HOME: "/home/operator", BOWLINE_JOIN_TOKEN: "bwj_s3cret", KUBECONFIG: "/k" };
    const { code, out, error } = await runBowline(["agent", "check-config", "--drain-time", "5"], {
      environment,
    });
    expect([code, error]).toEqual([0, ""]);
    expect(out).toMatch(/^joinToken +\[Redacted\] +BOWLINE_JOIN_TOKEN$/mu);
    expect(out).toMatch(/^kubeconfig +\/k +KUBECONFIG$/mu);
    expect(out).toMatch(/^drainTime +5s +--drain-time$/mu);
    expect(out).toMatch(/^servers +\(those that the join token named\) +default$/mu);
    const wrong = await runBowline(["agent", "check-config", "--drain-time", "soon", "--max-streams", "0"]);
    expect(`${wrong.code} ${wrong.error}`).toMatch(
      /^2 error: 2 settings are wrong, the first: --max-streams must be/u,
    );
  });
});
