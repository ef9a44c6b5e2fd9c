import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../command/command-context.ts";
import type { openWay } from "../connection/cluster-way.ts";
import { clientFor } from "../connection/connect-to-server.ts";
import type { TargetRecord } from "./installation-state.ts";
import type { KubernetesFlags } from "./kubernetes/kubernetes-options.ts";
import { localOptions, type LocalFlags, type LocalOptions } from "./local/local-options.ts";
import type { LocalService } from "./local/local-service.ts";
import type { Target } from "./target.ts";

export interface TargetRequest {
  readonly name: string;
  readonly type: TargetRecord["type"];
  readonly flags: LocalFlags & KubernetesFlags;
  /** As it was recorded; flags are stronger. */
  readonly before: TargetRecord | undefined;
  /** In the place of port-forwards, where a cluster is simulated. */
  readonly openWay?: typeof openWay | undefined;
}

/** It names files, units and Kubernetes objects, whose names get suffixes. */
export function requireInstallationName(name: string): string {
  if (/^[a-z](?:[-a-z0-9]{0,28}[a-z0-9])?$/u.test(name)) return name;
  throw new BowlineError(
    "InvalidArgument",
    `"${name.slice(0, 64)}" cannot be the name of an installation: up to 30 lower-case letters, digits and -, with a letter first.`,
  );
}

/** The place that flags and the state file name. */
export async function openTarget(context: CommandContext, request: TargetRequest): Promise<Target> {
  return request.type === "local" ? openLocal(context, request) : openKubernetes(context, request);
}

async function openKubernetes(
  context: CommandContext,
  { name, flags, before, openWay: open }: TargetRequest,
): Promise<Target> {
  const { kubernetesOptions } = await import("./kubernetes/kubernetes-options.ts");
  const { KubernetesTarget } = await import("./kubernetes/kubernetes-target.ts");
  return new KubernetesTarget(context, await kubernetesOptions(name, flags, before, context), open).target();
}

async function openLocal(context: CommandContext, { name, flags, before }: TargetRequest): Promise<Target> {
  const { environment, version } = context;
  const options = localOptions(flags, before, { environment, version });
  const { localTarget } = await import("./local/local-target.ts");
  const isSystem = process.getuid?.() === 0;
  return localTarget({
    options,
    service: await openService(options, { name, environment, isSystem, version }),
    openClient: (access) => clientFor(context, access),
  });
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
    return (await import("./local/systemd-service.ts")).systemdService(options, place);
  }
  if (options.service === "compose") {
    return (await import("./local/compose-service.ts")).composeService(options, place);
  }
  return (await import("./local/process-service.ts")).processService(options, place.environment);
}
