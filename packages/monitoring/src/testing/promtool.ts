import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { RenderResult } from "../index.ts";
import { emitYaml } from "../model/emit-yaml.ts";

/** Debian has it in its package `prometheus`. */
const program = "promtool";

/** `2.42.0`; undefined where it is not installed. */
export const promtoolVersion = /version (\d+\.\d+\.\d+)/u.exec(
  spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "",
)?.[1];

/** Some builds, Debian's among them, are made without the discovery of Kubernetes. */
const knowsKubernetes =
  promtoolProblem(["scrape_configs:\n- job_name: a\n  kubernetes_sd_configs:\n  - role: pod\n"]) ===
  undefined;

/** For the names of tests: which program it is, and what it does not check. */
export const promtoolName =
  promtoolVersion === undefined
    ? "promtool (not installed: nothing was checked)"
    : `promtool ${promtoolVersion}${knowsKubernetes ? "" : " (built without Kubernetes: its discovery was not checked)"}`;

/** Complaints about configurations of Prometheus; undefined for a good one. One process looks at all of them. */
export function promtoolProblem(
  configs: readonly string[],
  flags: readonly string[] = [],
): string | undefined {
  if (configs.length === 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  try {
    const files = configs.map((config, index) => {
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, config);
      return file;
    });
    const args = ["check", "config", "--syntax-only", ...flags, ...files];
    const { status, stderr, error } = spawnSync(program, args, {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    return status === 0 ? undefined : (error?.message ?? stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The configuration with fixed targets instead of those that this build cannot discover. */
export function understoodConfig({ config, sections, jobs }: RenderResult): string {
  if (knowsKubernetes) return config;
  const fixed = jobs.map(({ config: job }) => ({
    ...job,
    kubernetes_sd_configs: undefined,
    static_configs: job["static_configs"] ?? [{ targets: ["discovered:80"] }],
  }));
  return emitYaml({ ...sections, scrape_configs: fixed });
}
