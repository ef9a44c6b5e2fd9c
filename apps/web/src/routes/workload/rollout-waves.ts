import { waveOf, type WorkloadInstance } from "@bowline/api";

import type { HealthName } from "../../ui/health-mark.tsx";

/** `back`: it has the revision before again. */
export type WaveStep = "ready" | "underWay" | "failed" | "waits" | "back" | "notReady";

/** How far a change is in one cluster. */
export interface WaveMember {
  readonly cluster: string;
  /** As shape, colour and word. */
  readonly health: HealthName;
  readonly step: WaveStep;
  /** When it got the change, while it is under way. */
  readonly since: string | undefined;
  readonly message: string;
}

/** Clusters that get a change together, and how far they are. */
export interface WaveProgress {
  /** Counted from 1. */
  readonly wave: number;
  readonly state: "done" | "current" | "next";
  readonly needsApproval: boolean;
  readonly soak: string;
  readonly members: readonly WaveMember[];
  readonly readyCount: number;
}

type Labels = Readonly<Record<string, string>>;
type ClusterStatus = WorkloadInstance["status"]["clusters"][number];

/** Reasons for which a cluster does not get what the instance wants yet. */
const waits: ReadonlySet<string> = new Set([
  "WaitingForWave",
  "WaitingForApproval",
  "WaitingForDependency",
  "RolloutPaused",
  "Paused",
]);

/**
 * The waves of an instance's rollout. Which cluster is in which is worked out from labels, as the server does; it does
 * not write it down, because clusters come and go.
 */
export function wavesOf(
  { spec, status }: Pick<WorkloadInstance, "spec" | "status">,
  labels: ReadonlyMap<string, Labels>,
): WaveProgress[] {
  const { rollout } = status;
  if (rollout === undefined) return [];
  const waves = spec.rollout?.waves ?? [];
  const places = waveOf(
    waves,
    status.clusters.map(({ cluster }) => ({ name: cluster, labels: labels.get(cluster) ?? {} })),
  );
  return Array.from({ length: waves.length + 1 }, (_, index): WaveProgress => {
    const wave = index + 1;
    const members = status.clusters
      .filter(({ cluster }) => places.get(cluster) === wave)
      .map((cluster) => memberOf(cluster, rollout))
      .toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
    return {
      wave,
      state: rollout.phase === "Complete" || wave < rollout.wave ? "done" : stateOf(wave, rollout.wave),
      needsApproval: waves[index]?.approval === true,
      soak: waves[index]?.soak ?? "0s",
      members,
      readyCount: members.filter(({ step }) => step === "ready").length,
    };
  }).filter(({ members, wave }) => members.length > 0 || wave <= waves.length);
}

function stateOf(wave: number, current: number): WaveProgress["state"] {
  return wave === current ? "current" : "next";
}

type RolloutStatus = NonNullable<WorkloadInstance["status"]["rollout"]>;

function memberOf(status: ClusterStatus, { phase, failed, underWay }: RolloutStatus): WaveMember {
  const { cluster, ready, reason = "", message = "" } = status;
  const since = underWay.find((each) => each.cluster === cluster)?.since;
  const member = { cluster, message, since };
  if (failed.includes(cluster)) return { ...member, step: "failed", health: "Degraded" };
  if (phase === "RolledBack") {
    return { ...member, step: "back", health: ready === "True" ? "Healthy" : "Progressing" };
  }
  if (waits.has(reason)) return { ...member, step: "waits", health: "Suspended" };
  if (ready === "True") return { ...member, step: "ready", health: "Healthy" };
  if (since !== undefined) return { ...member, step: "underWay", health: "Progressing" };
  return { ...member, step: "notReady", health: ready === "False" ? "Degraded" : "Unknown" };
}

/** What the rollout does now, in a sentence. */
export function phaseText({ phase, wave, waveCount, failed, from }: RolloutStatus): string {
  const place = `wave ${wave} of ${waveCount}`;
  const failures = `${failed.length} ${failed.length === 1 ? "cluster has" : "clusters have"} failed`;
  const texts: Readonly<Record<RolloutStatus["phase"], string>> = {
    Progressing: `Under way, ${place}.`,
    Soaking: `All of ${place} are ready, and have to stay so for a while.`,
    WaitingForApproval: `It waits until somebody agrees to ${place}.`,
    Paused: `Stopped in ${place}: ${failures}.`,
    RolledBack: `Rolled back${from === undefined ? "" : " to the revision before"}: ${failures}.`,
    Complete: "Complete: every cluster may have it.",
  };
  return texts[phase];
}
