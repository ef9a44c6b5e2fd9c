import { randomInt } from "node:crypto";

import type { Gateway } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";
import { gatewayDefinitionsFolder } from "@bowline/test-gateway";

import type { BenchmarkContext } from "../benchmark.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { ShippedProgram } from "../ship/shipped-program.ts";
import { startAgent } from "../tunnel/product-agent.ts";
import { ProductServer, type NewCluster, type ServerTarget } from "../tunnel/product-server.ts";
import { deploy, ReadyWatch } from "../workloads/instances.ts";
import { ObjectWatch, post } from "./object-watch.ts";

/** A cluster with the Gateway API, whose entry is at an address of this machine. */
export interface GatewayOrder {
  readonly folder: string;
  readonly name: string;
  readonly zone: string;
  readonly address: string;
}

export interface StartedGateways {
  readonly kubeconfigPath: string;
}

export interface GatewayMeasurement {
  /** The first Gateway of its cluster, with which the entry comes. */
  readonly first: GatewayTimes;
  /** Others, one after the other, which share the entry. */
  readonly more: readonly GatewayTimes[];
}

/** Seconds from the request to create it. */
export interface GatewayTimes {
  /** Until its status says that the host answers from outside. */
  readonly answered: number;
  /** Until each check of its status was met, in that order. */
  readonly checks: Readonly<Record<string, number>>;
}

const zone = "gateways.example";
const instance = "web";
/** The server asks at port 53, and BIND listens on addresses that an interface has. */
const nameServer = "127.0.0.1";
const answerLimitMs = 120_000;

/** Why there can be none here; undefined when there can. */
export function whyNoGateways(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "a name server at port 53 of loopback, and nginx at 80 and 443 of an address there, need Linux and root";
  }
  return gatewayDefinitionsFolder().obstacle;
}

/** From a Gateway to its answer, by a server, an agent, and a cluster in which a controller makes it so. */
export async function measureGateway(
  { main: program, env }: ShippedProgram,
  { progress, rounds }: BenchmarkContext,
): Promise<GatewayMeasurement> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await createTempFolder("bench-gateways"));
  const address = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;
  const flags = [`--gateways-probe-networks=${address}`, `--gateways-resolvers=${nameServer}`];
  const server = owned.use(await ProductServer.start({ program, env, flags }));
  const cluster = await server.addCluster();
  progress("a cluster with a Gateway controller, nginx, external-dns and a name server starts");
  const sim = owned.use(new MeasuredProcess(new URL("gateway-process.ts", import.meta.url), []));
  owned.defer(() => sim.ask("stop"));
  const order: GatewayOrder = { folder, name: cluster.name, zone, address };
  const { kubeconfigPath } = await sim.ask<StartedGateways>("start", order);
  const { joinToken } = cluster;
  const url = `https://127.0.0.1:${server.port}`;
  owned.use(await startAgent({ program, env, kubeconfigPath, joinToken, server: url }));
  await deployService(server.api, cluster);
  progress(`${1 + rounds} Gateways, one after the other`);
  const measured: GatewayTimes[] = [];
  try {
    for (let at = 0; at <= rounds; at += 1) measured.push(await timesOf(server.api, `gateway-${at}`));
  } catch (error) {
    for (const told of await sim.ask<string[]>("errors")) progress(`in the cluster: ${told}`);
    throw error;
  }
  const [first, ...more] = measured;
  if (first === undefined) throw new Error("No Gateway was measured.");
  return { first, more };
}

/** What the Gateways lead to. */
async function deployService(api: ServerTarget, { name }: NewCluster): Promise<void> {
  const objects = [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: instance },
      spec: { ports: [{ port: 80 }] },
    },
  ];
  using ready = await ReadyWatch.open(api, [instance]);
  await deploy(api, [{ name: instance, clusters: [name], objects }]);
  await ready.all();
}

async function timesOf(api: ServerTarget, name: string): Promise<GatewayTimes> {
  using gateways = await ObjectWatch.open<Gateway>(api, "gateways");
  const checks: Record<string, number> = {};
  const beganMs = performance.now();
  const secondsNow = (): number => (performance.now() - beganMs) / 1000;
  const answers = gateways.until(
    `${name} answers`,
    (all) => {
      const cluster = all.get(name)?.status.clusters[0];
      for (const { type, status } of cluster?.checks ?? []) {
        if (status === "True") checks[type] ??= secondsNow();
      }
      return cluster?.ready === "True" && cluster.reason === "Reachable";
    },
    answerLimitMs,
  );
  await Promise.all([
    answers,
    post(api, "gateways", {
      metadata: { name },
      spec: { instance, hosts: [`${name}.${zone}`], rules: [{ path: "/", service: instance, port: 80 }] },
    }),
  ]);
  return { answered: ((await answers) - beganMs) / 1000, checks };
}
