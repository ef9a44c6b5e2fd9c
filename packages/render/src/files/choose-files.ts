import { BowlineError } from "@bowline/core";

import { matchesAny } from "./glob.ts";
import type { SourceFile } from "./source-file.ts";

export const rendererTypes = ["yaml", "kustomize", "helm"] as const;

export type RendererType = (typeof rendererTypes)[number];

/** The names under which kustomize looks for what to do. */
export const kustomizationNames: readonly string[] = [
  "kustomization.yaml",
  "kustomization.yml",
  "Kustomization",
];

/** What the files of a folder want to be rendered by: a chart by Helm, a kustomization by kustomize, anything else as it is. */
export function detectRenderer(files: readonly SourceFile[], folder: string): RendererType {
  const names = new Set(files.flatMap(({ path }) => nameIn(path, folder)));
  if (names.has("Chart.yaml")) return "helm";
  return kustomizationNames.some((name) => names.has(name)) ? "kustomize" : "yaml";
}

/** The path of a file below a folder; undefined for one that is not. The root is "". */
export function pathBelow(path: string, folder: string): string | undefined {
  if (folder === "") return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

function nameIn(path: string, folder: string): string[] {
  const name = pathBelow(path, folder);
  return name === undefined || name.includes("/") ? [] : [name];
}

const manifestName = /\.(?:ya?ml|json)$/iu;
const hiddenPart = /(?:^|\/)\./u;

interface Choice {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/**
 * The manifests below a folder. Without `include` all of them but hidden ones, such as the workflows of a forge; nothing
 * is left out because it does not look like an object, which would delete it in the clusters.
 */
export function chooseManifests(files: readonly SourceFile[], folder: string, choice: Choice): SourceFile[] {
  const chosen = manifestsBelow(files, folder, choice);
  if (chosen.length > 0) return chosen;
  const place = folder === "" ? "" : ` below ${folder}`;
  throw new BowlineError("RenderFailed", `There is no .yaml, .yml or .json file to render${place}.`);
}

/** The same, also when there are none. */
export function manifestsBelow(
  files: readonly SourceFile[],
  folder: string,
  { include, exclude = [] }: Choice = {},
): SourceFile[] {
  const isIncluded = (path: string): boolean =>
    include === undefined ? !hiddenPart.test(path) : matchesAny(path, include);
  return files.filter((file) => {
    const path = pathBelow(file.path, folder);
    return path !== undefined && manifestName.test(path) && isIncluded(path) && !matchesAny(path, exclude);
  });
}
