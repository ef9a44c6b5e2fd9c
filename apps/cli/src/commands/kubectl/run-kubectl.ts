import { Cluster } from "@bowline/api";

import type { CommandContext } from "../../command/command-context.ts";
import { caOf, connectionOf } from "../../connection/connect-to-server.ts";
import { CommandExit } from "../../command/failure.ts";
import { isNotFound } from "../../resources/find-objects.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { credentialProgram, thisProgram } from "../kubeconfig/credential-program.ts";
import { kubeconfigEntries, kubeContextName } from "../kubeconfig/kubeconfig-entries.ts";
import { kubectlProcess } from "./kubectl-process.ts";
import { TemporaryKubeconfig } from "./temporary-kubeconfig.ts";

/** Runs the kubectl of this machine with a kubeconfig that knows one cluster, and holds no token. */
export async function runKubectl(
  context: CommandContext,
  name: string,
  args: readonly string[],
): Promise<void> {
  const { environment } = context;
  const cluster = requireObjectName(name);
  const connection = await connectionOf(context);
  const entries = kubeconfigEntries({
    connection,
    caPem: await caOf(connection),
    clusters: [cluster],
    credential: credentialProgram(thisProgram, connection, environment),
  });
  const config = {
    apiVersion: "v1",
    kind: "Config",
    ...entries,
    "current-context": kubeContextName(cluster),
  };
  await using file = await TemporaryKubeconfig.create(JSON.stringify(config));
  const exitCode = await kubectlProcess(args, { ...environment, KUBECONFIG: file.path });
  if (exitCode === 0) return;
  await sayWhetherMissing(context, cluster);
  throw new CommandExit(exitCode);
}

/** Of a cluster that is not there, kubectl says only that the server does not have what was asked for. */
async function sayWhetherMissing(context: CommandContext, name: string): Promise<void> {
  try {
    const client = await context.client();
    await client.get(Cluster, name, { signal: context.signal });
  } catch (thrown) {
    // Whatever else is wrong, kubectl has met it too, and said it.
    if (isNotFound(thrown)) context.terminal.error(`error: ${thrown.message}\n`);
  }
}
