import { dnsLabel } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import { pathSegments } from "./path-segments.ts";

/** What an address below `/clusters/` stands for. */
export interface ClusterTarget {
  readonly cluster: string;
  /** Path and query as the client wrote them, which is how they are sent. */
  readonly path: string;
  /** The names between the slashes of the path. */
  readonly segments: readonly string[];
  /** Without its question mark. */
  readonly query: string;
}

export const clustersPath = "/clusters/";

const clusterName = new RegExp(dnsLabel.pattern, "u");
const plainQuery = /^[\u0021\u0022\u0024-\u007e]*$/;

/** `NotFound` when it names no cluster, `BadRequest` when it is no path that can be checked. */
export function parseClusterTarget(url: string): ClusterTarget {
  const queryAt = url.indexOf("?");
  const wholePath = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? "" : url.slice(queryAt + 1);
  const cluster = nameIn(wholePath);
  const path = wholePath.slice(clustersPath.length + cluster.length) || "/";
  if (!plainQuery.test(query)) {
    throw new BowlineError("BadRequest", "The query has a character that does not belong there; escape it.");
  }
  const segments = pathSegments(path);
  return { cluster, path: queryAt === -1 ? path : `${path}?${query}`, segments, query };
}

/** The prefix is compared as it is: an address that has to be decoded to begin with it is another one. */
function nameIn(path: string): string {
  if (path.startsWith(clustersPath)) {
    const end = path.indexOf("/", clustersPath.length);
    const name = path.slice(clustersPath.length, end === -1 ? undefined : end);
    if (name.length <= dnsLabel.maxLength && clusterName.test(name)) return name;
  }
  throw new BowlineError("NotFound", "The address names no cluster: it is /clusters/NAME and a path.");
}
