import { isRecord } from "@bowline/core";

export interface ToolVersion {
  readonly version: string;
  /** Of kustomize or Helm itself: [5, 5, 0]. */
  readonly numbers: readonly number[];
}

/** The kustomize inside of kubectl, by the minor version, for those that do not tell. */
const insideKubectl: readonly (readonly [minor: number, kustomize: string])[] = [
  [23, "v4.4.1"],
  [22, "v4.2.0"],
  [21, "v4.0.5"],
  [0, "v2.0.3"],
];

/** What a program says about its version; undefined for what cannot be understood. */
export function readVersion(program: string, output: string): ToolVersion | undefined {
  if (program === "kubectl") return kubectlVersion(output);
  // `v5.4.2`, or of older ones `{Version:kustomize/v4.5.7 GitCommit:…}`.
  const [version] = /v\d+(?:\.\d+){0,2}[0-9A-Za-z.+-]*/u.exec(output) ?? [];
  return version === undefined ? undefined : { version, numbers: numbersOf(version) };
}

function kubectlVersion(output: string): ToolVersion | undefined {
  const { gitVersion, kustomizeVersion } = fieldsOf(output);
  if (typeof gitVersion !== "string") return undefined;
  const [, minor = 0] = numbersOf(gitVersion);
  const guessed = insideKubectl.find(([from]) => minor >= from)?.[1] ?? "";
  const kustomize = typeof kustomizeVersion === "string" ? kustomizeVersion : guessed;
  return { version: `${gitVersion} (kustomize ${kustomize})`, numbers: numbersOf(kustomize) };
}

function fieldsOf(output: string): { readonly gitVersion?: unknown; readonly kustomizeVersion?: unknown } {
  try {
    const answer: unknown = JSON.parse(output);
    if (!isRecord(answer) || !isRecord(answer["clientVersion"])) return {};
    return {
      gitVersion: answer["clientVersion"]["gitVersion"],
      kustomizeVersion: answer["kustomizeVersion"],
    };
  } catch {
    return {};
  }
}

function numbersOf(version: string): number[] {
  return (/\d+(?:\.\d+)*/u.exec(version)?.[0] ?? "").split(".").map(Number);
}
