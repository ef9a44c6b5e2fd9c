import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { BowlineError } from "@bowline/core";

import { whyNoCluster } from "../cluster-obstacles.ts";
import { clusterLevels, type ClusterLevel } from "./cluster-folder.ts";

/** What a cluster is to be, as the flags of the program say it. */
export interface ClusterSettings {
  readonly level: ClusterLevel;
  readonly kubernetes?: string;
  /** Archives of images that its node has from its start: it can pull none. */
  readonly images: readonly string[];
}

export interface ProgramFlags {
  /** The folder of all clusters. */
  readonly root: string;
  readonly settings: ClusterSettings;
  readonly words: readonly string[];
}

export async function readFlags(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ProgramFlags> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      folder: { type: "string" },
      level: { type: "string" },
      kubernetes: { type: "string" },
      image: { type: "string", multiple: true },
    },
  });
  const { folder, kubernetes, image: images = [] } = values;
  const level = await levelOf(values.level, env);
  if (images.length > 0 && level !== "cluster")
    throw new BowlineError("InvalidArgument", "Only a cluster of the level cluster has a node for --image.");
  return {
    root: folder ?? join(tmpdir(), "bowline-test-clusters"),
    settings: { level, images, ...(kubernetes === undefined ? {} : { kubernetes }) },
    words: positionals,
  };
}

/** The flags that `readFlags` reads the same settings from. */
export function flagsOf({ level, kubernetes, images }: ClusterSettings): string[] {
  const release = kubernetes === undefined ? [] : ["--kubernetes", kubernetes];
  return ["--level", level, ...release, ...images.flatMap((file) => ["--image", file])];
}

/** As much as the machine can. */
async function levelOf(wanted: string | undefined, env: NodeJS.ProcessEnv): Promise<ClusterLevel> {
  if (wanted === undefined) return (await whyNoCluster(env)) === undefined ? "cluster" : "control-plane";
  const level = clusterLevels.find((each) => each === wanted);
  if (level !== undefined) return level;
  throw new BowlineError("InvalidArgument", `There is no level ${wanted}, only ${clusterLevels.join(", ")}.`);
}
