import { join } from "node:path";

import type { AwsApi } from "@bowline/providers";

import type { CommandContext } from "../command/command-context.ts";
import type { openWay } from "../connection/cluster-way.ts";
import { clientFor } from "../connection/connect-to-server.ts";
import type { TargetRecord } from "./installation-state.ts";
import type { ClusterAccess } from "./kubernetes/kube-cluster.ts";
import type { KubernetesFlags } from "./kubernetes/kubernetes-options.ts";
import { usualService } from "./local/kept-data.ts";
import { localOptions, type LocalFlags, type LocalOptions } from "./local/local-options.ts";
import type { LocalService } from "./local/local-service.ts";
import { isRunBySystemd, systemdService } from "./local/systemd-service.ts";
import type { EksFlags } from "./provided/eks-place.ts";
import type { KindFlags } from "./provided/kind-place.ts";
import { StateFiles } from "./state-files.ts";
import type { Target } from "./target.ts";

export interface TargetRequest {
  readonly name: string;
  readonly type: TargetRecord["type"];
  readonly flags: LocalFlags & KubernetesFlags & KindFlags & EksFlags;
  /** As it was recorded; flags are stronger. */
  readonly before: TargetRecord | undefined;
  /** In the place of port-forwards, where a cluster is simulated. */
  readonly openWay?: typeof openWay | undefined;
  /** In the place of AWS, where that is a fake. */
  readonly aws?: AwsApi | undefined;
}

/** The place that flags and the state file name. */
export async function openTarget(context: CommandContext, request: TargetRequest): Promise<Target> {
  if (request.type === "local") return openLocal(context, request);
  if (request.type === "kind") return openKind(context, request);
  return request.type === "eks" ? openEks(context, request) : openKubernetes(context, request);
}

/** What is in the cluster is the same as in any other; its kubeconfig is a file of this installation alone. */
async function openKind(context: CommandContext, request: TargetRequest): Promise<Target> {
  const { environment } = context;
  const { kindPlace } = await import("./provided/kind-place.ts");
  const { providerSteps } = await import("./provided/provider-rounds.ts");
  const { providedTarget } = await import("./provided/provided-target.ts");
  const { name, flags, before } = request;
  const folder = new StateFiles(environment).clusterFolder(name);
  const kubeconfig = join(folder, "kubeconfig");
  const place = kindPlace(flags, before, { folder: join(folder, "kind"), environment });
  const inner = await openKubernetes(context, {
    ...request,
    flags: { ...flags, kubeconfig, kubeContext: undefined },
  });
  const steps = (): Promise<readonly string[]> => providerSteps(place, name, context);
  return providedTarget({ place, kubeconfig, inner, steps });
}

/** The same in a cluster of AWS, whose kubeconfig on this machine has no token. */
async function openEks(context: CommandContext, request: TargetRequest): Promise<Target> {
  const { environment } = context;
  const { eksPlace } = await import("./provided/eks-place.ts");
  const { providerSteps, providerWork } = await import("./provided/provider-rounds.ts");
  const { providedTarget } = await import("./provided/provided-target.ts");
  const { name, flags, before, aws } = request;
  const kubeconfig = join(new StateFiles(environment).clusterFolder(name), "kubeconfig");
  const place = await eksPlace(flags, before, { context, aws });
  const inner = await openKubernetes(
    context,
    { ...request, flags: { ...flags, kubeconfig, kubeContext: undefined } },
    (phase) => place.access(providerWork(place, phase)),
  );
  const steps = (): Promise<readonly string[]> => providerSteps(place, name, context);
  return providedTarget({ place, kubeconfig, inner, steps });
}

async function openKubernetes(
  context: CommandContext,
  { name, flags, before, openWay: open }: TargetRequest,
  access?: ClusterAccess,
): Promise<Target> {
  const { kubernetesOptions } = await import("./kubernetes/kubernetes-options.ts");
  const { KubernetesTarget } = await import("./kubernetes/kubernetes-target.ts");
  const options = await kubernetesOptions(name, flags, before, context);
  return new KubernetesTarget(context, options, { openWay: open, access }).target();
}

async function openLocal(context: CommandContext, { name, flags, before }: TargetRequest): Promise<Target> {
  const { environment, version } = context;
  const given = localOptions(flags, before, { environment, version });
  const isChosen = (flags.service ?? before?.["service"]) !== undefined;
  const isSystem = process.getuid?.() === 0;
  const options = isChosen
    ? given
    : { ...given, service: await foundService(given.data, { name, environment, isSystem }) };
  const { localTarget } = await import("./local/local-target.ts");
  return localTarget({
    options,
    service: await openService(options, { name, environment, isSystem, version }),
    openClient: (access) => clientFor(context, access),
  });
}

/** As what is there tells, when nobody says which. */
async function foundService(
  data: string,
  place: Parameters<typeof isRunBySystemd>[1],
): Promise<LocalOptions["service"]> {
  return (await isRunBySystemd(data, place)) ? "systemd" : usualService(data);
}

async function openService(
  options: LocalOptions,
  place: {
    readonly name: string;
    readonly environment: CommandContext["environment"];
    readonly isSystem: boolean;
    readonly version: string;
  },
): Promise<LocalService> {
  if (options.service === "systemd") {
    return systemdService(options, place);
  }
  if (options.service === "compose") {
    return (await import("./local/compose-service.ts")).composeService(options, place);
  }
  return (await import("./local/process-service.ts")).processService(options, place.environment);
}
