import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { takeAway } from "./answer-question.ts";
import { ClusterFolder } from "./cluster-folder.ts";

/** By which a folder of clusters is emptied without whoever has made them. */
export const endCommand = "end";
const lookAgainMs = 200;

/** Ends every cluster of the folder, and waits until nothing of them is left: for whoever cleans up behind a test. */
export async function endClusters(root: string): Promise<void> {
  const ids = existsSync(root) ? await readdir(root) : [];
  await Promise.all(ids.map((id) => endCluster(new ClusterFolder(root, id))));
}

async function endCluster(folder: ClusterFolder): Promise<void> {
  for (;;) {
    await takeAway(folder);
    if (!existsSync(folder.path)) return;
    await sleep(lookAgainMs);
  }
}
