import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { loadAgentConfig, startAgent, type RunningAgent } from "@bowline/agent";
import { BowlineError, createLogger, Shutdown, systemClock, withDeadline, type Logger } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";

import type { JoinOrder, SiteReport } from "./site.ts";
import { sitePlans, unpublishedImage } from "./site-plan.ts";

export interface SiteOptions {
  readonly name: string;
  /** For the identity of the agent, and its way to the cluster. */
  readonly folder: string;
  /** Of the program. */
  readonly version: string;
}

const wayOutLimitMs = 2000;

/** Runs the cluster called `name` in this process, until the demo ends it. */
export async function runSite(options: SiteOptions): Promise<void> {
  const logger = createLogger({ name: options.name, level: "info" });
  const shutdown = new Shutdown({ clock: systemClock, stepLimitMs: 2000, totalLimitMs: 4000 });
  const end = async (): Promise<never> => {
    await shutdown.run("it was told to stop").catch(() => {});
    process.exit(0);
  };
  // Ctrl-C goes to every process of the terminal; the demo decides what ends when.
  process.on("SIGINT", () => {});
  process.once("SIGTERM", () => void end());
  const ordered = once(process, "message");
  try {
    const cluster = await openCluster(options, shutdown, logger);
    report({ kind: "ready" });
    // The demo is the only one on the channel, and both sides are of one version: what comes is what was sent.
    const [order]: JoinOrder[] = await ordered;
    if (order === undefined) return;
    const agent = await openAgent({ ...options, cluster, order, shutdown, logger });
    await agent.connected;
    report({ kind: "connected" });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    logger.error({ err: error }, "Cannot go on");
    report({ kind: "failed", message: BowlineError.from(error).message });
    await end();
  }
}

async function openCluster({ name }: SiteOptions, shutdown: Shutdown, logger: Logger): Promise<Kubesim> {
  const plan = sitePlans.find((each) => each.name === name);
  if (plan === undefined) throw new BowlineError("InvalidArgument", `The demo has no cluster "${name}".`);
  const onError = (error: Error): void => logger.error({ err: error }, "The simulated cluster tripped");
  const cluster = await startKubesim({ ...plan.cluster, metrics: true, name, onError });
  shutdown.add("the cluster", () => cluster.stop());
  cluster.nodes?.behaviour({ image: unpublishedImage }, { kind: "image-pull-error" });
  for (const [resource, object] of plan.objects) cluster.api.create(resource, object);
  return cluster;
}

interface AgentParts extends SiteOptions {
  readonly cluster: Kubesim;
  readonly order: JoinOrder;
  readonly shutdown: Shutdown;
  readonly logger: Logger;
}

async function openAgent(parts: AgentParts): Promise<RunningAgent> {
  const { folder, version, cluster, order, shutdown, logger } = parts;
  if (order.server !== undefined) await requireWayOut(order.server);
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const flags = {
    "--kubeconfig": kubeconfig,
    "--data": join(folder, "identity"),
    "--health-listen": "127.0.0.1:0",
    "--drain-time": "1s",
    // The cluster is simulated, and its Secrets are nobody's.
    "--observe-secrets": "on",
    "--servers": order.server,
  };
  const config = loadAgentConfig({ flags, environment: { BOWLINE_JOIN_TOKEN: order.joinToken } });
  const agent = await startAgent(config, {
    clock: systemClock,
    random: Math.random,
    logger,
    version,
    signal: shutdown.signal,
  });
  shutdown.add("the agent", () => agent.close());
  return agent;
}

/** The agent itself would try for ever, and nobody would know why. */
async function requireWayOut(server: string): Promise<void> {
  const { hostname, port } = new URL(server);
  const onTimeout = (): BowlineError =>
    new BowlineError("Timeout", `${server} does not answer from its network.`);
  await withDeadline((signal) => dial(hostname, Number(port), signal), {
    clock: systemClock,
    limitMs: wayOutLimitMs,
    onTimeout,
  });
}

async function dial(host: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal });
  } finally {
    socket.destroy();
  }
}

function report(message: SiteReport): void {
  // Nobody is left to be told when the demo is gone.
  if (process.connected) process.send?.(message, () => {});
}
