import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { Properties } from "../model/object-facts.ts";
import type { Severity } from "../rbac/finding.ts";
import { automountField } from "./rbac-of.ts";

/** Something that weakens a cluster, seen on one pod. */
export interface PodWeakness {
  readonly code: PodFindingCode;
  readonly severity: Severity;
  readonly pod: GraphNode;
  /** Tells findings of one workload apart: the container or volume. */
  readonly detail: string;
  readonly message: string;
  readonly places: readonly WeakPlace[];
}

/** A field that shows it. */
export interface WeakPlace {
  readonly node: GraphNode;
  /** JSON pointer. */
  readonly at: string;
}

/**
 * - `Privileged`, `AddedCapabilities`: a container that can do more than others
 * - `HostNetwork`, `HostPID`, `HostIPC`, `HostPath`, `HostPort`: something of the node is in the pod
 * - `DefaultServiceAccount`: the pod shares its rights with all that name no account
 * - `AutomountedToken`: a token for the API server is in the containers
 * - `SecretInEnvironment`: Secrets are given as variables
 */
export type PodFindingCode =
  | "Privileged"
  | "AddedCapabilities"
  | "HostNetwork"
  | "HostPID"
  | "HostIPC"
  | "HostPath"
  | "HostPort"
  | "DefaultServiceAccount"
  | "AutomountedToken"
  | "SecretInEnvironment";

/** Capabilities by which a container gets out, or at others. */
const strongCapabilities: ReadonlySet<string> = new Set([
  "ALL",
  "BPF",
  "DAC_OVERRIDE",
  "DAC_READ_SEARCH",
  "NET_ADMIN",
  "NET_RAW",
  "SYS_ADMIN",
  "SYS_BOOT",
  "SYS_MODULE",
  "SYS_PTRACE",
  "SYS_RAWIO",
]);

/** Paths of a node that are the node: with their content one becomes its root. */
const ownerPaths = [
  "/etc",
  "/proc",
  "/root",
  "/run",
  "/sys",
  "/var/lib/kubelet",
  "/var/run",
  "/var/lib/containerd",
];

/** What pods and their containers should not have, one by one. */
export function* podWeaknesses(graph: Graph): Generator<PodWeakness> {
  const accounts = new Map<GraphNode, Account>();
  for (const pod of graph.nodes("Pod")) {
    if (!graph.observed(pod)) continue;
    const properties = graph.properties(pod);
    // What has ended does nothing any more.
    if (properties["phase"] === "Succeeded" || properties["phase"] === "Failed") continue;
    yield* hostWeaknesses(pod, properties);
    const edges = [...graph.out(pod)];
    const runsAs = edges.find(({ type }) => type === "RUNS_AS");
    if (runsAs !== undefined) {
      let account = accounts.get(runsAs.to);
      if (account === undefined) accounts.set(runsAs.to, (account = accountOf(graph, runsAs.to)));
      yield* accountWeaknesses(pod, properties, runsAs.at, account);
    }
    for (const edge of edges) {
      if (edge.type === "HAS_CONTAINER") yield* containerWeaknesses(graph, pod, edge);
      if (edge.type === "USES_VOLUME") yield* volumeWeaknesses(graph, pod, edge);
    }
  }
}

function* hostWeaknesses(pod: GraphNode, properties: Properties): Generator<PodWeakness> {
  const hosts: readonly (readonly [PodFindingCode, field: string, Severity, what: string])[] = [
    ["HostNetwork", "hostNetwork", "medium", "network"],
    ["HostPID", "hostPID", "high", "processes"],
    ["HostIPC", "hostIPC", "high", "shared memory"],
  ];
  for (const [code, field, severity, what] of hosts) {
    if (properties[field] !== true) continue;
    const message = `Its pods share the ${what} of the node.`;
    const places = [{ node: pod, at: `/spec/${field}` }];
    yield { code, severity, pod, detail: "", message, places };
  }
}

/** A ServiceAccount, looked at once for all pods that run as it. */
interface Account {
  readonly node: GraphNode;
  readonly name: string;
  readonly isBound: boolean;
  readonly automount: unknown;
}

function accountOf(graph: Graph, node: GraphNode): Account {
  return {
    node,
    name: graph.name(node),
    isBound: graph.in(node).some(({ type }) => type === "BINDS"),
    automount: graph.properties(node)[automountField],
  };
}

