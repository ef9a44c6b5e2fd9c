import type { Diagnosis } from "@bowline/api";

import { checkAgentVersions } from "./agent-checks.ts";
import type { ClusterFacts } from "./doctor-facts.ts";
import { error, note, warning, worstFirst, type Finding } from "./finding.ts";
import { checkReadiness, checkReplicas } from "./server-checks.ts";
import { counted, durationText, listed } from "./spoken.ts";
import { promisedSkew, versionSkew } from "./version-skew.ts";

/** What an upgrade depends on. */
export interface UpgradeFacts {
  /** The version to be. */
  readonly target: string;
  /** Names of the migrations that the version to be has; undefined when it is not that of this program. */
  readonly targetMigrations?: readonly string[] | undefined;
  readonly server: Diagnosis;
  readonly clusters: readonly ClusterFacts[];
  /** Names of WorkloadInstances that are on their way from one revision to another. */
  readonly unfinishedRollouts: readonly string[];
}

const dayMs = 24 * 3_600_000;

/** All that stands against an upgrade, the worst first. An `error` would lose something, or not work. */
export function checkUpgrade(facts: UpgradeFacts): Finding[] {
  const { server, clusters, target } = facts;
  return worstFirst([
    ...checkTarget(facts),
    ...checkSchema(facts),
    ...checkReadiness(server),
    ...checkReplicas(server),
    ...checkAgentVersions(clusters, target).filter(({ check }) => check === "agent-too-old"),
    ...checkAway(clusters),
    ...checkRollouts(facts),
    ...checkFreshBackup(server),
  ]);
}

function checkTarget({ target, server }: UpgradeFacts): Finding[] {
  const skew = versionSkew(target, server.version);
  if (skew === undefined) return [];
  if (skew < 0) {
    return [
      error(
        "target",
        `The server is ${server.version}, which is newer than ${target}.`,
        "There is no way back by an upgrade: restore a backup of the older version, with that version.",
      ),
    ];
  }
  if (skew <= promisedSkew) return [];
  return [
    error(
      "target",
      `From ${server.version} to ${target} is more than one minor version: replicas and agents of both would not work together.`,
      "Upgrade one minor version at a time.",
    ),
  ];
}

function checkSchema({ server, targetMigrations }: UpgradeFacts): Finding[] {
  if (targetMigrations === undefined) return [];
  const { appliedMigrations } = server.database;
  const unknown = appliedMigrations.filter((name) => !targetMigrations.includes(name));
  if (unknown.length > 0) {
    return [
      error(
        "schema",
        `The database has changes that this version does not know (${listed(unknown)}): it was used by a newer one.`,
        "Use the version of Bowline that made them, or a newer one.",
      ),
    ];
  }
  const pending = targetMigrations.filter((name) => !appliedMigrations.includes(name));
  if (pending.length === 0) return [];
  return [
    note(
      "schema",
      `The database will be changed by ${counted(pending.length, "migration")}: ${listed(pending)}.`,
      "The first server of the new version does it when it starts; the way back is a restore.",
    ),
  ];
}

function checkAway(clusters: readonly ClusterFacts[]): Finding[] {
  const away = clusters.filter(({ agent, isConnected }) => agent !== undefined && !isConnected);
  if (away.length === 0) return [];
  return [
    warning(
      "agent-offline",
      `${counted(away.length, "agent")} away: ${listed(away.map(({ name }) => name))}. Whether they come back after the upgrade will not be known.`,
      "`bowline doctor` says since when; wait for them, or go on without.",
    ),
  ];
}

function checkRollouts({ unfinishedRollouts }: UpgradeFacts): Finding[] {
  if (unfinishedRollouts.length === 0) return [];
  return [
    warning(
      "rollouts",
      `${counted(unfinishedRollouts.length, "rollout")} under way: ${listed(unfinishedRollouts)}.`,
      "They go on after the upgrade from where they are; wait for them to be sure of what caused what.",
    ),
  ];
}

function checkFreshBackup({ lastBackupAt, now }: Diagnosis): Finding[] {
  const advice = "Make one with `bowline backup create`: it is the only way back.";
  if (lastBackupAt === undefined) {
    return [warning("backup", "The audit log knows of no backup made with Bowline.", advice)];
  }
  const ageMs = Date.parse(now) - Date.parse(lastBackupAt);
  return ageMs < dayMs
    ? []
    : [warning("backup", `The last backup was made ${durationText(ageMs)} ago.`, advice)];
}
