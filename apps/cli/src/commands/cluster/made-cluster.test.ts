import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { isRecord } from "@bowline/core";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { AgentBench, answerTo } from "../../testing/agent-bench.ts";

/** A real server that makes clusters, of which the simulated one is what it has made. */
async function open() {
  const cloud = new FakeCloud();
  const provider = fakeProvider(cloud);
  const [bench, cluster] = await Promise.all([
    AgentBench.open({ providers: new Map([[provider.name, provider]]) }),
    startKubesim({ controllers: false }),
  ]);
  onTestFinished(() => cluster.stop());
  cloud.kubeconfig = cluster.kubeconfig();
  return { cloud, bench, cluster };
}

/** The agent's pod, which nobody runs here: what it would join by. */
function joinTokenIn(cluster: Kubesim): string | undefined {
  const secret = cluster.api.get("secrets", "bowline-system", "bowline-agent-join");
  const data = isRecord(secret) && isRecord(secret["data"]) ? secret["data"]["token"] : undefined;
  return typeof data === "string" ? Buffer.from(data, "base64").toString() : undefined;
}

async function stateOf(bench: AgentBench, name = "made"): Promise<string | undefined> {
  const { status } = (await bench.get(`/api/v1/clusters/${name}`)).body;
  const { provisioning } = isRecord(status) ? status : {};
  return isRecord(provisioning) ? String(provisioning["state"]) : undefined;
}

describe("A cluster that the server has made", () => {
  test("gets its agent by the kubeconfig of its provider, joins by itself, and is deleted with all of it", async () => {
    const { cloud, bench, cluster } = await open();
    const spec = { provider: "kind", kind: { nodes: 1 } };
    await bench.post("/api/v1/clusters", { metadata: { name: "made" }, spec });
    await expect.poll(() => joinTokenIn(cluster)).toBeDefined();
    await expect.poll(() => stateOf(bench)).toBe("Joining");
    const deployment = cluster.api.get("deployments.apps", "bowline-system", "bowline-agent");
    expect(JSON.stringify(deployment)).toContain('"bowline:1.2.3"');
    const agent = await bench.startAgent(cluster.kubeconfig(), { joinToken: joinTokenIn(cluster) ?? "" });
    expect(agent.terminal.written).toContain("is the agent of the cluster made");
    await expect.poll(() => stateOf(bench)).toBe("Ready");
    // Nobody sees the way in that the provider gave, nor the token.
    const shown = await Promise.all(
      ["clusters/made", "events", "audit"].map((path) => bench.get(`/api/v1/${path}`)),
    );
    const text = JSON.stringify(shown);
    expect(text).toContain("JoinToken");
    for (const secret of [cluster.adminToken, joinTokenIn(cluster) ?? "?"])
      expect(text).not.toContain(secret);

    await bench.patch("/api/v1/clusters/made", { spec: { protect: true } });
    const refused = await answerTo(bench.request("/api/v1/clusters/made", { method: "DELETE" }).end());
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining("spec.protect"),
    ]);
    expect(cloud.things).toHaveLength(3);
  });

  test("is the one that joined first: another under its name is refused", async () => {
    const { bench, cluster } = await open();
    const spec = { provider: "kind", kind: { nodes: 1 } };
    await bench.post("/api/v1/clusters", { metadata: { name: "made" }, spec });
    await expect.poll(() => joinTokenIn(cluster)).toBeDefined();
    const token = joinTokenIn(cluster) ?? "";
    const first = await bench.startAgent(cluster.kubeconfig(), { joinToken: token });
    await expect.poll(() => stateOf(bench)).toBe("Ready");
    await first.stop();
    const { body } = await bench.post("/api/v1/clusters/made/join-tokens");
    const other = await startKubesim({ controllers: false });
    onTestFinished(() => other.stop());
    const stranger = await bench.startAgent(other.kubeconfig(), {
      joinToken: String(body["token"]),
      flags: ["--data", `${bench.folder}/stranger`],
    });
    const { error } = await stranger.stop();
    expect(error).toMatch(/another Kubernetes cluster|is not the cluster|other cluster/iu);
  });
});
