import { isRecord } from "@bowline/core";

import { request } from "../live/request.ts";

/** The Kubernetes user that somebody's requests to a cluster are made as, and the grant that says so. */
export interface ActingAs {
  readonly user: string;
  readonly grant: string;
}

/** Undefined where it cannot be told. */
export async function readActingAs(
  cluster: string,
  namespace: string,
  signal: AbortSignal,
): Promise<ActingAs | undefined> {
  const access = await request<unknown>(`/api/v1/clusters/${encodeURIComponent(cluster)}/access`, { signal });
  return actingAs(access, namespace);
}

/** The first grant that covers the namespace, as the server takes it. */
export function actingAs(access: unknown, namespace: string): ActingAs | undefined {
  const grants: unknown = isRecord(access) ? access["grants"] : undefined;
  if (!Array.isArray(grants)) return undefined;
  for (const grant of grants as unknown[]) {
    if (!isRecord(grant)) continue;
    const { name, user, namespaces } = grant;
    const isCovered = !Array.isArray(namespaces) || namespaces.includes(namespace);
    if (isCovered && typeof name === "string" && typeof user === "string") return { user, grant: name };
  }
  return undefined;
}
