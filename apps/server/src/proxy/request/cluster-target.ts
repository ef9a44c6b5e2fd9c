import { dnsLabel } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** The meaning of an address below `/clusters/`. */
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

/** Characters that no decoded segment may hold: one that decodes once more would read another path. */
const ambiguous = /[/\\%\p{Cc}]/u;
/** A request target as it is on the wire, without what only some parsers take for something else. */
const plainPath = /^[\u0021-\u0022\u0024-\u003e\u0040-\u005b\u005d-\u007e]*$/;
const dotSegment = /^\.{1,2}$/;

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

/**
 * The names between the slashes of a path, decoded. `BadRequest` for every path that somebody on the way could read in
 * another way than this: what is checked here is what the cluster gets. Only behind a `proxy` subresource, where the
 * rest is for the program in a pod to read, repeated and encoded slashes are let through; `..` is nowhere.
 */
export function pathSegments(path: string): readonly string[] {
  if (!plainPath.test(path)) throw badPath("has a character that does not belong there");
  const raw = path.split("/");
  // Before the first slash there is nothing, and after the last one there may be nothing.
  raw.shift();
  if (raw.at(-1) === "") raw.pop();
  const tail = tailStart(raw);
  const strict = raw.slice(0, tail).map(strictSegment);
  return tail < raw.length ? [...strict, ...raw.slice(tail).flatMap(tailSegments)] : strict;
}

function strictSegment(segment: string): string {
  const name = decoded(segment);
  if (name === "") throw badPath("has two slashes in a row");
  if (dotSegment.test(name)) throw badPath("goes up, or to itself");
  if (name !== segment && ambiguous.test(name)) throw badPath("has a slash or a percent sign in a name");
  return name;
}

function tailSegments(segment: string): string[] {
  const names = decoded(segment).split(/[/\\]/u);
  if (names.some((name) => dotSegment.test(name))) throw badPath("goes up, or to itself");
  return names;
}

/** Where the part begins that follows `…/pods/web/proxy`; the length of the path when there is none. */
function tailStart(raw: readonly string[]): number {
  const base = raw[0] === "api" ? 2 : 3;
  if (raw[0] !== "api" && raw[0] !== "apis") return raw.length;
  const subresource = base + (raw[base] === "namespaces" ? 4 : 2);
  return raw[subresource] === "proxy" ? subresource + 1 : raw.length;
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badPath("has a percent sign that escapes nothing");
  }
}

function badPath(what: string): BowlineError {
  return new BowlineError("BadRequest", `The path behind the name of the cluster ${what}.`);
}
