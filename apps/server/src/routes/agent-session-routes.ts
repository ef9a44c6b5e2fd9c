import {
  AgentSessionFilters,
  Cluster,
  createValidator,
  pageLimits,
  type AgentSession as AgentSessionBody,
  type AgentSessionList,
} from "@bowline/api";
import { endSentence, type AgentSession, type Gateway } from "@bowline/gateway";
import { notFound, type AgentSessionStore, type HeldSession, type ObjectStore } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import { readRecordQuery } from "./record-query.ts";

export interface AgentSessionRoutesOptions {
  readonly objects: Pick<ObjectStore, "get">;
  readonly sessions: Pick<AgentSessionStore, "listOpen">;
  /** Undefined where this server holds no agents. */
  readonly gateway:
    | (Pick<Gateway, "replica" | "endedSessions"> & {
        readonly sessions: (cluster?: string) => readonly SessionHere[];
      })
    | undefined;
}

/** A session that this process holds. */
type SessionHere = Pick<AgentSession, "id" | "facts" | "seenAtMs" | "rttMs" | "isDraining" | "figures">;

const parameters = {
  filterNames: Object.keys(AgentSessionFilters.properties),
  validate: createValidator(AgentSessionFilters),
  otherNames: [],
};

/**
 * The sessions of agents, for everybody who may read Clusters. Which there are on all replicas, the database knows; how
 * one does, the replica that holds it.
 */
export function agentSessionRoutes(options: AgentSessionRoutesOptions): ApiPlugin {
  const { objects, sessions, gateway } = options;
  const config = { action: { verb: "list", kind: Cluster } } as const;
  return (app) => {
    app.get("/api/v1/agent-sessions", { config }, async (request): Promise<AgentSessionList> => {
      const { cluster } = readRecordQuery(request, parameters).filters;
      if (cluster !== undefined && (await objects.get(Cluster, cluster)) === undefined) {
        throw notFound(Cluster, cluster);
      }
      const here = new Map(gateway?.sessions(cluster).map((session) => [session.id, session]));
      const held = await sessions.listOpen({ cluster, limit: pageLimits.maximum });
      const items = held.map((row) => {
        const session = here.get(row.id);
        // One that is alone is not in the list of replicas.
        return sessionBody(session === undefined ? row : { ...row, replica: gateway?.replica }, session);
      });
      const ended = cluster === undefined ? undefined : gateway?.endedSessions(cluster);
      return {
        metadata: {
          ...(gateway === undefined ? {} : { replica: gateway.replica }),
          withoutNumbers: items.filter(({ numbers }) => numbers === undefined).length,
        },
        items,
        ...(ended === undefined
          ? {}
          : {
              ended: ended.map(({ openedAtMs, endedAtMs, ...same }) => ({
                ...same,
                openedAt: timeText(openedAtMs),
                endedAt: timeText(endedAtMs),
                message: endSentence(same.end),
              })),
            }),
      };
    });
  };
}

function sessionBody(
  { id, cluster, replica, openedAtMs }: HeldSession,
  session: SessionHere | undefined,
): AgentSessionBody {
  return {
    id,
    cluster,
    ...(replica === undefined ? {} : { replica }),
    openedAt: timeText(openedAtMs),
    ...(session === undefined ? {} : { numbers: numbersOf(session) }),
  };
}

type Numbers = NonNullable<AgentSessionBody["numbers"]>;

function numbersOf({ facts, seenAtMs, rttMs, isDraining, figures }: SessionHere): Numbers {
  const { roundTripsMs, ...sums } = figures;
  return {
    agentVersion: facts.agentVersion,
    instance: facts.instance,
    lastSeenAt: timeText(seenAtMs),
    ...(rttMs === undefined ? {} : { rttMs }),
    roundTripsMs: [...roundTripsMs],
    isDraining,
    ...sums,
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
