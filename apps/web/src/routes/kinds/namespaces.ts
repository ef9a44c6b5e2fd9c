import { arrayOf, recordOf, textOf } from "@bowline/kube/shapes";
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
  return namespaceNames(await request<unknown>(path, { headers: { accept }, signal }));
}

/** The names that Kubernetes lets namespaces have: nothing can be asked for with another. */
const namespaceName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

/** A cluster may send anything: what has no name that could be asked for is no namespace. */
export function namespaceNames(answer: unknown): string[] {
  return arrayOf(recordOf(answer)?.["items"])
    .flatMap((item) => textOf(recordOf(recordOf(item)?.["metadata"])?.["name"]) ?? [])
    .filter((name) => namespaceName.test(name))
    .toSorted();
}
