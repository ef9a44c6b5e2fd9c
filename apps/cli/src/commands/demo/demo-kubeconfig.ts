import { writeFile } from "node:fs/promises";

import type { CommandContext } from "../../command/command-context.ts";
import { toDocument } from "../../output/to-document.ts";
import { credentialProgram, installedProgram } from "../../kubeconfig/credential-program.ts";
import { kubeconfigEntries } from "../../kubeconfig/kubeconfig-entries.ts";
import type { ContextEntry } from "../../connection/config-document.ts";

/** A kubeconfig for the clusters of the demo, as `bowline kubeconfig` would print it for the context. */
export async function writeDemoKubeconfig(
  { environment }: CommandContext,
  path: string,
  { entry, clusters }: { readonly entry: ContextEntry; readonly clusters: readonly string[] },
): Promise<void> {
  const { server, caPem, tokenFile } = entry;
  const token = tokenFile === undefined ? undefined : { file: tokenFile };
  const connection = { server, token, ca: undefined, context: entry };
  const program = await installedProgram(environment);
  const entries = kubeconfigEntries({
    connection,
    caPem,
    clusters,
    credential: credentialProgram(program, connection, environment),
  });
  // It belongs to the demo alone, so there is nobody whose current context it could change.
  const config = {
    apiVersion: "v1",
    kind: "Config",
    ...entries,
    "current-context": entries.contexts[0]?.name ?? "",
  };
  await writeFile(path, await toDocument(config, "yaml"), { mode: 0o600 });
}
