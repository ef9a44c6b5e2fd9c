import { BowlineError } from "@bowline/core";

import type { ClusterAccess, Provider, ProviderAnswer, ProviderPlan, ProviderWork } from "../provider.ts";
import { findEngine } from "./engine.ts";
import { KindCluster, kindRecord } from "./kind-cluster.ts";
import { kindClusterName, kindWish } from "./kind-config.ts";
import { requireSuccess } from "./kind-failures.ts";
import { findKindOrphans } from "./kind-orphans.ts";
import { lookAt, programContext, type KindHost } from "./kind-situation.ts";
import { runProgram } from "./run-program.ts";

/** How long it usually takes where the image of the nodes has yet to be pulled. */
const expectedSeconds = 120;
const blockedAgainMs = 30_000;
const loadLimitMs = 10 * 60_000;

/** Makes clusters whose nodes are containers of this machine, by the kind command: for development and tests. */
export function kindProvider(host: KindHost): Provider {
  const cluster = (work: ProviderWork): KindCluster => new KindCluster(host, work);
  return {
    name: "kind",
    plan: (work) => plan(host, work),
    observe: (work) => answered(() => cluster(work).observe()),
    next: (work) => answered(() => cluster(work).next()),
    delete: (work) => answered(() => cluster(work).delete()),
    credentials: (work) => credentials(host, work),
    orphans: (search) => findKindOrphans(host, search),
  };
}

/** Rejects where the programs are missing. */
async function plan(host: KindHost, work: ProviderWork): Promise<ProviderPlan> {
  const { nodes, image = "kind's own image", ports } = kindWish(work.cluster.spec);
  const context = programContext(host, work);
  const engine = await findEngine(work.cluster.spec.kind?.engine, context);
  requireSuccess("kind version", await runProgram(context, ["kind", "version"]));
  const name = kindClusterName(work.cluster);
  const workers = nodes === 1 ? "" : ` and ${nodes - 1} for other nodes`;
  const mapped = ports.map(({ host: port, node }) => `${port} to ${node}`).join(", ");
  return {
    steps: [
      `the kind cluster ${name} in ${engine}: a container for the control plane${workers}, of ${image}`,
      ...(mapped === "" ? [] : [`ports of this machine that lead to its first node: ${mapped}`]),
    ],
    expectedSeconds,
  };
}

/** The kubeconfig has the rights of an admin, and lasts as long as the cluster: whoever asks for it keeps it nowhere. */
async function credentials(host: KindHost, work: ProviderWork): Promise<ClusterAccess> {
  const { engine } = await lookAt(host, work, await kindRecord(work));
  const context = programContext(host, work);
  const asked = ["kind", "get", "kubeconfig", "--name", kindClusterName(work.cluster)];
  const result = await runProgram(context, host.isInNetwork === true ? [...asked, "--internal"] : asked, {
    KIND_EXPERIMENTAL_PROVIDER: engine.name,
  });
  const kubeconfig = requireSuccess("kind get kubeconfig", result);
  // Where the engine runs in a virtual machine, the gateway leads into that one and no further.
  const desktop = process.platform === "linux" ? [] : ["host.docker.internal"];
  return { kubeconfig, hostAddresses: [...desktop, ...(await engine.gateways())] };
}

/** Takes some seconds for each node. An image that is there already is loaded once more, which changes nothing. */
export async function loadImageArchive(host: KindHost, work: ProviderWork, archive: string): Promise<void> {
  const { engine } = await lookAt(host, work, await kindRecord(work));
  const context = { ...programContext(host, work), timeLimitMs: loadLimitMs };
  const command = ["kind", "load", "image-archive", archive, "--name", kindClusterName(work.cluster)];
  const added = { KIND_EXPERIMENTAL_PROVIDER: engine.name };
  requireSuccess("kind load image-archive", await runProgram(context, command, added));
}

/** What a person has to put right is an answer; everything else is a bug, or a record that could not be written. */
async function answered(answer: () => Promise<ProviderAnswer>): Promise<ProviderAnswer> {
  try {
    return await answer();
  } catch (error) {
    const reason = error instanceof BowlineError ? error.details?.["reason"] : undefined;
    if (!(error instanceof BowlineError) || typeof reason !== "string") throw error;
    return { state: "blocked", reason, message: error.message, retryAfterMs: blockedAgainMs };
  }
}
