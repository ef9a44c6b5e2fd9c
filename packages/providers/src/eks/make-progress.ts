import { ensureResource, removeResource } from "../ensure-resource.ts";
import type { ProviderAnswer, ProviderStep } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { saveRecord, type EksRound, type EksStep } from "./eks-round.ts";
import { isUnderPlane, missedUnderPlane, networkLost } from "./look-again.ts";
import { groupStepOf } from "./nodegroup-step.ts";
import { stepOfRecord, wantedSteps } from "./eks-steps.ts";
import { nextUpdate } from "./update-tries.ts";

/** So many things are done at once at most: nobody is kept waiting for long. */
const mostChanges = 10;
const pollMs = 20_000;
const settleMs = 5_000;
/** A control plane is never there sooner. */
const controlPlaneMs = 5 * 60_000;

/** Does what can be done now towards the cluster that is wanted. */
export async function makeProgress(round: EksRound): Promise<ProviderAnswer> {
  const waiting = new Set<string>();
  for (let changes = 0; changes < mostChanges;) {
    const did = await advanceOne(round, waiting);
    if (did === "nothing") break;
    if (did === "change") changes += 1;
  }
  const steps = wantedSteps(round);
  const answer = progressOf(round, steps);
  if (answer !== undefined) return answer;
  return (await nextUpdate(round)) ?? removeStale(round);
}

async function advanceOne(round: EksRound, waiting: Set<string>): Promise<"change" | "looked" | "nothing"> {
  for (const step of wantedSteps(round)) {
    const before = round.records.get(step.step);
    if (waiting.has(step.step) || (isReady(before) && step.isWatched !== true)) continue;
    if (!step.needs.every((need) => isReady(round.records.get(need)))) continue;
    waiting.add(step.step);
    let calls = 0;
    const counting: EksRound["work"]["call"] = (subject, call) => {
      calls += 1;
      return round.work.call(subject, call);
    };
    const record = await ensureStep({ ...round, work: { ...round.work, call: counting } }, step);
    if (calls > 0 && record.state !== "ready" && lacksOf(record).length > 0) waiting.delete(step.step);
    return calls > 0 ? "change" : "looked";
  }
  return "nothing";
}

/** What was missed once is looked for once more, and not taken for there. */
function isReady(record: ResourceRecord | undefined): boolean {
  return record?.state === "ready" && record.missedAtMs === undefined;
}

async function ensureStep(round: EksRound, step: EksStep): Promise<ResourceRecord> {
  const known = round.records.get(step.step);
  if (known?.id !== undefined && isUnderPlane(round, step) && (await step.find(known)) === undefined) {
    return saveRecord(round, missedUnderPlane(round, step, known));
  }
  const record = await ensureResource(round.work, step);
  round.records.set(step.step, record);
  const [lack] = lacksOf(record);
  if (record.state !== "created" || lack === undefined || step.complete === undefined) return record;
  await round.work.call(`complete ${step.type} ${step.step}`, async () => step.complete?.(record, lack));
  // What else it lacks is known without asking again.
  const lacks = lacksOf(record).slice(1);
  return saveRecord(round, {
    ...record,
    attributes: { ...record.attributes, lacks },
    ...(lacks.length === 0 ? { state: "ready" as const } : {}),
  });
}

function lacksOf({ attributes }: ResourceRecord): readonly string[] {
  const { lacks } = attributes;
  return Array.isArray(lacks) ? lacks.map(String) : [];
}

/** Undefined when all is there. */
export function progressOf(round: EksRound, steps: readonly EksStep[]): ProviderAnswer | undefined {
  const state = round.records.get("cluster")?.attributes["isCompleted"] === true ? "updating" : "creating";
  const lost = networkLost(round, steps);
  if (lost !== undefined) return lost;
  const unready = steps.filter(({ step }) => !isReady(round.records.get(step)));
  for (const { step, reason, text } of unready) {
    const problem = round.records.get(step)?.attributes["problem"];
    if (typeof problem !== "string") continue;
    const message = `${text}: ${problem} Delete it in AWS when that is mended, and it is made again.`;
    return { state: "blocked", reason, message, retryAfterMs: 3 * pollMs };
  }
  // The one that takes longest is what people wait for.
  const begun = unready.filter(({ step }) => round.records.has(step));
  const [current] = (begun.length > 0 ? begun : unready).toSorted(
    (one, other) => other.expectedSeconds - one.expectedSeconds,
  );
  if (current === undefined) return undefined;
  const step: ProviderStep = {
    number: steps.length - unready.length + 1,
    of: steps.length,
    text: current.text,
    expectedSeconds: current.expectedSeconds,
  };
  return { state, reason: current.reason, step, retryAfterMs: retryAfterMs(round, unready) };
}

function retryAfterMs(round: EksRound, unready: readonly EksStep[]): number {
  const records = unready.map(({ step }) => round.records.get(step));
  if (records.some((record) => record?.state === "intended" || record?.missedAtMs !== undefined)) {
    return settleMs;
  }
  const begun = unready.filter((_, at) => records[at] !== undefined);
  const cluster = round.records.get("cluster");
  // Nothing else is to be done beside it.
  if (begun.every(({ step }) => step === "cluster") && cluster?.state === "created") {
    const ageMs = round.work.clock.now() - cluster.intentAtMs;
    if (cluster.attributes["wasActive"] !== true) return Math.max(pollMs, controlPlaneMs - ageMs);
  }
  return pollMs;
}

/** Groups that nobody wants any more go when those that take their place are there; EKS drains their nodes. */
async function removeStale(round: EksRound): Promise<ProviderAnswer> {
  const stale = staleGroups(round);
  for (const { step } of stale) {
    const handler = stepOfRecord(round, step);
    if (handler === undefined) continue;
    const record = await removeResource(round.work, handler);
    if (record !== undefined) round.records.set(step, record);
  }
  if (staleGroups(round).length === 0) {
    await markAsCompleted(round);
    return { state: "ready" };
  }
  const names = stale.map(({ id, step }) => id ?? step).join(", ");
  const message = `Nodes that are not wanted any more are drained and deleted: ${names}.`;
  return { state: "updating", reason: "Updating", message, retryAfterMs: pollMs };
}

export function staleGroups({ records, settings }: EksRound): ResourceRecord[] {
  const wanted = new Set(settings.nodeGroups.map(groupStepOf));
  return [...records.values()].filter(
    ({ step, type, state }) => type === "eks:nodegroup" && state !== "gone" && !wanted.has(step),
  );
}

/** From then on what is done to it is an update. */
export async function markAsCompleted(round: EksRound): Promise<void> {
  const cluster = round.records.get("cluster");
  if (cluster === undefined || cluster.attributes["isCompleted"] === true) return;
  await saveRecord(round, { ...cluster, attributes: { ...cluster.attributes, isCompleted: true } });
}
