import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { startKubesim } from "@bowline/kubesim";
import { findProgram, freePort } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { NatsUnderTest } from "../../broker/testing/nats-under-test.ts";
import { send } from "../../run/testing/https-request.ts";
import { tempFolder } from "../../run/testing/start-test-server.ts";
import { postgresSchemas } from "@bowline/store/testing";
import { AgentProcess } from "./agent-process.ts";
import type { ReconcileRecord } from "./reconcile-record.ts";
import type { ServerProcess } from "./server-process.ts";
import { startServers } from "./start-servers.ts";

const kubectl = await findProgram({ program: "kubectl", debianPackage: "kubernetes-client" });
const timeout = 90_000;

const schemas = postgresSchemas();

const grant = {
  metadata: { name: "all" },
  spec: {
    subjects: [{ user: "admin" }],
    clusters: { names: ["edge"] },
    kubernetes: { groups: ["system:masters"] },
  },
};

interface Scene {
  /** Where kubectl is. */
  readonly here: ServerProcess;
  /** Where the agent connects first. */
  readonly holder: ServerProcess;
  readonly record: ReconcileRecord;
  readonly metric: (server: ServerProcess, name: string) => Promise<number>;
  /** Runs kubectl to its end. */
  readonly run: (words: string) => Promise<{ readonly code: number; readonly out: string }>;
  /** Runs kubectl until it ends by itself. */
  readonly follow: (words: string) => {
    readonly lines: AsyncIterator<string>;
    readonly ended: Promise<unknown>;
  };
}

/** The agent is connected to both, unless it can reach only one of them. */
async function openScene({ isHereHidden = false } = {}): Promise<Scene> {
  const nats = await NatsUnderTest.create();
  await nats.start();
  const nowhere = { "--gateway-urls": `https://127.0.0.1:${await freePort()}` };
  const { servers, record, token } = await startServers(["here", "holder"], {
    databaseUrl: await schemas.create(),
    natsUrl: nats.url,
    flags: (name) => ({ "--tls": "on", ...(isHereHidden && name === "here" ? nowhere : {}) }),
  });
  const [here, holder] = servers;
  if (here === undefined || holder === undefined) throw new Error("There are two servers.");
  const ca = readFileSync(join(here.dataFolder, "tls", "ca.crt"), "utf8");
  const post = async (path: string, body: object): Promise<string> =>
    (await send(`${holder.url}/api/v1/${path}`, { ca, token, method: "POST", body })).body;
  await post("clusters", { metadata: { name: "edge" }, spec: {} });
  await post("accessgrants", grant);
  const joinToken = JSON.parse(await post("clusters/edge/join-tokens", {})).token;
  const folder = await tempFolder();
  await startAgent({ folder, joinToken, servers: `${holder.url},${here.url}` });
  const config = join(folder, "kubectl.json");
  writeFileSync(config, kubeconfig(here.url, ca, token));
  const start = (words: string) => startKubectl(["--kubeconfig", config, ...words.split(" ")], folder);
  return {
    here,
    holder,
    record,
    metric: async (server, name) => {
      const { body } = await send(`${server.url}/metrics`, { ca, token });
      return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(body)?.[1]);
    },
    run: async (words) => {
      const child = start(words);
      const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      return { code, out };
    },
    follow: (words) => {
      const child = start(words);
      return {
        lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
        ended: once(child, "exit"),
      };
    },
  };
}

async function startAgent(options: {
  readonly folder: string;
  readonly joinToken: string;
  readonly servers: string;
}): Promise<void> {
  const sim = await startKubesim({ nodes: 1 });
  onTestFinished(() => sim.stop());
  const agent = await AgentProcess.create({ ...options, kubeconfig: sim.kubeconfig() });
  await agent.start();
}

function startKubectl(args: readonly string[], home: string): ChildProcessByStdio<null, Readable, null> {
  const env = { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" };
  const child = spawn(kubectl ?? "", args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.signalCode === null && child.kill()) await ended;
  });
  return child;
}

describe.skipIf(kubectl === undefined)("two servers, of which the one that holds the agent is killed", () => {
  test("kubectl on the other loses its watch, and its next call works", { timeout }, async () => {
    const { here, holder, record, metric, run, follow } = await openScene({ isHereHidden: true });
    // By itself it tries again for some seconds: the agent may still be on its way.
    expect(await run("get namespaces -o name")).toMatchObject({ code: 0 });
    const watch = follow("get namespaces --watch -o name");
    // The list comes first; then it watches.
    await watch.lines.next();
    expect(await run("create namespace before")).toMatchObject({ code: 0 });
    while ((await watch.lines.next()).value !== "namespace/before");
    expect(await metric(holder, "bowline_relayed_streams")).toBeGreaterThan(0);
    expect(await metric(here, "bowline_agent_sessions")).toBe(0);

    await holder.kill();
    await watch.ended;
    const { code, out } = await run("get namespaces -o name");
    expect([code, out]).toEqual([0, expect.stringContaining("namespace/before")]);
    expect(await metric(here, "bowline_agent_sessions")).toBe(1);
    expect(record.errors).toEqual([]);
  });

  test("kubectl on the other notices nothing where the agent is connected to both", { timeout }, async () => {
    const { here, holder, metric, run, follow } = await openScene();
    for (const server of [here, holder]) {
      await expect.poll(() => metric(server, "bowline_agent_tunnels")).toBe(1);
    }
    const watch = follow("get namespaces --watch -o name");
    await watch.lines.next();
    await holder.kill();
    expect(await run("create namespace after")).toMatchObject({ code: 0 });
    while ((await watch.lines.next()).value !== "namespace/after");
  });
});

function kubeconfig(server: string, ca: string, token: string): string {
  const cluster = {
    server: `${server}/clusters/edge`,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "edge", cluster }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "edge", context: { cluster: "edge", user: "admin" } }],
    "current-context": "edge",
  });
}
