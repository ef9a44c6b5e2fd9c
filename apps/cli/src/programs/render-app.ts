import { BowlineError, canonicalJson } from "@bowline/core";
import {
  fillParameters,
  type ClusterFacts,
  type ManifestObject,
  type ParameterType,
} from "@bowline/manifests";

import type { CommandContext } from "../command/command-context.ts";

/** Whether a path names a program that makes objects, by its extension: `app.ts`. */
export function isProgram(path: string): boolean {
  return /\.[cm]?[jt]s$/u.test(path);
}

/** The value of a parameter as it was written, with its type. */
interface WrittenValue {
  readonly name: string;
  readonly type?: ParameterType;
  readonly value: string;
}

export interface AppQuestion {
  readonly path: string;
  readonly values: readonly WrittenValue[];
  /** The clusters to ask for one by one. */
  readonly clusters: readonly ClusterFacts[];
}

export interface AppObjects {
  /** With references in the place of facts, for all clusters at once. */
  readonly forAll: readonly ManifestObject[];
  readonly forEach: readonly {
    readonly cluster: ClusterFacts;
    readonly objects: readonly ManifestObject[];
  }[];
}

/** Runs a program on this machine: once for all clusters, and once for each of those that are named. */
export async function renderApp(
  { environment, signal }: Pick<CommandContext, "environment" | "signal">,
  { path, values, clusters }: AppQuestion,
): Promise<AppObjects> {
  const { defaultRenderLimits, runProgram, RenderTools } = await import("@bowline/render");
  const { tmpdir } = await import("node:os");
  const tools = new RenderTools({
    searchPath: environment["PATH"] ?? "",
    allow: [],
    temporaryFolder: tmpdir(),
  });
  const parameters = Object.fromEntries(values.map((given) => [given.name, valueOf(given)]));
  const [forAll = [], ...others] = await runProgram({
    file: path,
    inputs: [{ parameters, cluster: null }, ...clusters.map((cluster) => ({ parameters, cluster }))],
    sandbox: tools.sandbox,
    limits: defaultRenderLimits,
    signal,
  });
  return { forAll, forEach: clusters.map((cluster, index) => ({ cluster, objects: others[index] ?? [] })) };
}

function valueOf({ type = "string", value }: WrittenValue): string | number | boolean {
  if (type === "boolean") return value === "true";
  return type === "string" ? value : Number(value);
}

/**
 * The one set of objects that is right for all of the clusters. References are, unless the program decides by the facts
 * of a cluster; then it is what the program gives for the only cluster there is.
 */
export async function objectsForAll(
  path: string,
  { forAll, forEach }: AppObjects,
): Promise<readonly ManifestObject[]> {
  const { firstDifference } = await import("@bowline/render");
  for (const { cluster, objects } of forEach) {
    const filled = fillParameters(forAll, { parameters: new Map(), cluster });
    // Parameters that are filled in later are no business of the cluster's.
    const isSame = canonicalJson(filled.objects) === canonicalJson(objects);
    if (isSame || hasOpenParameters(filled.problems)) continue;
    if (forEach.length === 1) return objects;
    throw new BowlineError(
      "InvalidArgument",
      `${path} decides by the facts of a cluster: for all clusters, then for ${cluster.name}, ${firstDifference(filled.objects, objects, ["objects"]) ?? ""}. One definition has the same objects for all; deploy it for each cluster alone, with --cluster and --name.`,
    );
  }
  return forAll;
}

function hasOpenParameters(problems: readonly { readonly message: string }[]): boolean {
  return problems.some(({ message }) => message.startsWith("refers to the parameter "));
}
