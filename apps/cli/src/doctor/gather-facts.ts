import { Cluster, type Diagnosis } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import { readConfig } from "../connection/config-file.ts";
import { caOf, connectionOf } from "../connection/connect-to-server.ts";
import type { ClientFacts, ClusterFacts, DoctorFacts, Failure, LocalFacts } from "./doctor-facts.ts";
import { probeServer } from "./probe-server.ts";

export interface GatherOptions {
  /** Flags of the server on this machine. */
  readonly serverFlags: Readonly<Record<string, string | undefined>>;
}

/** Asks everybody, and goes on whatever fails. */
export async function gatherFacts(
  context: CommandContext,
  { serverFlags }: GatherOptions,
): Promise<DoctorFacts> {
  const { facts: client, reached } = await gatherClient(context);
  const server = reached === undefined ? {} : await gatherServer(reached, client, context.signal);
  const clusters =
    reached === undefined || client.identity === undefined ? undefined : await gatherClusters(reached);
  const isAsked = serverFlags["--data"] !== undefined || serverFlags["--config"] !== undefined;
  const local =
    isAsked || reached === undefined ? await gatherLocal(context, serverFlags, isAsked) : undefined;
  return { client, ...server, clusters, local };
}

interface GatheredClient {
  readonly facts: ClientFacts;
  /** Undefined when the server cannot be asked. */
  readonly reached?: Client | undefined;
}

async function gatherClient(context: CommandContext): Promise<GatheredClient> {
  const { version, clock, environment, signal } = context;
  const base = { version, nowMs: clock.now() };
  const config = await tried(readConfig(environment));
  if (config.failure !== undefined) return { facts: { ...base, configProblem: config.failure } };
  const choice = await tried(connectionOf(context));
  if (choice.value === undefined) return { facts: { ...base, choiceProblem: choice.failure } };
  const { server } = choice.value;
  const ca = await tried(caOf(choice.value));
  const made = await tried(context.client());
  if (made.value === undefined) return { facts: { ...base, server, connectionProblem: made.failure } };
  const answered = await tried(made.value.version({ signal }));
  const probe = URL.canParse(server) ? await probeServer({ server, caPem: ca.value, clock, signal }) : {};
  if (answered.value === undefined) {
    return { facts: { ...base, server, ...probe, connectionProblem: answered.failure } };
  }
  const identity = await tried(made.value.whoami({ signal }));
  const facts = {
    ...base,
    server,
    ...probe,
    serverVersion: answered.value.version,
    identity: identity.value,
    identityProblem: identity.failure,
  };
  return { facts, reached: made.value };
}

async function gatherServer(
  client: Client,
  { identity }: ClientFacts,
  signal: AbortSignal,
): Promise<{ readonly server?: Diagnosis | undefined; readonly serverProblem?: Failure | undefined }> {
  if (identity?.role !== "admin") return {};
  const { value, failure } = await tried(client.diagnose({ signal }));
  return { server: value, serverProblem: failure };
}

async function gatherClusters(client: Client): Promise<ClusterFacts[] | undefined> {
  const { value } = await tried(readClusters(client));
  return value;
}

/** The Clusters, as far as their agents go. */
export async function readClusters(client: Client): Promise<ClusterFacts[]> {
  const clusters: ClusterFacts[] = [];
  for await (const { items } of client.listAll(Cluster)) {
    for (const { metadata, status } of items) {
      const connected = status.conditions.find(({ type }) => type === "AgentConnected");
      clusters.push({
        name: metadata.name,
        isConnected: connected?.status === "True",
        agent: status.agent,
        createdAt: metadata.createdAt,
      });
    }
  }
  return clusters;
}

/** Nobody who has no server on this machine is told about a folder that is not there. */
async function gatherLocal(
  { environment }: CommandContext,
  flags: GatherOptions["serverFlags"],
  isAsked: boolean,
): Promise<LocalFacts | undefined> {
  const { examineDataFolder, loadConfig } = await import("@bowline/server");
  const { value } = await tried((async () => examineDataFolder(loadConfig({ flags, environment })))());
  return isAsked || value?.hasDatabase === true ? value : undefined;
}

async function tried<T>(
  work: Promise<T>,
): Promise<{ readonly value?: T | undefined; readonly failure?: Failure | undefined }> {
  try {
    return { value: await work };
  } catch (thrown) {
    const { code, message } = BowlineError.from(thrown);
    return { failure: { code, message } };
  }
}
