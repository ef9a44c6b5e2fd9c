import { useQuery } from "@tanstack/react-query";

import { listPath } from "../../kube/places.ts";
import { request } from "../../live/request.ts";
import { useClusterAccess } from "../clusters/cluster-queries.ts";

export interface Namespaces {
  /** Undefined when neither the cluster nor a grant says which there are. */
  readonly names: readonly string[] | undefined;
  /** Whether one may ask about all of them at once, as far as grants say. */
  readonly mayAskAll: boolean;
}

/** The namespaces to choose from: those of the cluster or, when it does not list them, those of the grants. */
export function useNamespaces(cluster: string): Namespaces {
  const access = useClusterAccess(cluster);
  const listed = useQuery({
    queryKey: ["namespaces", cluster],
    queryFn: ({ signal }) => readNamespaces(cluster, signal),
    staleTime: 30_000,
  });
  const grants = access.data?.grants ?? [];
  const isLimited = grants.length > 0 && grants.every(({ namespaces }) => namespaces !== undefined);
  const granted = [...new Set(grants.flatMap(({ namespaces = [] }) => namespaces))].toSorted();
  const isAsked = listed.isPending || access.isPending;
  const names = listed.data ?? (granted.length > 0 || isAsked ? granted : undefined);
  return { names, mayAskAll: !isLimited };
}

async function readNamespaces(cluster: string, signal: AbortSignal): Promise<string[]> {
  const path = listPath({ cluster, group: "", version: "v1", resource: "namespaces" });
  const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
  const answer = await request<{
    readonly items?: readonly { readonly metadata: { readonly name: string } }[];
  }>(path, { headers: { accept }, signal });
  return (answer.items ?? []).map(({ metadata }) => metadata.name).toSorted();
}
