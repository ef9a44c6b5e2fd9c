import type { KubeObject } from "@bowline/kube/shapes";
import { useQuery } from "@tanstack/react-query";

import type { ObjectPlace } from "../../kube/places.ts";
import { readRefusedActions, type RefusedActions } from "../../kube/rights.ts";
import { useClusterAccess } from "../clusters/cluster-queries.ts";

const nothingRefused: RefusedActions = {};

/**
 * Why the actions of an object are not for whoever looks at it. Asked once for each object while the page lives, and
 * again when their grants are other ones: a right that is taken away in between is refused when it is used.
 */
export function useRefusedActions(place: ObjectPlace, object: KubeObject | undefined): RefusedActions {
  const { data: access } = useClusterAccess(place.cluster);
  const { data } = useQuery({
    queryKey: ["refused-actions", place, access?.grants],
    queryFn: ({ signal }) =>
      object === undefined || access === undefined
        ? nothingRefused
        : readRefusedActions(place, object, access, signal),
    enabled: object !== undefined && access !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? nothingRefused;
}
