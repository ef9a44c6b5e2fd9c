import { AccessGrant, Cluster, User, type Whoami } from "@bowline/api";
import { useMemo, useState } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { useNowMs } from "../../live/now.ts";
import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { useWhoami } from "../session.ts";

/** Everything that the parts of this screen work with, as it is by now. */
export interface AccessWorld {
  readonly me: Whoami;
  readonly grants: readonly AccessGrant[];
  readonly users: readonly User[];
  readonly clusters: readonly Cluster[];
  readonly nowMs: number;
  /** Names of those who may write grants and users. */
  readonly admins: readonly string[];
}

export interface AccessLists {
  readonly grants: LiveSnapshot<AccessGrant>;
  readonly users: LiveSnapshot<User>;
  /** Undefined while something has not come yet. */
  readonly world: AccessWorld | undefined;
  /** How the list is of which there is most to tell: one that is refused, or has trouble, or is of a while ago. */
  readonly state: LiveSnapshot<unknown>;
}

const minuteMs = 60_000;

export function useAccessWorld(): AccessLists {
  const { data: me } = useWhoami();
  const grants = useObjects(AccessGrant);
  const users = useObjects(User);
  const clusters = useObjects(Cluster);
  // Grants end by the minute; nothing has to be worked out each second.
  const nowMs = Math.floor(useNowMs() / minuteMs) * minuteMs;
  const lists = [grants, users, clusters];
  // All has to have come once: a grant that is not there yet must not be told to be gone. Later lists are kept meanwhile.
  const [hasCome, setCome] = useState(false);
  const isWaiting = !hasCome && lists.some(({ phase }) => phase === "connecting" || phase === "listing");
  if (!hasCome && !isWaiting) setCome(true);
  const world = useMemo((): AccessWorld | undefined => {
    if (me === undefined || isWaiting) return undefined;
    const known = [...users.items.values()];
    const admins = known
      .filter(({ spec }) => spec.role === "admin" && !spec.disabled)
      .map(({ metadata }) => metadata.name);
    return {
      me,
      grants: [...grants.items.values()],
      users: known,
      clusters: [...clusters.items.values()],
      nowMs,
      admins,
    };
  }, [me, isWaiting, grants, users, clusters, nowMs]);
  const state =
    lists.find(({ failure }) => failure !== undefined) ??
    lists.find(({ trouble }) => trouble !== undefined) ??
    lists.find(({ phase }) => phase !== "live") ??
    grants;
  return { grants, users, world, state };
}
