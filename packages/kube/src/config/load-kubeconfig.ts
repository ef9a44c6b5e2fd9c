import { BowlineError, hasCode } from "@bowline/core";
import type { ClusterConnection } from "./cluster-connection.ts";
import { mergeKubeconfigs, parseKubeconfig } from "./parse-kubeconfig.ts";
import { resolveContext } from "./resolve-context.ts";
import { readPem, readTextFile } from "./text-file.ts";

interface LoadKubeconfigOptions {
  /**
   * The files, in the order of `KUBECONFIG`; see `chooseKubeconfig`. One path must exist; of several, those that
   * do not exist are passed over, as kubectl does.
   */
  readonly paths: readonly string[];
  /** Default: the current context. */
  readonly context?: string;
}

/** Reads kubeconfig files and says how to reach the cluster of one context. */
export async function loadKubeconfig({ paths, context }: LoadKubeconfigOptions): Promise<ClusterConnection> {
  const texts = await Promise.all(paths.map((path) => readIfNeeded(path, paths.length === 1)));
  const found = texts.filter((text) => text !== undefined);
  if (found.length === 0) {
    throw new BowlineError(
      "KubeconfigUnreadable",
      `There is no kubeconfig: ${paths.length === 0 ? "no path was given" : `none of ${paths.join(", ")} exists`}.`,
      { details: { paths } },
    );
  }
  const config = mergeKubeconfigs(found.map(({ text, path }) => parseKubeconfig(text, path)));
  const connection = resolveContext(config, context);
  await checkFiles(connection);
  return connection;
}

/** The same of a kubeconfig that is at hand as a text. Files that it names are relative to no folder, and not looked at. */
export function kubeconfigConnection(text: string, context?: string): ClusterConnection {
  return resolveContext(parseKubeconfig(text, "the kubeconfig"), context);
}

/** A missing certificate is better told now than at the first request. */
async function checkFiles({ ca, clientCertificate }: ClusterConnection): Promise<void> {
  await readPem(ca, "the certificate authority");
  await readPem(clientCertificate?.cert, "the client certificate");
  await readPem(clientCertificate?.key, "the client key");
}

async function readIfNeeded(
  path: string,
  isOnly: boolean,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  try {
    return { path, text: await readTextFile(path, "the kubeconfig") };
  } catch (error) {
    if (!isOnly && isMissingFile(error)) return undefined;
    throw error;
  }
}

function isMissingFile(error: unknown): boolean {
  const cause = error instanceof BowlineError ? error.cause : undefined;
  return hasCode(cause, "ENOENT");
}
