import { text as readText } from "node:stream/consumers";

import { BowlineError } from "@bowline/core";
import { healthFacts, judge, judgeTree, relapseOf, type JudgedObject, type Verdict } from "@bowline/health";
import type { KubeObject, ResourceRef } from "@bowline/kube";

import type { PhaseContext } from "../target.ts";
import type { KubeCluster } from "./kube-cluster.ts";

export interface AwaitedWorkload {
  readonly resource: ResourceRef;
  readonly namespace: string;
  readonly name: string;
  /** That of its pods, and of the volumes they claim. */
  readonly selector: string;
  /** As long as a pod may start. */
  readonly startupMs?: number;
}

const lookAgainMs = 500;
/** Something that does not go away by waiting is given so long all the same: a registry may have hiccups. */
const faultLimitMs = 20_000;
/** A pod that no node takes, a volume that nobody makes: a new node may be on its way. */
const standstillLimitMs = 45_000;
/** Besides the time to start: a node is chosen, and the image pulled. */
const besidesMs = 60_000;
const usualStartupMs = 240_000;

interface Standing {
  readonly verdict: Verdict;
  readonly pods: readonly KubeObject[];
  /** Whether it waits for a node or a volume, which may be on its way. */
  readonly isUnplaced: boolean;
}

/** Resolves when all pods are ready; rejects with the reason when that will not happen by waiting. */
export async function untilHealthy(
  cluster: KubeCluster,
  workload: AwaitedWorkload,
  context: PhaseContext,
): Promise<void> {
  const { clock, signal, progress } = context;
  const startMs = clock.monotonicMs();
  const limitMs = (workload.startupMs ?? usualStartupMs) + besidesMs;
  let since: { readonly cause: string; readonly atMs: number } | undefined;
  for (;;) {
    const standing = await standingOf(cluster, workload, context);
    const { health, reason, message } = standing.verdict;
    if (health === "Healthy") return;
    progress(message === "" ? reason : message);
    const nowMs = clock.monotonicMs();
    // The reasons of a fault take turns: an image is being pulled, and waited for.
    const cause = health === "Degraded" && !standing.isUnplaced ? health : reason;
    if (since?.cause !== cause) since = { cause, atMs: nowMs };
    if (nowMs - since.atMs >= patienceMs(standing, limitMs) || nowMs - startMs >= limitMs) {
      throw new BowlineError("ReconcileStalled", await inFull(cluster, workload, standing, context));
    }
    await clock.sleep(lookAgainMs, signal);
  }
}

async function standingOf(
  { client }: KubeCluster,
  { resource, namespace, name, selector }: AwaitedWorkload,
  { clock, signal }: PhaseContext,
): Promise<Standing> {
  const { resources } = await import("@bowline/kube");
  const root = await client.get(resource, { namespace, name, signal });
  const query = { namespace, labelSelector: selector, signal };
  const { items: pods } = await client.list(resources.pods, query);
  const { items: claims } = await client.list(resources.persistentVolumeClaims, query);
  const judged = (object: KubeObject): JudgedObject => judgedObject(object, new Date(clock.now()));
  const claim = claims.map(judged).find(({ verdict }) => verdict.health !== "Healthy");
  const verdict = judgeTree(judged(root), pods.map(judged));
  const isUnplaced = verdict.reason === "Unschedulable";
  if (claim === undefined || verdict.health === "Healthy" || (verdict.health === "Degraded" && !isUnplaced)) {
    return { verdict, pods, isUnplaced };
  }
  const { reason } = claim.verdict;
  const message = `PersistentVolumeClaim ${claim.name} is not bound: ${claim.verdict.message}`;
  return { verdict: { ...verdict, reason, message }, pods, isUnplaced: true };
}

function patienceMs({ verdict: { health }, isUnplaced }: Standing, limitMs: number): number {
  if (isUnplaced) return standstillLimitMs;
  return health === "Degraded" ? faultLimitMs : limitMs;
}

function judgedObject(object: KubeObject, now: Date): JudgedObject {
  const facts = healthFacts(object);
  const verdict = judge(facts, now);
  return {
    kind: object.kind ?? "",
    name: object.metadata.name ?? "",
    verdict,
    relapse: relapseOf(facts, now),
  };
}

/** With the last lines of a container that crashes: they say why, and nothing else does. */
async function inFull(
  cluster: KubeCluster,
  { namespace, name }: AwaitedWorkload,
  { verdict, pods }: Standing,
  { signal }: PhaseContext,
): Promise<string> {
  const sentence = `${name} does not come up (${verdict.reason}): ${verdict.message}`;
  if (!/CrashLoopBackOff|OOMKilled|Error|StartError/u.test(verdict.reason)) return sentence;
  const { streamPodLog } = await import("@bowline/kube");
  for (const pod of pods) {
    const target = { namespace, name: pod.metadata.name ?? "", tailLines: 5, signal };
    for (const previous of [true, false]) {
      const log = await streamPodLog(cluster.client, { ...target, previous }).then(readText, () => "");
      if (log.trim() !== "") return `${sentence} Its last lines: ${log.trim().split("\n").join(" / ")}`;
    }
  }
  return sentence;
}
