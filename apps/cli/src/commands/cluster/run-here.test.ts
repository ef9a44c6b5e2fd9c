import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { startKubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { runBowline } from "../../testing/run-bowline.ts";
import { AgentBench, type RunningCommand } from "../../testing/agent-bench.ts";

async function openBench() {
  const [bench, cluster] = await Promise.all([
    AgentBench.open(),
    startKubesim({ tls: false, controllers: false }),
  ]);
  onTestFinished(() => cluster.stop());
  const kubeconfig = await bench.writeKubeconfig(cluster.kubeconfig());
  const environment = { ...bench.environment, BOWLINE_LOG_LEVEL: "silent" };
  return {
    bench,
    kubeconfig,
    start: (...args: string[]): Promise<RunningCommand> =>
      bench.start(["cluster", ...args, "--run", "--kubeconfig", kubeconfig], environment),
    run: (...args: string[]) => runBowline(["cluster", ...args], { environment }),
    identity: () => {
      const host = new URL(bench.server.url).host.replace(":", "_");
      const folder = join(bench.folder, ".local/share/bowline/agents", host, "site");
      return readFile(join(folder, "identity.json"), "utf8");
    },
    connected: async (isConnected: boolean): Promise<void> => {
      await expect
        .poll(async () => (await bench.get("/api/v1/clusters/site")).body)
        .toMatchObject({
          status: {
            conditions: expect.arrayContaining([
              expect.objectContaining({ type: "AgentConnected", status: isConnected ? "True" : "False" }),
            ]),
          },
        });
    },
  };
}

describe("cluster add --run", () => {
  test("makes the Cluster, runs its agent until Ctrl-C, and connects it again without a new token", async () => {
    const { bench, kubeconfig, start, run, identity, connected } = await openBench();
    // Flags that cannot work are found out before anything is made on the server.
    const nowhere = await run("add", "site", "--run", "--kubeconfig", "/nowhere");
    expect([nowhere.code, nowhere.error]).toEqual([
      1,
      expect.stringMatching(/^error: .*does not exist\.\n$/u),
    ]);
    expect((await bench.get("/api/v1/clusters/site")).status).toBe(404);

    const first = await start("add", "site", "-l", "env=lab", "--region", "eu-1");
    expect(first.terminal.errors).toMatch(/^cluster\/site created\nThe agent runs here, until Ctrl-C/u);
    expect(first.terminal.written).toMatch(/is the agent of the cluster site\n/u);
    await connected(true);
    expect((await bench.get("/api/v1/clusters/site")).body).toMatchObject({
      metadata: { labels: { env: "lab" } },
      spec: { region: "eu-1" },
    });
    expect((await run("list", "--no-headers")).out).toMatch(/^site .*True/mu);
    expect((await run("describe", "site")).out).toContain("The agent has connected.");
    expect((await first.stop()).code).toBe(0);
    await connected(false);

    const before = await identity();
    const second = await start("add", "site");
    expect(second.terminal.errors).toMatch(/^cluster\/site exists\n/u);
    await connected(true);
    expect(await identity()).toBe(before);
    expect(await bench.audited("join")).toHaveLength(1);
    for (const command of ["add", "rotate"]) {
      const other = await run(command, "site", "--run", "--kubeconfig", kubeconfig);
      expect([other.code, other.error]).toEqual([1, expect.stringContaining("runs here already")]);
    }
    expect(await identity()).toBe(before);
    await second.stop();

    // Where it has not run, it is not who it was.
    const elsewhere = { ...bench.environment, HOME: join(bench.folder, "elsewhere") };
    const again = ["cluster", "add", "site", "--run", "--kubeconfig", kubeconfig];
    const refused = await runBowline(again, { environment: elsewhere });
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("cluster rotate site")]);
  });

  test("rotate gives it a new key, a revoked one too, and a Cluster that was made anew is joined anew", async () => {
    const { start, run, identity, connected } = await openBench();
    const first = await start("add", "site");
    await connected(true);
    const before = await identity();
    expect((await run("revoke", "site")).out).toBe("cluster/site revoked (1 key, 0 join tokens)\n");
    await connected(false);
    await first.stop();
    const second = await start("rotate", "site");
    await connected(true);
    const after = await identity();
    expect(after).not.toBe(before);
    expect((await run("remove", "site")).code).toBe(0);
    await second.stop();
    const third = await start("add", "site");
    expect(third.terminal.errors).toMatch(/^cluster\/site created\n/u);
    await connected(true);
    expect(await identity()).not.toBe(after);
  });

  test.each([
    [
      "what is for a manifest",
      ["--run", "--image", "a"],
      'option "--run" cannot be used with option "--image',
    ],
    ["what is for one that runs here", ["--kube-context", "edge"], "are for --run"],
  ])("does not take %s", async (_, flags, message) => {
    const { code, error } = await runBowline(["cluster", "add", "site", ...flags]);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
