import {
  Cluster,
  printLabelSelector,
  WorkloadInstance,
  WorkloadPlacement,
  type WorkloadDiff,
} from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, Gate, labelRequirementsOf } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";
import { listObjects } from "../../resources/find-objects.ts";
import type { DefinitionBody, InstanceBody } from "../deploy/workload-bodies.ts";
import { isDifferent, renderDiff } from "./render-diff.ts";

export type WorkloadFormat = "json" | "yaml";

/** Whether anything would change, or nobody can say. */
export type DiffVerdict = "same" | "different" | "failed";

export interface WorkloadQuestion {
  readonly name: string;
  /** Both as they would be written; undefined for those that there are. */
  readonly definition?: DefinitionBody;
  readonly instance?: InstanceBody;
  /** The clusters to ask; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** A branch, tag or commit of the definition's repository. */
  readonly ref?: string | undefined;
  readonly output?: WorkloadFormat | undefined;
}

/** How many clusters are asked at once. */
const clustersAtOnce = 4;

/** Prints what would become of an instance in its clusters. */
export async function diffWorkload(
  context: CommandContext,
  question: WorkloadQuestion,
): Promise<DiffVerdict> {
  const { signal, terminal } = context;
  const { name, definition, instance, ref, output } = question;
  const client = await context.client();
  const clusters = question.only ?? (await clustersOf(client, question, signal));
  const asking = { definition, instance, ...(ref === undefined ? {} : { ref }) };
  const ask = async (cluster: string): Promise<Asked> => {
    try {
      const diff = await client.diff(name, { ...asking, cluster }, { signal });
      return { cluster, diff };
    } catch (thrown) {
      signal.throwIfAborted();
      return { cluster, error: BowlineError.from(thrown) };
    }
  };
  const asked = await askAll(context, clusters, ask);
  if (output === undefined) printDiffs(context, asked);
  else terminal.out(await toDocument({ instance: name, clusters: asked.map(toJson) }, output));
  for (const { cluster, error } of asked) {
    if (error !== undefined) terminal.error(`error: ${cluster}: ${printableLine(error.message)}\n`);
  }
  return verdictOn(asked);
}

/** Asks some clusters at once, and tells how many have answered and which have not yet. */
async function askAll(
  { terminal }: CommandContext,
  clusters: readonly string[],
  ask: (cluster: string) => Promise<Asked>,
): Promise<Asked[]> {
  using progress = new ProgressLine(terminal);
  const gate = new Gate({ concurrency: clustersAtOnce, maxWaiting: Number.POSITIVE_INFINITY });
  const underWay = new Set<string>();
  let answered = 0;
  const tell = (): void => {
    if (clusters.length === 1 || underWay.size === 0) return;
    progress.show(`${answered} of ${clusters.length} clusters compared; asking ${[...underWay].join(", ")}`);
  };
  const askOne = async (cluster: string): Promise<Asked> => {
    underWay.add(cluster);
    tell();
    try {
      return await ask(cluster);
    } finally {
      underWay.delete(cluster);
      answered += 1;
      tell();
    }
  };
  return await Promise.all(clusters.map((cluster) => gate.pass(() => askOne(cluster))));
}

interface Asked {
  readonly cluster: string;
  readonly diff?: WorkloadDiff;
  readonly error?: BowlineError;
}

/** Those that are placed there, those that would be, and those that would lose it. */
async function clustersOf(
  client: Client,
  { name, instance }: WorkloadQuestion,
  signal: AbortSignal,
): Promise<string[]> {
  const { placement } = instance?.spec ?? (await client.get(WorkloadInstance, name, { signal })).spec;
  const query = { fieldSelector: `spec.instance=${name}` };
  const { objects } = await listObjects(client, WorkloadPlacement, { query, signal });
  const placed = objects.map(({ object }) => object.spec.cluster);
  const all = new Set([...placed, ...(await chosenBy(client, placement ?? {}, signal))]);
  if (all.size > 0) return [...all].toSorted();
  throw new BowlineError("NotFound", `No cluster matches the placement of workloadinstance/${name}.`);
}

async function chosenBy(
  client: Client,
  { clusters, selector }: NonNullable<InstanceBody["spec"]["placement"]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (selector === undefined) return clusters ?? defaultClusters(client, signal);
  const labelSelector = printLabelSelector(labelRequirementsOf(selector));
  const { objects } = await listObjects(client, Cluster, { query: { labelSelector }, signal });
  return objects.map(({ object }) => object.metadata.name);
}

/** Clusters in which the same would happen have one heading. */
function printDiffs({ terminal, paint }: CommandContext, asked: readonly Asked[]): void {
  const groups = new Map<string, { readonly clusters: string[]; readonly heading: string }>();
  for (const { cluster, diff } of asked) {
    if (diff === undefined) continue;
    const { heading, body } = renderDiff(diff, paint);
    if (body === "") continue;
    const group = groups.get(body) ?? { clusters: [], heading };
    group.clusters.push(cluster);
    groups.set(body, group);
  }
  for (const [body, { clusters, heading }] of groups) {
    terminal.out(`${paint("bold", `${clusters.join(", ")}: ${heading}`)}\n${body}`);
  }
}

function toJson({ cluster, diff, error }: Asked): object {
  if (error === undefined) return { ...diff };
  return { cluster, error: { code: error.code, message: error.message } };
}

function verdictOn(asked: readonly Asked[]): DiffVerdict {
  const isFailed = asked.some(
    ({ diff }) => diff === undefined || diff.objects.some(({ change }) => change === "refused"),
  );
  if (isFailed) return "failed";
  return asked.some(({ diff }) => diff !== undefined && isDifferent(diff)) ? "different" : "same";
}

async function defaultClusters(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const query = { fieldSelector: "spec.default=true" };
  const { objects } = await listObjects(client, Cluster, { query, signal });
  return objects.map(({ object }) => object.metadata.name);
}
