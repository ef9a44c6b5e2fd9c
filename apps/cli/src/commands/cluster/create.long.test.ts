import { Cluster } from "@bowline/api";
import { createClient, type Client } from "@bowline/client";
import { BowlineError, isRecord, systemClock, type Clock } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import type { Provider } from "@bowline/providers";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { AgentBench } from "../../testing/agent-bench.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { runBowline, type Ran, type RunBowlineOptions } from "../../testing/run-bowline.ts";
import { showMaking } from "./show-making.ts";

interface Stage {
  readonly cloud: FakeCloud;
  readonly bench: AgentBench;
  readonly client: Client;
  readonly bowline: (line: string, options?: RunBowlineOptions) => Promise<Ran>;
}

/** A real server that makes clusters in a cloud of the test, which is asked again soon. */
async function open(changed: Partial<Provider> = {}): Promise<Stage> {
  const cloud = new FakeCloud();
  const fake = fakeProvider(cloud);
  const provider: Provider = {
    ...fake,
    observe: async (work) => ({ ...(await fake.observe(work)), retryAfterMs: 100 }),
    next: async (work) => ({ ...(await fake.next(work)), retryAfterMs: 100 }),
    ...changed,
  };
  const bench = await AgentBench.open({ providers: new Map([[provider.name, provider]]) });
  const { environment, server, token, ca } = bench;
  const client = createClient({ server: server.url, token, caPem: ca });
  onTestFinished(() => client.close());
  const bowline = (line: string, options: RunBowlineOptions = {}): Promise<Ran> =>
    runBowline(line.split(" "), { ...options, environment });
  return { cloud, bench, client, bowline };
}

const create = "cluster create made --provider kind --nodes 1 --set maxNodes=1";

const limitMs = 100_000;

/** The time of somebody whose limit has passed as soon as this is on the terminal. */
function limitedTo(terminal: FakeTerminal, shown: string): Clock {
  return {
    ...systemClock,
    sleep: async (ms, signal) => {
      if (ms !== limitMs) return systemClock.sleep(ms, signal);
      await vi.waitUntil(() => terminal.errors.includes(shown), { timeout: limitMs });
      return undefined;
    },
  };
}

function joinTokenIn(cluster: Kubesim): string | undefined {
  const secret = cluster.api.get("secrets", "bowline-system", "bowline-agent-join");
  const data = isRecord(secret) && isRecord(secret["data"]) ? secret["data"]["token"] : undefined;
  return typeof data === "string" ? Buffer.from(data, "base64").toString() : undefined;
}

