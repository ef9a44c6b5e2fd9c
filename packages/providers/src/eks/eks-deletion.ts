import { shortened } from "@bowline/core";

import { removeResource } from "../ensure-resource.ts";
import type { ProviderAnswer, ProviderWork } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { isAwsError } from "./aws/aws-api.ts";
import { describeCluster, isOwn } from "./cluster-step.ts";
import { saveRecord, type EksRound } from "./eks-round.ts";
import { stepOfRecord } from "./eks-steps.ts";
import { othersInNetwork, type Holder } from "./network-holders.ts";
import { sweep } from "./sweep.ts";
import { loadBalancersOf, removeLeftovers, removeVolumes } from "./workload-leftovers.ts";

/**
 * Takes away, through the tunnel, what makes load balancers and volumes: Services, Ingresses, Gateways, claims.
 *
 * - `done`: there are none of them.
 * - `waiting`: they were asked to go.
 * - `unreachable`: the cluster does not answer; it is deleted all the same.
 */
export type WorkloadRemoval = (work: ProviderWork) => Promise<"done" | "waiting" | "unreachable">;

/** So long the cluster is kept for its load balancers: only itself can take them away. */
const workloadLimitMs = 15 * 60_000;
const pollMs = 10_000;
const slowPollMs = 20_000;

interface RemovalOptions {
  readonly removeWorkloads: WorkloadRemoval;
  readonly deletesVolumes: boolean;
}

interface Stage {
  readonly text: string;
  readonly types: readonly string[];
  readonly expectedSeconds: number;
  /** What workloads have left is in the way of it. */
  readonly comesAfterLeftovers?: boolean;
}

const stages: readonly Stage[] = [
  { text: "Delete the nodes", types: ["eks:nodegroup"], expectedSeconds: 300 },
  { text: "Take back the access of Bowline", types: ["eks:access-entry"], expectedSeconds: 20 },
  { text: "Delete the control plane", types: ["eks:cluster"], expectedSeconds: 300 },
  {
    text: "Delete the NAT gateways",
    types: ["ec2:natgateway"],
    expectedSeconds: 90,
    comesAfterLeftovers: true,
  },
  { text: "Release the addresses", types: ["ec2:elastic-ip"], expectedSeconds: 20 },
  { text: "Delete the routes", types: ["ec2:route-table"], expectedSeconds: 20 },
  { text: "Delete the subnets", types: ["ec2:subnet"], expectedSeconds: 20 },
  { text: "Delete the internet gateway", types: ["ec2:internet-gateway"], expectedSeconds: 20 },
  { text: "Delete the roles", types: ["iam:role"], expectedSeconds: 20 },
  { text: "Delete the VPC", types: ["ec2:vpc"], expectedSeconds: 20 },
];

/** Does what can be done now towards nothing, in the order in which one thing holds another. */
export async function removeMore(
  round: EksRound,
  { removeWorkloads: workloads, deletesVolumes }: RemovalOptions,
): Promise<ProviderAnswer> {
  const blockedByWorkloads = await removeWorkloads(round, workloads);
  if (blockedByWorkloads !== undefined) return blockedByWorkloads;
  for (const [index, stage] of stages.entries()) {
    const records = livingRecords(round, stage);
    if (stage.comesAfterLeftovers === true && isNetworkLeft(round)) {
      const holders = await removeLeftovers(round);
      if (holders.length > 0) return heldAnswer(holders);
    }
    if (records.length === 0) continue;
    const held = await removeAll(round, records);
    if (held !== undefined) return held;
    if (livingRecords(round, stage).length === 0) continue;
    const { text, expectedSeconds } = stage;
    const step = { number: index + 1, of: stages.length, text, expectedSeconds };
    const retryAfterMs = expectedSeconds > 60 ? slowPollMs : pollMs;
    return { state: "deleting", reason: "DeletingCluster", step, retryAfterMs };
  }
  if (deletesVolumes) await removeVolumes(round);
  return sweepAnswer(await sweep(round));
}

export function sweepAnswer(left: readonly string[]): ProviderAnswer {
  if (left.length === 0) return { state: "gone" };
  return {
    state: "blocked",
    reason: "LeftOver",
    message: `${left.length} things with the mark of the cluster are still in AWS: look at each, and delete it there.`,
    leftOver: left,
    retryAfterMs: 3 * slowPollMs,
  };
}

