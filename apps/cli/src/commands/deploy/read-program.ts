import { Cluster, printLabelSelector, WorkloadInstance } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, labelRequirementsOf } from "@bowline/core";
import type { ClusterFacts } from "@bowline/manifests";

import type { CommandContext } from "../../command/command-context.ts";
import type { ManifestSource } from "../../manifests/read-sources.ts";
import { objectsDocument } from "../../output/object-document.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { objectsForAll, renderApp } from "../../programs/render-app.ts";
import { listObjects } from "../../resources/find-objects.ts";
import { currentObject } from "../../resources/write-on-top.ts";
import type { GivenValue, Placement } from "./deploy-options.ts";

export interface ProgramWish {
  readonly path: string;
  readonly name: string;
  readonly values: readonly GivenValue[];
  readonly placement: Placement | undefined;
}

/** Each cluster is asked for by one call of the program. */
const maxClusters = 100;

/** Runs a program for the clusters it goes to; what it makes is deployed like a file of manifests. */
export async function readProgram(context: CommandContext, wish: ProgramWish): Promise<ManifestSource> {
  const { path, values } = wish;
  const clusters = await clustersOf(await context.client(), wish, context.signal);
  const objects = await objectsForAll(path, await renderApp(context, { path, values, clusters }));
  if (objects.length === 0) {
    throw new BowlineError("InvalidArgument", `${printableLine(path)} makes no objects.`);
  }
  return { source: printableLine(path), text: await objectsDocument(objects, "yaml") };
}

/** Those that the flags name or, without any, those where the instance runs. */
async function clustersOf(
  client: Client,
  { name, placement }: ProgramWish,
  signal: AbortSignal,
): Promise<ClusterFacts[]> {
  const before = await currentObject(client, WorkloadInstance, name, signal);
  const { clusters = [], selector } = placement ?? before?.spec.placement ?? {};
  if (selector !== undefined) {
    const query = { labelSelector: printLabelSelector(labelRequirementsOf(selector)) };
    const { objects } = await listObjects(client, Cluster, { query, limit: maxClusters, signal });
    return objects.map(({ object }) => factsOf(object));
  }
  const named = clusters.slice(0, maxClusters);
  const found = await Promise.all(named.map((each) => currentObject(client, Cluster, each, signal)));
  return found.flatMap((cluster) => (cluster === undefined ? [] : [factsOf(cluster)]));
}

function factsOf({ metadata: { name, labels }, spec: { region } }: Cluster): ClusterFacts {
  return { name, labels, ...(region === undefined ? {} : { region }) };
}