describe("bowline cluster create", () => {
  test("tells the plan and each step, and ends when the agent of the new cluster is there", async () => {
    const [{ cloud, bench, bowline }, cluster] = await Promise.all([
      open(),
      startKubesim({ controllers: false }),
    ]);
    onTestFinished(() => cluster.stop());
    cloud.readyAfterMs = 3_600_000;
    cloud.kubeconfig = cluster.kubeconfig();
    const terminal = new FakeTerminal();
    const creating = bowline(`${create} -l env=dev -o json`, { terminal });
    // Whoever begins to watch after the first step does not see it.
    await expect.poll(() => terminal.errors).toContain("step 1 of 3");
    for (const thing of cloud.things) thing.readyAtMs = 0;
    cloud.readyAfterMs = 50;
    await expect.poll(() => joinTokenIn(cluster)).toBeDefined();
    await bench.startAgent(cluster.kubeconfig(), { joinToken: joinTokenIn(cluster) ?? "" });
    const ran = await creating;
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      metadata: { name: "made", labels: { env: "dev" } },
      status: {
        conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", status: "True" })]),
      },
    });
    const lines = ran.error.split("\n").map((line) => line.replace(/, since 20\S+Z$/u, ", since then"));
    expect(lines.slice(0, 5)).toEqual([
      "cluster/made, by kind:",
      "  1. network of made",
      "  2. control-plane of made",
      "  3. nodes of made",
      "It costs about 0.10 USD an hour. It usually takes 10m.",
    ]);
    const steps = [
      "cluster/made: step 1 of 3, Making the network (usually 60s), since then",
      "cluster/made: step 2 of 3, Making the control-plane (usually 60s), since then",
      "cluster/made: step 3 of 3, Making the nodes (usually 60s), since then",
    ];
    expect(lines.filter((line) => line.includes(" of 3, "))).toEqual(steps);
    expect(ran.error).toMatch(/step 1 of 1, Waiting for the agent \(usually 60s\)/u);
    expect(ran.error).toMatch(
      /\ncluster\/made is ready after \d+s, with Kubernetes v1\.\S+\.\nWhere an AccessGrant lets you: /u,
    );
  });

  test("with --plan only tells it, and makes nothing", async () => {
    const { cloud, client, bowline } = await open();
    const ran = await bowline(`${create} --plan`);
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(/^cluster\/made, by kind:\n {2}1\. network of made\n/u);
    await expect(client.get(Cluster, "made")).rejects.toMatchObject({ code: "NotFound" });
    expect(cloud.calls).toEqual([]);
    const document = await bowline(`${create} --plan -o json`);
    expect(JSON.parse(document.out)).toMatchObject({ provider: "kind", hourlyCost: "0.10 USD" });
  });

  test("with -o prints the Cluster, and all else to standard error", async () => {
    const { client, bowline } = await open();
    const ran = await bowline(`${create} --no-wait -o json`);
    expect(ran).toMatchObject({ code: 0, error: expect.stringContaining("cluster/made created\n") });
    const { id } = (await client.get(Cluster, "made")).metadata;
    expect(JSON.parse(ran.out)).toMatchObject({ kind: "Cluster", metadata: { name: "made", id } });
  });

  test("asks about what costs something, where somebody can answer", async () => {
    const { client, bowline } = await open();
    const no = await bowline(create, { answers: ["n"] });
    expect(no).toMatchObject({ code: 1, out: "" });
    expect(no.terminal.questions).toEqual(["Make it? [y/N] "]);
    expect(no.error).toMatch(/Nothing was made\.\n$/u);
    await expect(client.get(Cluster, "made")).rejects.toMatchObject({ code: "NotFound" });
    const yes = await bowline(`${create} --yes --no-wait`, { answers: [] });
    expect(yes).toMatchObject({ code: 0, out: "cluster/made created\n" });
    expect(yes.error).toContain("Wait for it: bowline wait cluster/made --for condition=Ready");
    expect((await client.get(Cluster, "made")).spec).toMatchObject({ provider: "kind", maxNodes: 1 });
    const again = await bowline(`${create} --yes`);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.error).toContain("bowline describe cluster/made");
  });

  test("does not ask about what is free", async () => {
    const free = { steps: [], hourlyCost: { amount: 0, currency: "USD" } };
    const { bowline } = await open({ plan: () => Promise.resolve(free) });
    const ran = await bowline(`${create} --no-wait`, { answers: [] });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.terminal.questions).toEqual([]);
  });

  test("says what a person has to do when it cannot be made", async () => {
    const { cloud, bowline } = await open();
    const details = { reason: "QuotaTooLow" };
    const refusal = new BowlineError("Forbidden", "There is room for 0 networks; ask for more.", { details });
    cloud.failures.set("create network", refusal);
    const ran = await bowline(create);
    expect(ran).toMatchObject({ code: 1, out: "cluster/made created\n" });
    expect(ran.error).toContain(
      "error: cluster/made cannot be made yet: QuotaTooLow, There is room for 0 networks; ask for more. Once that is mended it goes on by itself",
    );
    expect(ran.error).toContain("bowline delete cluster/made");
  });

  test("says what is in the way of the agent, and when the cluster is lost", async () => {
    const { cloud, bowline } = await open();
    const terminal = new FakeTerminal();
    const creating = bowline(create, { terminal });
    await expect.poll(() => terminal.errors).toContain("The server could not install the agent");
    cloud.things = [];
    const ran = await creating;
    expect(ran.code).toBe(1);
    expect(ran.error).toMatch(
      /error: cluster\/made was there, and is gone: Lost, The control plane is gone\. It is not made again/u,
    );
  });

  test("gives up waiting after --timeout, says how far it is, and leaves it being made", async () => {
    const { cloud, client, bowline } = await open();
    cloud.readyAfterMs = 3_600_000;
    const terminal = new FakeTerminal();
    const clock = limitedTo(terminal, "step 1 of 3");
    const ran = await bowline(`${create} --timeout ${limitMs / 1_000}s`, { terminal, clock });
    expect(ran.code).toBe(1);
    expect(ran.error).toMatch(
      /error: Gave up waiting for cluster\/made: step 1 of 3, Making the network \(usually 60s\)\. The server goes on\. Wait longer: bowline wait /u,
    );
    expect((await client.get(Cluster, "made")).metadata.deletedAt).toBeUndefined();
  });

  test("goes on without the command when that is interrupted", async () => {
    const { cloud, client, bowline } = await open();
    cloud.readyAfterMs = 3_600_000;
    const [terminal, interrupt] = [new FakeTerminal({ isTty: true }), new AbortController()];
    const creating = bowline(create, { terminal, signal: interrupt.signal });
    await expect.poll(() => terminal.errors).toContain("step 1 of 3");
    // On a terminal, the time goes on below the step.
    await expect.poll(() => terminal.errors).toMatch(/… for \d+s/u);
    interrupt.abort(new BowlineError("Cancelled", "Ctrl-C"));
    const ran = await creating;
    expect(ran.code).toBe(130);
    expect(ran.error).toMatch(
      /cluster\/made is still being made\.\nWait for it: bowline wait cluster\/made .*\nTake it away: bowline delete cluster\/made\n$/u,
    );
    expect((await client.get(Cluster, "made")).metadata.deletedAt).toBeUndefined();
  });

  test("says how to go on when the server cannot be asked any more", async () => {
    const context = fakeContext({ client: {} });
    const making = showMaking(context, await context.client(), { name: "made", id: "1", timeoutMs: 60_000 });
    await expect(making).rejects.toMatchObject({
      code: "ConnectionFailed",
      message: expect.stringMatching(/\. The server goes on\. Wait longer: bowline wait cluster\/made /u),
    });
  });

  test("ends when somebody deletes what is being made", async () => {
    const { cloud, client, bowline } = await open();
    cloud.readyAfterMs = 3_600_000;
    const terminal = new FakeTerminal();
    const creating = bowline(create, { terminal });
    await expect.poll(() => terminal.errors).toContain("step 1 of 3");
    await client.delete(Cluster, "made");
    const ran = await creating;
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("somebody deleted cluster/made");
  });

  test("refuses a provider that the server does not have, and what is no Cluster", async () => {
    const { bowline } = await open();
    const exec = await bowline("cluster create made --provider exec --program rack");
    expect(exec).toMatchObject({ code: 1, out: "" });
    expect(exec.error).toContain('Provider "exec" is not available in this server.');
    expect((await bowline("cluster create made --provider kind --nodes x")).code).toBe(2);
    const stdin = "kind: Cluster\nmetadata: { name: made }\nspec:\n  provider: kind\n  autoDelete: true\n";
    const file = await bowline("cluster create -f -", { stdin });
    expect(file).toMatchObject({ code: 1, out: "" });
    expect(file.error).toContain("standard input, line 5: cluster/made: ");
  });
});

describe("bowline delete of a cluster that was made", () => {
  test("shows the steps, and what is left over", async () => {
    const terminal = new FakeTerminal();
    const steps = [1, 2].map((number) => ({ number, of: 2, text: `Taking part ${number} away` }));
    const { bowline } = await open({
      observe: () => Promise.resolve({ state: "ready" }),
      delete() {
        // None ends before somebody has seen it.
        const step = steps.find(({ text }) => !terminal.errors.includes(text));
        if (step !== undefined) return Promise.resolve({ state: "deleting", step, retryAfterMs: 100 });
        return Promise.resolve({ state: "gone", leftOver: ["volume vol-1"] });
      },
    });
    await bowline(`${create} --no-wait`);
    const clock = limitedTo(terminal, "still there: volume vol-1");
    const ran = await bowline(`delete cluster/made --timeout ${limitMs / 1_000}s`, { terminal, clock });
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("Waiting for cluster/made: step 1 of 2, Taking part 1 away");
    expect(ran.error).toContain("Waiting for cluster/made: step 2 of 2, Taking part 2 away");
    expect(ran.error).toContain("still there: volume vol-1");
  });
});
