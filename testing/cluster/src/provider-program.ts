#!/usr/bin/env node
/**
 * A program for the provider `exec` that makes a real Kubernetes on this machine, by the protocol of
 * docs/reference/provider-program.md: `--folder FOLDER [--level LEVEL] [--kubernetes RELEASE] [--image FILE]…`. It is
 * also the keeper of such a cluster, and with the word `end` it ends all clusters of the folder.
 */
import { basename, dirname } from "node:path";
import { text } from "node:stream/consumers";

import { asRecord, BowlineError } from "@bowline/core";

import { actions } from "./provider/answer-question.ts";
import { ClusterFolder } from "./provider/cluster-folder.ts";
import { keepCluster } from "./provider/cluster-keeper.ts";
import { keepCommand } from "./provider/cluster-processes.ts";
import { readFlags } from "./provider/cluster-settings.ts";
import { endClusters, endCommand } from "./provider/end-clusters.ts";

async function main(args: readonly string[]): Promise<void> {
  const { root, settings, words } = await readFlags(args, process.env);
  const [command, path = ""] = words;
  if (command === keepCommand) {
    await keepCluster(new ClusterFolder(dirname(path), basename(path)), settings);
    return;
  }
  if (command === endCommand) {
    await endClusters(root);
    return;
  }
  const question = asRecord(JSON.parse(await text(process.stdin)));
  if (question["protocol"] !== 1)
    throw new BowlineError("InvalidArgument", "This program speaks protocol 1.");
  const { id } = asRecord(question["cluster"]);
  const action = actions[String(question["action"])];
  if (action === undefined || typeof id !== "string" || !/^[0-9a-f-]{36}$/u.test(id)) {
    throw new BowlineError("InvalidArgument", "The question has no action or no id of a cluster.");
  }
  const answer = await action({ folder: new ClusterFolder(root, id), settings });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
