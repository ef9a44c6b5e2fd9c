import type { Cluster, StatusOf } from "@bowline/api";
import {
  findCondition,
  setCondition,
  summarize,
  type Condition,
  type ConditionUpdate,
} from "@bowline/runtime";

export type ConditionStatement = Pick<ConditionUpdate, "status" | "reason" | "message">;
type ClusterStatus = StatusOf<typeof Cluster>;

/** Conditions that make a Cluster ready, the most important first. */
const positive = ["Provisioned", "AgentConnected"] as const;

/** Whether everything is observed is for people to know; a cluster can be worked with all the same. */
type Statements = Partial<Readonly<Record<(typeof positive)[number] | "Observed", ConditionStatement>>>;

/** The conditions with what was found out about some of them, and with `Ready`, which follows from all of them. */
export function clusterConditions(
  conditions: ClusterStatus["conditions"],
  statements: Statements,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): ClusterStatus["conditions"] {
  const updated = Object.entries(statements).reduce<readonly Condition[]>(
    (list, [type, statement]) =>
      setCondition(list, { type, ...statement, observedGeneration: generation }, nowMs),
    conditions,
  );
  return [...summarize(updated, { positive }, { generation, nowMs })];
}

/** A statement about the agent. The gateway, which knows why, has written it; this only fills what is missing. */
export function agentStatement(name: string, { agent, conditions }: ClusterStatus): ConditionStatement {
  const isConnected = agent?.connectedSince !== undefined;
  const known = findCondition(conditions, "AgentConnected");
  if (known !== undefined && (known.status === "True") === isConnected) {
    const { status, reason, message } = known;
    return { status, reason, message };
  }
  if (isConnected) return { status: "True", reason: "Connected", message: "" };
  if (agent === undefined) {
    const message = `No agent has connected yet. Install the Bowline agent in the cluster and let it join as "${name}".`;
    return { status: "False", reason: "NeverConnected", message };
  }
  const message = `The agent was last heard from at ${agent.lastSeenAt}. Look whether it runs and can reach this server.`;
  return { status: "False", reason: "Disconnected", message };
}
