import { Cluster } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import type { NewEvent } from "@bowline/store";

type Stated = Pick<Cluster, "metadata" | "status">;

/** Who speaks. */
const source = "gateway";

const messages: Readonly<Record<string, string>> = {
  Connected: "The agent has connected.",
  Disconnected: "The connection of the agent has ended.",
  HeartbeatMissed: "Three heartbeats of the agent were missing.",
  Revoked: "The agent was revoked.",
};

/** What to tell when the state of the agent has changed; undefined when it has not. */
export function presenceEvent(before: Stated, after: Stated): NewEvent | undefined {
  const [was, is] = [before, after].map(({ status }) => findCondition(status.conditions, "AgentConnected"));
  const message = is === undefined ? undefined : messages[is.reason];
  if (is === undefined || message === undefined || was?.reason === is.reason) return undefined;
  return agentEvent(after, {
    type: is.status === "True" ? "Normal" : "Warning",
    reason: `Agent${is.reason}`,
    message,
  });
}

/** Something about the agent of a Cluster. */
export function agentEvent(
  { metadata: { name, id } }: Pick<Cluster, "metadata"> | { readonly metadata: { name: string; id: string } },
  told: Pick<NewEvent, "type" | "reason" | "message">,
): NewEvent {
  return { ...told, regarding: { kind: Cluster.kind, name, id }, source };
}
