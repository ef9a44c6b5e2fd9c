import { setTimeout as sleep } from "node:timers/promises";

import { startNats, startPostgres } from "@bowline/test-services";

import { ask } from "./ask.ts";
import { startAgent } from "./product-agent.ts";
import { ProductServer } from "./product-server.ts";
import { smallPath, type Target } from "./target.ts";
import type { Backend, Way } from "./ways.ts";

/** Two ways to one agent, which is connected to one of two replicas. */
export interface Replicas extends AsyncDisposable {
  /** The client asks the replica that the agent is connected to. */
  readonly held: Way;
  /** The client asks the other one, which relays to the first. */
  readonly relayed: Way;
}

const limitMs = 20_000;
const pollMs = 100;

/**
 * Two servers on one PostgreSQL, with NATS. The agent would connect to both if it could; the second has the role
 * `api`, which takes no agents and reaches them through the first.
 */
export async function startReplicas({ kubeconfigPath }: Backend, signal: AbortSignal): Promise<Replicas> {
  await using starting = new AsyncDisposableStack();
  const postgres = starting.use(await startPostgres({ durable: true }));
  const nats = starting.use(await startNats({ jetstream: true }));
  const flags = [`--database-url=${postgres.url}`, `--nats-url=${nats.url}`];
  const holder = starting.use(await ProductServer.start({ flags }));
  const other = starting.use(
    await ProductServer.start({ flags: [...flags, "--role=api"], replicaOf: holder }),
  );
  const { target, joinToken } = await holder.addCluster();
  const server = `https://127.0.0.1:${holder.port}`;
  const agent = starting.use(await startAgent({ kubeconfigPath, joinToken, server }));
  const held: Way = { name: "held", target, pids: [holder.pid, agent.pid] };
  const relayed: Way = {
    name: "relayed",
    target: { ...target, port: other.port },
    pids: [other.pid, holder.pid, agent.pid],
  };
  await untilReached(relayed.target, signal);
  const owned = starting.move();
  return { held, relayed, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The other replica hears of the Cluster, its grant and its agent a moment later. */
async function untilReached(target: Target, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    try {
      await ask(target, { path: target.prefix + smallPath });
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
    await sleep(pollMs, undefined, { signal });
  }
}
