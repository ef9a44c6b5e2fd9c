/** A request as a Kubernetes API server understands it, by the rules that the API server itself applies. */
export interface KubernetesRequest {
  /** `get`, `list`, `watch`, …; the method in lower case where the path names no resource. */
  readonly verb: string;
  /** Whether the path names a resource; else it is one such as `/version` or `/apis`. */
  readonly isResource: boolean;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for what is in no namespace, and for all namespaces together. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  /** It lasts until somebody ends it: a watch, a log that is followed. */
  readonly isStream: boolean;
}

export interface RequestLine {
  readonly method: string;
  /** The names between the slashes of the path, decoded. */
  readonly segments: readonly string[];
  /** Without its question mark. */
  readonly query: string;
}

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Verbs that old clients write into the path: `/api/v1/watch/pods`. */
const verbsInPath: ReadonlySet<string> = new Set(["watch", "proxy"]);
/** Subresources of a namespace: they follow its name without being resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Follows the `RequestInfo` of Kubernetes, so that a namespace found here is the one the cluster authorizes. */
export function parseKubernetesRequest({ method, segments, query }: RequestLine): KubernetesRequest {
  const isGrouped = segments[0] === "apis";
  const rest = segments.slice(isGrouped ? 3 : 2);
  if ((segments[0] !== "api" && !isGrouped) || rest.length === 0) return nonResource(method);
  const [group = "", version = ""] = isGrouped ? segments.slice(1) : ["", segments[1]];
  return { ...resourceIn(rest, method, query), isResource: true, group, version };
}

function nonResource(method: string): KubernetesRequest {
  return {
    verb: method.toLowerCase(),
    isResource: false,
    group: "",
    version: "",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    isStream: false,
  };
}

/** The resource in what follows the version in a path. */
function resourceIn(
  rest: string[],
  method: string,
  query: string,
): Omit<KubernetesRequest, "isResource" | "group" | "version"> {
  const verbInPath = verbsInPath.has(rest[0] ?? "") && rest.length > 1 ? rest.shift() : undefined;
  const namespace = takeNamespace(rest);
  const [resource = "", name = "", third = ""] = rest;
  const subresource = verbInPath === "proxy" ? "" : third;
  const verb = verbInPath ?? verbOf({ method, query, name });
  // Of a verb in the path, Kubernetes asks no selector for a name.
  const isSelected = verbInPath === undefined && name === "" && (verb === "list" || verb === "watch");
  return {
    verb,
    resource,
    subresource,
    namespace,
    name: isSelected ? nameInSelector(query) : name,
    isStream: verb === "watch" || (subresource === "log" && isSet(query, "follow")),
  };
}

/** Takes `namespaces/NAME` off when something in the namespace follows; the namespace itself is in itself, too. */
function takeNamespace(rest: string[]): string {
  if (rest[0] !== "namespaces" || rest[1] === undefined) return "";
  const [, namespace, inside] = rest;
  if (inside !== undefined && !namespaceSubresources.has(inside)) rest.splice(0, 2);
  return namespace;
}

interface VerbParameters {
  readonly method: string;
  readonly query: string;
  readonly name: string;
}

function verbOf({ method, query, name }: VerbParameters): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (name !== "") return verb;
  if (verb === "get") return isSet(query, "watch") ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** Only what is missing, `false` or `0` is not set; so it is in Kubernetes, whatever else it may be. */
function isSet(query: string, parameter: string): boolean {
  const value = firstValue(query, parameter)?.toLowerCase();
  return value !== undefined && value !== "false" && value !== "0";
}

/** `kubectl get pod web --watch` watches the collection, of which it selects one by name. */
function nameInSelector(query: string): string {
  const selector = firstValue(query, "fieldSelector") ?? "";
  const name = /(?:^|,)metadata\.name==?(?<name>[^,]*)/u.exec(selector)?.groups?.["name"] ?? "";
  return /[/%]|^\.{1,2}$/u.test(name) ? "" : name;
}

/** Pairs that Go, which the API server is written in, leaves out when it reads a query. */
const unreadPair = /;|%(?![\da-f]{2})/iu;

/** A watch must not look like a list here because of how its parameter is written. */
function firstValue(query: string, parameter: string): string | undefined {
  if (!query.includes(parameter) && !query.includes("%")) return undefined;
  const pairs = query.split("&").filter((pair) => !unreadPair.test(pair));
  // A question mark at the very beginning would be taken off; it is part of a name, though.
  return new URLSearchParams(`&${pairs.join("&")}`).get(parameter) ?? undefined;
}
