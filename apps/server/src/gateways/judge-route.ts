import type { GatewaySpec } from "@bowline/api";
import type { KubeObject } from "@bowline/kube";

import { found, missing, unknown, type Finding } from "./check.ts";
import { because } from "./judge-entry.ts";
import type { OtherRoutesFound } from "./other-routes.ts";
import { conditionOf, isTrue, listIn, textIn, type FoundCondition } from "./read-conditions.ts";
import { rivalText } from "./rival-routes.ts";

/** The route of a Gateway, and what it leads to, as they are in the cluster. */
export interface SeenRoute {
  /** `HTTPRoute shop/bowline-shop` */
  readonly label: string;
  readonly route: KubeObject | undefined;
  /** The controller of the class. */
  readonly controller: string;
  /** The Services that rules name, by name; undefined for one that is not there. */
  readonly services: ReadonlyMap<string, KubeObject | undefined>;
  /** The routes of somebody else that want its requests. */
  readonly others: OtherRoutesFound;
  /** Why the route is not applied yet, if it is not. */
  readonly pending: string | undefined;
}

export function judgeRoute(seen: SeenRoute, spec: GatewaySpec, namespace: string): Finding {
  const { label, route, pending } = seen;
  const backend = backendProblem(seen, spec, namespace);
  if (backend !== undefined) return missing("BackendMissing", backend);
  if (route === undefined) return missing("NotProgrammed", `${label} is not there yet${because(pending)}.`);
  const taken = seen.others.rivals.find(({ wants }) => wants === "same");
  if (taken !== undefined) return missing("HostTaken", rivalText(taken));
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
  return found("Accepted", notesOn(seen.others));
}

const maxNotes = 3;

/** What stands in nobody's way, and whoever looks wants to know. */
function notesOn({ rivals, unlisted }: OtherRoutesFound): string {
  const notes = rivals.slice(0, maxNotes).map(rivalText);
  if (rivals.length > maxNotes) notes.push("So do others.");
  if (unlisted.length > 0) {
    const kinds = unlisted.map((kind) => (kind === "Ingress" ? "Ingresses" : `${kind}s`)).join(", ");
    notes.push(
      `${kinds} of other namespaces may not be listed, so nobody has looked whether one has the same host.`,
    );
  }
  return notes.join(" ");
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
