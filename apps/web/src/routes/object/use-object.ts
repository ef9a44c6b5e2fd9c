import type { KubeObject } from "@bowline/kube/shapes";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { isSecret, objectLists, onlyPath, readObject, secretLists } from "../../kube/objects.ts";
import type { ObjectPlace } from "../../kube/places.ts";
import type { Failure } from "../../live/failure.ts";
import { useLive, useLiveLists } from "../../live/live-context.tsx";
import { RequestFailed } from "../../live/request.ts";
import type { LiveSnapshot } from "../../live/watched-objects.ts";

export interface WatchedObject {
  readonly list: LiveSnapshot<KubeObject>;
  readonly object: KubeObject | undefined;
  /** It was there, and is not any more. */
  readonly isGone: boolean;
  readonly failure: Failure | undefined;
  readonly retry: () => void;
}

/**
 * One object, as it changes. Who may get it and not list it sees it as it was when it was asked for, which is all that
 * the cluster lets them.
 */
export function useObject(place: ObjectPlace): WatchedObject {
  const path = onlyPath(place);
  const lists = useLiveLists();
  const list = useLive(path, isSecret(place) ? secretLists : objectLists);
  const isRefused = list.failure?.status === 403 && list.failure.isOfCluster;
  const single = useQuery({
    queryKey: ["object", path],
    queryFn: ({ signal }) => readObject(place, signal),
    enabled: isRefused,
    // What is refused is not asked for again and again.
    refetchInterval: ({ state }) => (state.status === "error" ? false : 10_000),
  });
  const live = [...list.items.values()].at(-1);
  const [last, setLast] = useState<{ readonly path: string; readonly object: KubeObject }>();
  if (live !== undefined && live !== last?.object) setLast({ path, object: live });
  // Nothing that was seen before is shown to whom it is refused now.
  const seen = last?.path === path && list.failure === undefined ? last.object : undefined;
  const refusal = single.error instanceof RequestFailed ? single.error.failure : undefined;
  return {
    list,
    object: live ?? seen ?? single.data,
    isGone: live === undefined && seen !== undefined && list.phase === "live",
    failure: isRefused ? refusal : list.failure,
    retry: () => lists.find(path)?.retry(),
  };
}
