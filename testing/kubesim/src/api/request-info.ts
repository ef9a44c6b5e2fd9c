/** What a request asks for, as authorization and routing see it. */
export interface RequestInfo {
  readonly path: string;
  /** A Kubernetes verb for resources, the lower-case method for anything else. */
  readonly verb: string;
  /** Absent for paths outside `/api/VERSION` and `/apis/GROUP/VERSION`. */
  readonly target?: ResourceTarget;
}

export interface ResourceTarget {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly resource: string;
  readonly name?: string;
  readonly subresource?: string;
  /** What follows the subresource, as in `services/x/proxy/some/path`. */
  readonly rest: readonly string[];
}

const namespaceSubresources = new Set(["status", "finalize"]);

export function parseRequest(method: string, url: URL): RequestInfo {
  const path = url.pathname;
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decode(part));
  const place = placeOf(parts);
  if (!place || place.rest.length === 0) return { path, verb: method.toLowerCase() };

  let rest = place.rest;
  const legacyWatch = rest[0] === "watch" && rest.length > 1;
  if (legacyWatch) rest = rest.slice(1);
  const target = { group: place.group, version: place.version, ...targetOf(rest) };
  return { path, verb: verbOf(method, url, target.name !== undefined, legacyWatch), target };
}

function placeOf(parts: readonly string[]): { group: string; version: string; rest: string[] } | undefined {
  const [root, first, second, ...rest] = parts;
  if (root === "api" && first !== undefined) {
    return { group: "", version: first, rest: second === undefined ? [] : [second, ...rest] };
  }
  if (root === "apis" && first !== undefined && second !== undefined)
    return { group: first, version: second, rest };
  return undefined;
}

function targetOf(parts: readonly string[]): Omit<ResourceTarget, "group" | "version"> {
  const [first = "", second, third, ...more] = parts;
  // `namespaces/x` and `namespaces/x/status` are about the namespace; `namespaces/x/pods` is about what is inside.
  if (
    first === "namespaces" &&
    second !== undefined &&
    third !== undefined &&
    !namespaceSubresources.has(third)
  ) {
    const [name, subresource, ...rest] = more;
    return { namespace: second, resource: third, ...optional(name, subresource), rest };
  }
  return { resource: first, ...optional(second, third), rest: more };
}

function optional(
  name: string | undefined,
  subresource: string | undefined,
): { name?: string; subresource?: string } {
  return { ...(name === undefined ? {} : { name }), ...(subresource === undefined ? {} : { subresource }) };
}

function verbOf(method: string, url: URL, named: boolean, legacyWatch: boolean): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default: {
      const asked = url.searchParams.get("watch");
      const watches = legacyWatch || asked === "true" || asked === "1";
      if (watches && (!named || legacyWatch)) return "watch";
      return named ? "get" : "list";
    }
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A broken escape names nothing; the lookup that follows answers 404.
    return part;
  }
}
