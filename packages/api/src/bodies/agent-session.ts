import type { Static } from "typebox";

import { choice, dateTime, flag, integer, line, list, object, optional, text } from "../schema/build.ts";
import { singleLine, uuid } from "../schema/text-rule.ts";
import { pageLimits } from "./list.ts";

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const SessionNumbers = object("How a session does, as the replica that holds it knows.", {
  agentVersion: line("The version of the agent.", singleLine, 64),
  instance: line("Tells the agents of one cluster apart.", singleLine, 64),
  lastSeenAt: dateTime("When something was last heard from the agent."),
  rttMs: optional(
    integer("How long the way there and back takes: the shortest of the last three minutes.", count),
  ),
  roundTripsMs: list(
    "The last round trips of heartbeats, which come every 15 seconds; the newest last.",
    integer("Milliseconds.", count),
    { maxItems: 20 },
  ),
  isDraining: flag("Whether nothing new is begun, because a side goes away."),
  tunnels: integer("Connections that carry requests.", count),
  streams: integer("Requests under way.", count),
  receivedBytes: integer("Bytes that came from the cluster since the session began.", count),
  sentBytes: integer("Bytes that went there.", count),
  heldBytes: integer("Bytes that have come and wait for clients that are slow to read them.", count),
});

/** A connection that an agent holds to one of the replicas. */
export const AgentSession = object("A connection that an agent holds to one of the replicas.", {
  id: text("Names the session in logs.", uuid),
  cluster: line("The Cluster.", singleLine),
  replica: optional(line("The replica that holds it; missing for one that is stopping.", singleLine)),
  openedAt: dateTime("When it began."),
  numbers: optional(SessionNumbers),
});
export type AgentSession = Static<typeof AgentSession>;

const EndedSession = object("A session that is over.", {
  id: text("Names the session in logs.", uuid),
  cluster: line("The Cluster.", singleLine),
  openedAt: dateTime("When it began."),
  endedAt: dateTime("When it ended."),
  end: choice("How it ended.", ["left", "lost", "silent", "revoked", "deleted", "stopping"]),
  message: line("The same as a sentence.", singleLine),
});

/** Whose sessions to list, as parameters of the address. */
export const AgentSessionFilters = object("Which sessions.", {
  cluster: optional(line("Only of this Cluster.", singleLine)),
});
export type AgentSessionFilters = Static<typeof AgentSessionFilters>;

export const AgentSessionList = object("The sessions of agents that are open, by Cluster.", {
  metadata: object("What the list says about itself.", {
    replica: optional(line("The replica that answers; missing for one that takes no agents.", singleLine)),
    withoutNumbers: integer(
      "How many of the sessions have no numbers, because other replicas hold them.",
      count,
    ),
  }),
  items: list("The sessions.", AgentSession, { maxItems: pageLimits.maximum }),
  ended: optional(
    list(
      "Of one Cluster: the last sessions with this replica that are over, the latest first.",
      EndedSession,
      {
        maxItems: 5,
      },
    ),
  ),
});
export type AgentSessionList = Static<typeof AgentSessionList>;
