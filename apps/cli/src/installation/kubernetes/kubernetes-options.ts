import { resolve } from "node:path";

import { defaultAgentNamespace } from "@bowline/api";
import { BowlineError, isRecord, mergePatch } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { kubeconfigPath } from "../../kubeconfig/kubeconfig-file.ts";
import { readValuesFile } from "../../manifests/read-values-file.ts";
import type { TargetRecord } from "../installation-state.ts";

/** As somebody gives them, before anything is checked or filled in. */
type Values = Readonly<Record<string, unknown>>;

export interface KubernetesOptions {
  /** The name of the installation, and of its objects. */
  readonly name: string;
  readonly kubeconfig: string;
  readonly kubeContext: string | undefined;
  readonly namespace: string;
  /** As somebody gave them, without what `up` adds. */
  readonly values: Values;
  readonly registers: boolean;
  /** What the fleet calls the cluster that the server runs in. */
  readonly cluster: string;
}

export interface KubernetesFlags {
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly namespace?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly setString?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly url?: string | undefined;
  readonly register?: boolean | undefined;
  readonly cluster?: string | undefined;
}

/** Flags, and where there are none, what was recorded. */
export async function kubernetesOptions(
  name: string,
  flags: KubernetesFlags,
  before: TargetRecord | undefined,
  context: CommandContext,
): Promise<KubernetesOptions> {
  const known = (given: string | undefined, field: string): string | undefined => {
    const recorded = before?.[field];
    return given ?? (typeof recorded === "string" ? recorded : undefined);
  };
  const kubeconfig = known(flags.kubeconfig, "kubeconfig");
  return {
    name,
    kubeconfig: resolve(kubeconfig ?? (await kubeconfigPath(context.environment))),
    kubeContext: known(flags.kubeContext, "kubeContext"),
    namespace: known(flags.namespace, "namespace") ?? defaultAgentNamespace,
    values: await chosenValues(context, flags, before?.["values"]),
    registers: flags.register ?? before?.["registers"] !== false,
    cluster: known(flags.cluster, "cluster") ?? name,
  };
}

export function kubernetesRecord(options: KubernetesOptions): TargetRecord {
  const { kubeconfig, kubeContext, namespace, values, registers, cluster } = options;
  return {
    type: "kubernetes",
    kubeconfig,
    ...(kubeContext === undefined ? {} : { kubeContext }),
    namespace,
    values,
    registers,
    cluster,
  };
}

/** Those of the flags, or else those of the last time: values are given as a whole. */
async function chosenValues(
  context: CommandContext,
  flags: KubernetesFlags,
  recorded: unknown,
): Promise<Values> {
  const { values, set, setString, image, url } = flags;
  const isGiven = [values, set, setString].some((given) => given !== undefined);
  const { givenValues } = await import("@bowline/install");
  const files: unknown[] = [];
  for (const path of values ?? []) files.push(await readValuesFile(context, path));
  const read = isGiven
    ? givenValues({ files, set: set ?? [], setString: setString ?? [] })
    : (recorded ?? {});
  const named = {
    // As a whole: a digest from before would be stronger than the new tag.
    ...(image === undefined ? {} : { image: { tag: null, digest: null, ...imageValues(image) } }),
    ...(url === undefined ? {} : { url }),
  };
  const merged = mergePatch(read, named);
  return isRecord(merged) ? merged : {};
}

/** `registry.example.com/bowline:1.2.3@sha256:…` in its parts. */
export function imageValues(image: string): Readonly<Record<string, string>> {
  const [, repository, tag, digest] =
    /^(.+?)(?::([\w][-.\w]*))?(?:@(sha256:[0-9a-f]{64}))?$/u.exec(image) ?? [];
  if (repository === undefined || repository.includes("@")) {
    throw new BowlineError("InvalidArgument", `"${image.slice(0, 128)}" is not the name of an image.`);
  }
  return {
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}
