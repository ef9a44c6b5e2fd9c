import { plainPath, type GatewaySpec } from "@bowline/api";
import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { found, missing, unknown, type Finding } from "./check.ts";
import { listenerName, madeForGateways } from "./entry.ts";
import { because } from "./judge-entry.ts";
import { conditionOf, isTrue, listIn, textIn, type FoundCondition } from "./read-conditions.ts";

/** The route of a Gateway, and what it leads to, as they are in the cluster. */
export interface SeenRoute {
  /** `HTTPRoute shop/bowline-shop` */
  readonly label: string;
  readonly route: KubeObject | undefined;
  /** Of the entry that the route belongs to. */
  readonly entryNamespace: string;
  /** The controller of the class. */
  readonly controller: string;
  /** The Services that rules name, by name; undefined for one that is not there. */
  readonly services: ReadonlyMap<string, KubeObject | undefined>;
  /** The HTTPRoutes of the cluster that are not of Bowline; undefined where they may not be listed. */
  readonly others: readonly KubeObject[] | undefined;
  /** Why the route is not applied yet, if it is not. */
  readonly pending: string | undefined;
}

export function judgeRoute(seen: SeenRoute, spec: GatewaySpec, namespace: string): Finding {
  const { label, route, pending } = seen;
  const backend = backendProblem(seen, spec, namespace);
  if (backend !== undefined) return missing("BackendMissing", backend);
  if (route === undefined) return missing("NotProgrammed", `${label} is not there yet${because(pending)}.`);
  const taken = foreignRoute(seen, spec);
  if (taken !== undefined) return missing("HostTaken", taken);
  const parents = parentsBy(route, seen.controller);
  if (parents.length === 0) return missing("NotProgrammed", `${label}: no controller has taken it yet.`);
  for (const parent of parents) {
    const accepted = conditionOf(parent, "Accepted");
    if (!isTrue(accepted)) {
      return missing("NotProgrammed", `${label} is not accepted: ${whyNot(accepted)}`);
    }
    const resolved = conditionOf(parent, "ResolvedRefs");
    if (resolved?.status === "False") {
      return missing("BackendMissing", `${label}: ${resolved.message || resolved.reason}`);
    }
  }
  // What is there is what was wanted before.
  if (pending !== undefined) {
    return unknown("NotProgrammed", `${label} is not yet what it is to be${because(pending)}.`);
  }
  if (seen.others !== undefined) return found("Accepted");
  return found(
    "Accepted",
    "HTTPRoutes of other namespaces may not be listed, so nobody has looked whether one has the same host.",
  );
}

function whyNot(condition: FoundCondition | undefined): string {
  if (condition === undefined) return "nobody has said anything about it yet";
  return condition.message || condition.reason;
}

function backendProblem(
  { services }: SeenRoute,
  { rules }: GatewaySpec,
  namespace: string,
): string | undefined {
  for (const { service, port } of rules) {
    if (!services.has(service)) continue;
    const object = services.get(service);
    if (object === undefined) return `There is no Service ${namespace}/${service}.`;
    const ports = listIn(object["spec"], "ports").map((each) => each["port"]);
    if (!ports.includes(port)) {
      return `Service ${namespace}/${service} has no port ${port}; it has ${ports.join(", ") || "none"}.`;
    }
  }
  return undefined;
}

/** What the controller of the class says about a route; others may have taken it for classes of their own. */
function parentsBy(route: KubeObject, controller: string): readonly Readonly<Record<string, unknown>>[] {
  return listIn(route["status"], "parents").filter(
    (parent) => textIn(parent, "controllerName") === controller,
  );
}

/**
 * A route of somebody else that the same controller serves for a host and path of ours. Which of the two wins is not for
 * sure, and whoever loses is not told.
 */
function foreignRoute(
  { others = [], controller, entryNamespace }: SeenRoute,
  { hosts, rules, tls }: GatewaySpec,
): string | undefined {
  const paths = new Set(rules.map(({ path }) => plainPath(path)));
  for (const other of others) {
    const { name, namespace, labels = {} } = other.metadata;
    if (labels[madeForGateways] !== undefined || parentsBy(other, controller).length === 0) continue;
    const host = hosts.find((each) => hasHost(other, { host: each, tls, entryNamespace }));
    if (host === undefined) continue;
    const path = prefixesOf(other).find((each) => paths.has(each));
    if (path === undefined) continue;
    return `HTTPRoute ${namespace}/${name}, which is not of Bowline, has ${host}${path} too, and may get its requests.`;
  }
  return undefined;
}

/** One that names no hosts has those of the listeners that it is at; that of plain HTTP has none, and whoever names one wins. */
function hasHost(
  { spec, metadata }: KubeObject,
  { host, tls, entryNamespace }: Pick<GatewaySpec, "tls"> & { host: string; entryNamespace: string },
): boolean {
  const { hostnames } = asRecord(spec);
  if (Array.isArray(hostnames) && hostnames.length > 0) return hostnames.includes(host);
  if (tls.mode === "none") return false;
  return listIn(spec, "parentRefs").some((parent) => {
    const section = textIn(parent, "sectionName");
    const namespace = textIn(parent, "namespace") || metadata.namespace;
    return namespace === entryNamespace && (section === "" || section === listenerName(host));
  });
}

function prefixesOf(route: KubeObject): string[] {
  return listIn(route["spec"], "rules").flatMap((rule) => {
    const matches = listIn(rule, "matches");
    if (matches.length === 0) return ["/"];
    return matches.map((match) => plainPath(textIn(match["path"], "value") || "/"));
  });
}
