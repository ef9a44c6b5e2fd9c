import type { ClusterFacts } from "./doctor-facts.ts";
import { error, note, warning, type Finding } from "./finding.ts";
import { counted, durationText, listed } from "./spoken.ts";
import { promisedSkew, versionSkew } from "./version-skew.ts";

/** Clusters without an agent that can be reached. */
export function checkConnectedAgents(clusters: readonly ClusterFacts[], nowMs: number): Finding[] {
  const offline = clusters.filter(({ agent, isConnected }) => agent !== undefined && !isConnected);
  const never = clusters.filter(({ agent }) => agent === undefined);
  const findings = offline.map(({ name, agent }) => {
    const ageMs = nowMs - Date.parse(agent?.lastSeenAt ?? "");
    const since = Number.isNaN(ageMs) ? "" : ` since ${durationText(ageMs)} (${agent?.lastSeenAt})`;
    return error(
      "agent-offline",
      `The agent of the cluster ${name} is away${since}.`,
      `Look at it in the cluster, \`kubectl -n bowline-system get pods\` and its log: whether it runs, and whether it reaches the address of the server. \`bowline events --cluster ${name}\` says how it went.`,
    );
  });
  if (never.length === 0) return findings;
  const named = listed(never.map(({ name }) => name));
  return [
    ...findings,
    note(
      "agent-missing",
      `${counted(never.length, "cluster")} never had an agent: ${named}.`,
      "Install one with `bowline cluster add NAME`, or delete the Cluster.",
    ),
  ];
}

/** One minor version of skew is promised, and an agent should not be newer than its server. */
export function checkAgentVersions(clusters: readonly ClusterFacts[], serverVersion: string): Finding[] {
  const skews = clusters.flatMap(({ name, agent }) => {
    const skew = agent === undefined ? undefined : versionSkew(agent.version, serverVersion);
    return skew === undefined ? [] : [{ text: `${name} (${agent?.version})`, skew }];
  });
  const older = skews.filter(({ skew }) => skew < -promisedSkew).map(({ text }) => text);
  const newer = skews.filter(({ skew }) => skew > 0).map(({ text }) => text);
  return [
    ...(older.length === 0
      ? []
      : [
          warning(
            "agent-too-old",
            `${counted(older.length, "agent")} more than one minor version older than the server, which is ${serverVersion}: ${listed(older)}.`,
            "Give each the image of this version: `bowline kubectl NAME -- -n bowline-system set image deployment/bowline-agent agent=IMAGE`.",
          ),
        ]),
    ...(newer.length === 0
      ? []
      : [
          warning(
            "agent-too-new",
            `${counted(newer.length, "agent")} newer than the server, which is ${serverVersion}: ${listed(newer)}.`,
            "Upgrade the server; agents come after it.",
          ),
        ]),
  ];
}
