import { setTimeout as sleep } from "node:timers/promises";

import { createTempFolder, startNats, startPostgres } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import { ask } from "../tunnel/ask.ts";
import { startAgent } from "../tunnel/product-agent.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import { LoadBalancer } from "./load-balancer.ts";
import { setShipStage, versionPath } from "./ship-stage.ts";
import type { ShippedProgram } from "./shipped-program.ts";
import { UpgradeLoad, type UpgradeLoadResult } from "./upgrade-load.ts";

export interface UpgradeMeasurement extends UpgradeLoadResult {
  readonly seconds: number;
}

/** As the guide says. */
const drainDelay = "5s";
const settleMs = 3_000;
/** As Kubernetes has it. */
const stopGraceMs = 30_000;

/**
 * Two servers, on PostgreSQL and NATS, behind a load balancer; each is told to stop and replaced, one after the other,
 * while clients go on asking.
 */
export async function measureUpgrade(
  shipped: ShippedProgram,
  { progress, signal }: BenchmarkContext,
): Promise<UpgradeMeasurement> {
  await using owned = new AsyncDisposableStack();
  progress("two replicas with PostgreSQL and NATS start");
  const postgres = owned.use(await startPostgres({ durable: true }));
  const nats = owned.use(await startNats({ jetstream: true }));
  const flags = [`--database-url=${postgres.url}`, `--nats-url=${nats.url}`, `--drain-delay=${drainDelay}`];
  const folders = [
    owned.use(await createTempFolder("bench-a")),
    owned.use(await createTempFolder("bench-b")),
  ];
  const [one, two] = folders.map(({ path }) => path);
  const { main: program, env } = shipped;
  const stage = owned.use(await setShipStage(shipped, { flags, stopGraceMs, ...folderPart(one) }));
  const { server: first, cluster } = stage;
  const shared = { program, env, flags, stopGraceMs, replicaOf: first };
  const second = await ProductServer.start({ ...shared, ...folderPart(two) });
  const balancer = owned.use(await LoadBalancer.start([first.api, second.api]));
  const api = { ...first.api, port: balancer.port };
  const server = `https://127.0.0.1:${balancer.port}`;
  owned.use(await startAgent({ ...stage.agent, server }));
  await untilBothReach([first.port, second.port], async (port) => {
    await ask({ ...cluster.target, port }, { path: cluster.target.prefix + versionPath });
  });
  progress("clients ask, and both servers are replaced");
  const load = new UpgradeLoad(api, cluster);
  const startMs = performance.now();
  await sleep(settleMs, undefined, { signal });
  await first[Symbol.asyncDispose]();
  owned.use(await ProductServer.start({ ...shared, port: first.port, ...folderPart(one) }));
  await sleep(settleMs, undefined, { signal });
  await second[Symbol.asyncDispose]();
  owned.use(await ProductServer.start({ ...shared, port: second.port, ...folderPart(two) }));
  await sleep(settleMs, undefined, { signal });
  const seconds = (performance.now() - startMs) / 1000;
  const result = await load.end();
  for (const lost of result.lost.slice(0, 20)) progress(`lost: ${lost}`);
  return { ...result, seconds };
}

function folderPart(dataFolder: string | undefined): { readonly dataFolder?: string } {
  return dataFolder === undefined ? {} : { dataFolder };
}

async function untilBothReach(
  ports: readonly number[],
  reach: (port: number) => Promise<void>,
): Promise<void> {
  const endMs = performance.now() + 20_000;
  for (const port of ports) {
    for (;;) {
      try {
        await reach(port);
        break;
      } catch (error) {
        if (performance.now() > endMs) throw error;
      }
      await sleep(100);
    }
  }
}
