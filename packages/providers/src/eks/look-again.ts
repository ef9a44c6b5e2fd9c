import type { ProviderAnswer } from "../provider.ts";
import { missed, seen, type ResourceRecord } from "../resource-record.ts";
import { describeCluster } from "./cluster-step.ts";
import { subnetKind } from "./ec2-kinds.ts";
import { saveRecord, type EksRound, type EksStep } from "./eks-round.ts";
import { hasOwnNetwork } from "./own-network.ts";

const blockedMs = 60_000;

/**
 * Looks at things that are taken for ready, and remembers of those that are not there, or not as they should be, that they
 * are not: the next step mends them. Resolves to the first of them.
 */
export async function lookAgain(
  round: EksRound,
  steps: readonly EksStep[],
): Promise<ProviderAnswer | undefined> {
  let first: EksStep | undefined;
  for (const step of steps) {
    const record = round.records.get(step.step);
    if (record?.state !== "ready" || (await isStillReady(round, step, record))) continue;
    first ??= step;
  }
  if (first === undefined) return undefined;
  const message = `${first.text}: it is not there, or not ready.`;
  return { state: "updating", reason: first.reason, message };
}

async function isStillReady(round: EksRound, step: EksStep, record: ResourceRecord): Promise<boolean> {
  const nowMs = round.work.clock.now();
  const found = await step.find(record);
  if (found === undefined) {
    await saveRecord(round, missedUnderPlane(round, step, record));
    return false;
  }
  // Whoever makes the next step is told of it.
  if (found.isForeign === true) {
    await saveRecord(round, { ...record, state: "created" });
    return false;
  }
  const { id, isReady, attributes = {} } = found;
  const now = seen(record, { id, attributes, state: isReady ? "ready" : "created" }, nowMs);
  if (isReady && record.missedAtMs === undefined) round.records.set(step.step, now);
  else await saveRecord(round, now);
  return isReady;
}

/** Whether a control plane stands in it, which would not use another one. */
export function isUnderPlane({ records }: EksRound, { isFoundation }: EksStep): boolean {
  const plane = records.get("cluster");
  return isFoundation === true && plane?.id !== undefined && plane.state !== "gone";
}

/** The record after its thing was not found. What a control plane stands in is never gone, so that nothing takes its place. */
export function missedUnderPlane(round: EksRound, step: EksStep, record: ResourceRecord): ResourceRecord {
  const after = missed(record, round.work.clock.now());
  return isUnderPlane(round, step) ? { ...after, state: record.state } : after;
}

/** Looks whether the subnets that the cluster was given are there, and remembers which are not. */
export async function lookAtGivenNetwork(round: EksRound): Promise<void> {
  const record = round.records.get("cluster");
  if (record?.state !== "ready" || hasOwnNetwork(round)) return;
  const { subnetIds = [] } = (await describeCluster(round))?.resourcesVpcConfig ?? {};
  const found = await subnetKind.byIds(round, subnetIds);
  const there = new Set(found.map(({ SubnetId }) => SubnetId));
  const lostSubnets = subnetIds.filter((id) => !there.has(id));
  if (String(lostSubnets) === String(givenAndLost(round))) return;
  await saveRecord(round, { ...record, attributes: { ...record.attributes, lostSubnets } });
}

export function givenAndLost({ records }: EksRound): readonly string[] {
  const lost = records.get("cluster")?.attributes["lostSubnets"];
  return Array.isArray(lost) ? lost.map(String) : [];
}

/** What was taken away under a control plane that lives; undefined when it has all that it stands in. */
export function networkLost(round: EksRound, steps: readonly EksStep[]): ProviderAnswer | undefined {
  const nowMs = round.work.clock.now();
  const own = steps.flatMap((step) => {
    const record = round.records.get(step.step);
    if (record?.missedAtMs === undefined || !isUnderPlane(round, step)) return [];
    const isGone = missed(record, nowMs).state === "gone";
    return isGone ? [`${step.text.replace("Create ", "")} (${record.id ?? step.step})`] : [];
  });
  const lost = [...own, ...givenAndLost(round).map((id) => `the subnet ${id}`)];
  if (lost.length === 0) return undefined;
  return {
    state: "blocked",
    reason: "NetworkLost",
    message: `Deleted in AWS, and not by Bowline: ${lost.join(", ")}. The control plane was made in it and takes no other, so that it is not made again. What runs goes on as far as it can: make another cluster, move it there, and delete this one.`,
    retryAfterMs: blockedMs,
  };
}
