import { parseDurationMs } from "@bowline/core";
import type { Static } from "typebox";

import {
  choice,
  dateTime,
  exactlyOneOf,
  flag,
  integer,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, duration, revisionId } from "../schema/text-rule.ts";
import { LabelSelector, labelSelectorProblems } from "../select/label-selector.ts";
import type { Problem } from "../validate/report.ts";

const maxClusters = 500;
const clusterCount = { minimum: 1, maximum: maxClusters };

const wave = object("Clusters that a change reaches together.", {
  clusters: exactlyOneOf("Which of those that no wave before has taken.", {
    selector: optional(LabelSelector),
    percent: optional(integer("So many of a hundred of all clusters.", { minimum: 1, maximum: 100 })),
    count: optional(integer("So many clusters.", clusterCount)),
  }),
  soak: withDefault(text("How long all of them must have been ready before the next wave.", duration), "0s"),
  approval: withDefault(flag("Whether somebody has to agree before it begins: bowline approve."), false),
});

/** How a change of what an instance wants goes over its clusters. */
export const rollout = object("How a change goes over the clusters; without it, to all of them at once.", {
  waves: withDefault(
    list("Clusters one group after the other; those in none of them come last, together.", wave, {
      maxItems: 50,
    }),
    [],
  ),
  maxConcurrent: withDefault(
    integer("In how many clusters it may be under way at the same time.", clusterCount),
    maxClusters,
  ),
  maxFailures: withDefault(
    integer("How many clusters may fail without stopping it.", { minimum: 0, maximum: maxClusters }),
    0,
  ),
  deadline: withDefault(text("A cluster that is not ready after this long has failed.", duration), "10m"),
  onFailure: withDefault(
    choice("What happens when too many have failed: it stops, or all go back to the revision before.", [
      "pause",
      "rollback",
    ]),
    "pause",
  ),
  offline: withDefault(
    choice(
      "Clusters whose agent is not connected: not waited for, and updated when they are back; or waited for.",
      ["skip", "wait"],
    ),
    "skip",
  ),
});
export type Rollout = Static<typeof rollout>;

const phases = ["Progressing", "Soaking", "WaitingForApproval", "Paused", "RolledBack", "Complete"] as const;

const clusterName = text("Name of a Cluster.", dnsLabel);

export const rolloutStatus = object("How far the newest change is.", {
  change: text("Hash of what the instance wants: another one is another rollout.", revisionId),
  revision: text("The revision that clusters get.", revisionId),
  from: optional(text("The revision of the last rollout that was completed.", revisionId)),
  phase: choice("What it does now.", [...phases]),
  wave: integer("The wave that is under way, counted from 1.", { minimum: 1, maximum: 51 }),
  waveCount: integer("How many waves there are, with the one of all other clusters.", {
    minimum: 1,
    maximum: 51,
  }),
  soakUntil: optional(dateTime("When the wave will have been ready long enough.")),
  underWay: withDefault(
    list(
      "Clusters that have got the change and are not ready yet.",
      object("Such a cluster.", { cluster: clusterName, since: dateTime("When it got the change.") }),
      { maxItems: maxClusters, uniqueBy: "cluster" },
    ),
    [],
  ),
  failed: withDefault(
    list("Clusters that were not ready in time.", clusterName, { maxItems: maxClusters, unique: true }),
    [],
  ),
});
export type RolloutStatus = Static<typeof rolloutStatus>;

const maxDurationMs = 30 * 24 * 3_600_000;

export function rolloutProblems({ waves, deadline }: Rollout, at: string): Problem[] {
  return [
    ...waves.flatMap((each, index) => waveProblems(each, `${at}.waves[${index}]`)),
    ...durationProblems(deadline, { at: `${at}.deadline`, minMs: 1_000 }),
  ];
}

function waveProblems({ clusters: { selector }, soak }: Rollout["waves"][number], at: string): Problem[] {
  return [
    ...(selector === undefined ? [] : labelSelectorProblems(selector, `${at}.clusters.selector`)),
    ...durationProblems(soak, { at: `${at}.soak`, minMs: 0 }),
  ];
}

function durationProblems(
  value: string,
  { at, minMs }: { readonly at: string; readonly minMs: number },
): Problem[] {
  const ms = parseDurationMs(value) ?? -1;
  if (ms >= minMs && ms <= maxDurationMs) return [];
  return [{ path: at, message: minMs === 0 ? "must be at most 720h" : "must be between 1s and 720h" }];
}
