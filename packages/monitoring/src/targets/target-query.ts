import type { SelectorTerm } from "../check/label-selector.ts";
import type { Field } from "../model/field.ts";
import type { FactKind, PortFacts } from "./cluster-facts.ts";

/** Where a job gets its targets from, as far as they can be counted without the collector. */
export type TargetQuery = ListedTargets | ServiceTargets | PodTargets | IngressTargets | UncountedTargets;

/** Targets that the configuration lists itself. */
interface ListedTargets {
  readonly from: "list";
  readonly count: number;
}

/** Where and by which labels objects of the cluster are looked for. */
interface Wanted {
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly labels: readonly SelectorTerm[];
}

/** The addresses behind Services. */
export interface ServiceTargets extends Wanted {
  readonly from: "services";
  readonly role: "endpoints" | "endpointslice";
  /** Undefined for every port, also those of containers that no Service names. */
  readonly port: PortRule | undefined;
  readonly keepsFinished: boolean;
  /** Whether the collector takes the ports of init containers, which are those of sidecars, for ports of the pod. */
  readonly seesInitContainers: boolean;
}

export interface PodTargets extends Wanted {
  readonly from: "pods";
  readonly port: ContainerPortRule | undefined;
  readonly keepsFinished: boolean;
}

export interface IngressTargets extends Wanted {
  readonly from: "ingresses";
}

interface UncountedTargets {
  readonly from: "elsewhere";
}

/** Ports by what an endpoint calls them, or by what a container does. */
export type PortRule = { readonly of: "endpoint"; readonly names: readonly string[] } | ContainerPortRule;

export type ContainerPortRule =
  | { readonly of: "container"; readonly names: readonly string[] }
  | { readonly of: "container"; readonly number: number };

export const uncounted: UncountedTargets = { from: "elsewhere" };

/** A name of a port is a regular expression for the collector, and mostly says no more than the name. */
const plainNames = /^[\w-]+(?:\|[\w-]+)*$/u;

/**
 * The names that a regular expression of plain names stands for; undefined for any other. Those are not tried on
 * ports: whoever writes both could keep the program busy for years.
 */
export function portNames(pattern: string): readonly string[] | undefined {
  return plainNames.test(pattern) ? pattern.split("|") : undefined;
}

/** The rule for a container's port that a monitor gives by number or by name; undefined if it cannot be followed. */
export function containerPortRule(port: Field): ContainerPortRule | undefined {
  if (typeof port.value === "number") return { of: "container", number: port.value };
  const names = portNames(port.text() ?? "");
  return names === undefined ? undefined : { of: "container", names };
}

/**
 * The objects that counting takes. Pods are most of a cluster, and mostly nobody has to look at them: who asks for the
 * port of a Service by its name finds all in the endpoints, which Kubernetes keeps free of finished pods.
 */
export function factKinds(query: TargetQuery): readonly FactKind[] {
  switch (query.from) {
    case "services": {
      const endpoints = query.role === "endpoints" ? "endpoints" : "endpointSlices";
      return query.port?.of === "endpoint" ? ["services", endpoints] : ["services", endpoints, "pods"];
    }
    case "pods":
      return ["pods"];
    case "ingresses":
      return ["ingresses"];
    case "list":
    case "elsewhere":
    default:
      return [];
  }
}

/** Whether the port is one that is asked for. A target whose port nobody declares has none, and is only taken unasked. */
export function matchesPort(rule: PortRule | undefined, port: PortFacts | undefined): boolean {
  if (rule === undefined) return true;
  if (port === undefined) return false;
  return "names" in rule ? rule.names.includes(port.name) : rule.number === port.number;
}
