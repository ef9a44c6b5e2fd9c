import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { reapOnExit, runCommand } from "@bowline/test-services";

import { releaseVariable } from "../kube-release.ts";
import { flagsOf } from "./cluster-settings.ts";
import { endCommand } from "./end-clusters.ts";

/** The provider program as a server starts it; all its clusters are gone when it is disposed. */
export interface InstalledProgram extends AsyncDisposable {
  /** The path of the command; `end` as its argument takes all its clusters away. */
  readonly path: string;
  /** The folder of the clusters, each in one that has its id as its name. */
  readonly clusters: string;
}

const program = fileURLToPath(new URL("../provider-program.ts", import.meta.url));
const wayToKubernetes = ["HOME", "XDG_CACHE_HOME", "KUBEBUILDER_ASSETS", releaseVariable];

/**
 * Writes a command that makes clusters with nodes, which have the images of these archives. A program gets next to nothing
 * from its server: this one finds Kubernetes where the test that installs it does.
 */
export async function installProviderProgram(
  folder: string,
  images: readonly string[],
): Promise<InstalledProgram> {
  const [path, clusters] = [join(folder, "make-kubernetes"), join(folder, "clusters")];
  const variables = wayToKubernetes.flatMap((name) =>
    process.env[name] === undefined ? [] : [`export ${name}='${process.env[name]}'`],
  );
  const words = [process.execPath, program, "--folder", clusters, ...flagsOf({ level: "cluster", images })];
  const run = `exec ${words.map((word) => `'${word}'`).join(" ")} "$@"`;
  await writeFile(path, `${["#!/bin/sh", ...variables, run].join("\n")}\n`, { mode: 0o755 });
  const args = [program, "--folder", clusters, endCommand];
  // The clusters outlive whoever has asked for them, as they should, and a test that fails as well.
  const forget = reapOnExit({ kind: "command", argv: [process.execPath, ...args] });
  return {
    path,
    clusters,
    async [Symbol.asyncDispose]() {
      await runCommand({ command: process.execPath, args, name: "ending the clusters" });
      forget();
    },
  };
}