function* accountWeaknesses(
  pod: GraphNode,
  properties: Properties,
  runsAsAt: string,
  account: Account,
): Generator<PodWeakness> {
  const { name, isBound } = account;
  if (name === "default") {
    const message =
      "Its pods run as the default ServiceAccount: rights that it gets, all pods of the namespace get.";
    const places = [{ node: pod, at: runsAsAt }];
    yield { code: "DefaultServiceAccount", severity: "low", pod, detail: "", message, places };
  }
  const mount = tokenMount(pod, properties[automountField], account);
  if (mount === undefined) return;
  const message = isBound
    ? `A token of ServiceAccount ${name}, which has rights, is in its containers.`
    : `A token of ServiceAccount ${name} is in its containers, which has no rights of its own.`;
  const severity = isBound ? "medium" : "low";
  yield { code: "AutomountedToken", severity, pod, detail: "", message, places: [mount] };
}

/** The pod decides, then its ServiceAccount; where neither says anything, a token is mounted. */
function tokenMount(pod: GraphNode, ofPod: unknown, { node, automount }: Account): WeakPlace | undefined {
  if (typeof ofPod === "boolean") return ofPod ? { node: pod, at: `/spec/${automountField}` } : undefined;
  if (automount === false) return undefined;
  return automount === true ? { node, at: `/${automountField}` } : { node: pod, at: "" };
}

function* containerWeaknesses(graph: Graph, pod: GraphNode, has: GraphEdge): Generator<PodWeakness> {
  const container = has.to;
  const properties = graph.properties(container);
  const detail = graph.name(container).split("/").slice(1).join("/");
  const at = (field: string): readonly WeakPlace[] => [{ node: container, at: `${has.at}/${field}` }];
  if (properties["privileged"] === true) {
    const message = "A container is privileged: it is root on the node.";
    const places = at("securityContext/privileged");
    yield { code: "Privileged", severity: "critical", pod, detail, message, places };
  }
  const added = properties["addedCapabilities"];
  const capabilities = Array.isArray(added) ? added.map((each: string) => each.replace(/^CAP_/u, "")) : [];
  if (capabilities.length > 0) {
    const strong = capabilities.filter((each) => strongCapabilities.has(each));
    const severity = strong.length > 0 ? "high" : "low";
    const message = `A container has capabilities beyond the usual ones: ${capabilities.join(", ")}.`;
    const places = at("securityContext/capabilities/add");
    yield { code: "AddedCapabilities", severity, pod, detail, message, places };
  }
  const hostPorts = properties["hostPorts"];
  if (Array.isArray(hostPorts) && hostPorts.length > 0) {
    const message = `A container listens on ports of the node: ${hostPorts.join(", ")}.`;
    yield { code: "HostPort", severity: "low", pod, detail, message, places: at("ports") };
  }
  const secrets = [...graph.out(container)].filter(({ type }) => type === "USES_SECRET");
  if (secrets.length > 0) {
    const names = [...new Set(secrets.map(({ to }) => graph.name(to)))].toSorted();
    const message = `Secrets are in its environment, where its child processes and crash reports have them: ${names.join(", ")}.`;
    const places = secrets.map((edge) => ({ node: container, at: edge.at }));
    yield { code: "SecretInEnvironment", severity: "low", pod, detail, message, places };
  }
}

function* volumeWeaknesses(graph: Graph, pod: GraphNode, uses: GraphEdge): Generator<PodWeakness> {
  const { type, path } = graph.properties(uses.to);
  if (type !== "hostPath") return;
  const directory = typeof path === "string" ? path.replace(/\/+$/u, "") : "";
  const isOwner =
    directory === "" || ownerPaths.some((each) => directory === each || directory.startsWith(`${each}/`));
  const isSocket = directory.endsWith(".sock");
  const severity = isOwner || isSocket ? "high" : "medium";
  const message = `It mounts ${directory === "" ? "/" : directory} of the node.`;
  const places = [{ node: uses.to, at: `${uses.at}/hostPath` }];
  yield {
    code: "HostPath",
    severity,
    pod,
    detail: graph.name(uses.to).split("/").slice(1).join("/"),
    message,
    places,
  };
}
