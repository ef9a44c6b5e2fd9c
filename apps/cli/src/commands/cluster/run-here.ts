import { join } from "node:path";

import { BowlineError, makeFolder } from "@bowline/core";
import { takeProcessLock } from "@bowline/core/process-lock";
import type { SettingSources } from "@bowline/program";

import type { CommandContext } from "../../command/command-context.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { runAgent } from "../agent.ts";
import type { KubeOptions } from "./agent-options.ts";
import { ensureCluster, parseLabels } from "../../installation/ensure-cluster.ts";

interface AddHereOptions extends KubeOptions {
  readonly labels?: readonly string[];
  readonly region?: string;
}

/** Makes the Cluster, unless it is there, and runs its agent here; one that has run here before is who it was. */
export async function addClusterHere(
  context: CommandContext,
  clusterName: string,
  options: AddHereOptions,
): Promise<void> {
  const { terminal, signal } = context;
  const name = requireObjectName(clusterName);
  const labels = parseLabels(options.labels ?? []);
  const client = await context.client();
  const { joinedIn } = await import("@bowline/agent");
  const folder = await agentFolder(context, { server: client.server, name });
  await requireCluster(context, { ...options, folder });
  using _alone = takeFolder(folder, name);
  const joinedId = (await joinedIn(folder))?.clusterId;
  const wanted = { name, labels, region: options.region, joinedId };
  const { id, outcome } = await ensureCluster(client, wanted, signal);
  terminal.error(`cluster/${name} ${outcome}\n`);
  // To a Cluster that was deleted and made anew, it is a stranger.
  const joinToken = id === joinedId ? undefined : (await client.createJoinToken(name, { signal })).token;
  await runHere(context, { ...options, folder, joinToken });
}

/** Runs the agent of a cluster here, which joins again with a new key. */
export async function rotateHere(
  context: CommandContext,
  clusterName: string,
  options: KubeOptions,
): Promise<void> {
  const name = requireObjectName(clusterName);
  const client = await context.client();
  const folder = await agentFolder(context, { server: client.server, name });
  await requireCluster(context, { ...options, folder });
  using _alone = takeFolder(folder, name);
  const { token: joinToken } = await client.createJoinToken(name, { signal: context.signal });
  await runHere(context, { ...options, folder, joinToken });
}

/** Each Cluster of each server has a folder of its own, whatever the context is called that it is reached by. */
async function agentFolder(
  { environment }: CommandContext,
  { server, name }: { readonly server: string; readonly name: string },
): Promise<string> {
  const { identitiesFolder } = await import("@bowline/agent");
  return join(identitiesFolder(environment), new URL(server).host.replaceAll(/[^\w.-]/gu, "_"), name);
}

/** Two agents with one identity would take the reports of their cluster from each other. */
function takeFolder(folder: string, cluster: string): Disposable {
  makeFolder(folder);
  const lock = takeProcessLock(join(folder, "lock"));
  if (lock !== undefined) return lock;
  throw new BowlineError(
    "Conflict",
    `The agent of the cluster ${cluster} runs here already, in another terminal; end it there with Ctrl-C first.`,
  );
}

interface HereOptions extends KubeOptions {
  readonly folder: string;
  readonly joinToken?: string | undefined;
}

/** Before anything is made on the server: a kubeconfig that cannot be used is found out without it. */
async function requireCluster(context: CommandContext, options: HereOptions): Promise<void> {
  const { loadAgentConfig, ownClusterConnection } = await import("@bowline/agent");
  await ownClusterConnection(loadAgentConfig(sourcesOf(context, options)));
}

/** Until Ctrl-C. */
async function runHere(context: CommandContext, options: HereOptions): Promise<void> {
  context.terminal.error("The agent runs here, until Ctrl-C; the same command connects it again.\n");
  await runAgent(context, sourcesOf(context, options));
}

/** The join token has no flag, so it goes in place of its variable. */
function sourcesOf({ environment }: CommandContext, options: HereOptions): SettingSources {
  return {
    flags: {
      "--data": options.folder,
      "--kubeconfig": options.kubeconfig,
      "--kube-context": options.kubeContext,
      // Agents of several clusters may run here, each with a page of its own.
      "--health-listen": environment["BOWLINE_HEALTH_LISTEN"] ?? "127.0.0.1:0",
    },
    environment: {
      ...environment,
      BOWLINE_JOIN_TOKEN: options.joinToken,
      BOWLINE_JOIN_TOKEN_FILE: undefined,
    },
  };
}