/** What came between the last look and this is named at once, if it can be seen; else AWS is quoted. */
async function removeAll(
  round: EksRound,
  records: readonly ResourceRecord[],
): Promise<ProviderAnswer | undefined> {
  try {
    for (const { step } of records) await removeStep(round, step);
    return undefined;
  } catch (error) {
    if (!isAwsError(error, "DependencyViolation")) throw error;
    const left = await removeLeftovers(round);
    const holders = left.length > 0 ? left : await othersInNetwork(round);
    if (holders.length === 0) throw error;
    return heldAnswer(holders);
  }
}

async function removeStep(round: EksRound, step: string): Promise<void> {
  const handler = stepOfRecord(round, step);
  if (handler === undefined) return;
  const record = await removeResource(round.work, handler);
  if (record !== undefined) round.records.set(step, record);
}

function livingRecords({ records }: EksRound, { types }: Stage): ResourceRecord[] {
  return [...records.values()].filter(({ type, state }) => state !== "gone" && types.includes(type));
}

/** Of a network that is not ours nothing is deleted, but interfaces of this cluster in it are. */
function isNetworkLeft({ records }: EksRound): boolean {
  return records.get("vpc")?.state !== "gone";
}

const longestList = 800;

function heldAnswer(holders: readonly Holder[]): ProviderAnswer {
  const texts = [...new Set(holders.map(({ text }) => text))];
  const held = `These hold the network of the cluster: ${shortened(texts.join(", "), longestList)}.`;
  const has = (whose: Holder["whose"]): boolean => holders.some((holder) => holder.whose === whose);
  const advice = [
    ...(has("balancer") ? ["The cluster that made the load balancers is gone: delete them in AWS."] : []),
    ...(has("others") ? ["What others have made is left alone: take it away in AWS."] : []),
  ];
  return {
    state: advice.length > 0 ? "blocked" : "deleting",
    reason: has("balancer") ? "WaitingForLoadBalancers" : has("others") ? "NetworkInUse" : "DeletingCluster",
    message: [held, ...advice].join(" "),
    retryAfterMs: slowPollMs,
  };
}

/** Undefined when the cluster itself may go. */
async function removeWorkloads(
  round: EksRound,
  workloads: WorkloadRemoval,
): Promise<ProviderAnswer | undefined> {
  const cluster = await markAsDeleting(round);
  if (cluster?.attributes["wasActive"] !== true || cluster.state === "deleting" || cluster.state === "gone") {
    return undefined;
  }
  const sinceMs = Number(cluster.attributes["goingSinceMs"]);
  const { work } = round;
  if (work.clock.now() - sinceMs > workloadLimitMs) return undefined;
  // Workloads of another control plane that has the name by now are none of ours.
  if (!isOwn(round, await describeCluster(round))) return undefined;
  const known = cluster.attributes["workloads"];
  const isKnown = known === "done" || known === "unreachable";
  const removal = isKnown ? known : await askForRemoval(round, cluster, workloads);
  if (removal === "unreachable") return undefined;
  if (removal === "waiting") {
    return { state: "deleting", reason: "DeletingWorkloads", retryAfterMs: pollMs };
  }
  const names = await loadBalancersOf(round);
  if (names.length === 0) return undefined;
  // Something made one after all such things were seen to be gone: nothing else would take it away.
  if (isKnown) await askForRemoval(round, cluster, workloads);
  const message = `The cluster takes its load balancers away: ${names.slice(0, 20).join(", ")}.`;
  return { state: "deleting", reason: "WaitingForLoadBalancers", message, retryAfterMs: pollMs };
}

/** Its end is remembered: to ask again would open the access again, which goes before the control plane does. */
async function askForRemoval(
  round: EksRound,
  cluster: ResourceRecord,
  workloads: WorkloadRemoval,
): ReturnType<WorkloadRemoval> {
  const { work } = round;
  const removal = await work.call("remove workloads", () => workloads(work));
  if (removal !== "waiting" && removal !== cluster.attributes["workloads"]) {
    await saveRecord(round, { ...cluster, attributes: { ...cluster.attributes, workloads: removal } });
  }
  return removal;
}

/** From then on a cluster that is not found is not lost. */
async function markAsDeleting(round: EksRound): Promise<ResourceRecord | undefined> {
  const cluster = round.records.get("cluster");
  if (cluster === undefined || cluster.attributes["isDeleting"] === true) return cluster;
  const attributes = { ...cluster.attributes, isDeleting: true, goingSinceMs: round.work.clock.now() };
  return saveRecord(round, { ...cluster, attributes });
}
