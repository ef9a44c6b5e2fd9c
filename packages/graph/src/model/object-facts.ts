import type { LabelSelectorObject } from "@bowline/core";

import type { NodeRef } from "./node.ts";

/**
 * - `OWNS`: controls, or is named as owner by (`/metadata/ownerReferences/0`)
 * - `HAS_CONTAINER`, `USES_VOLUME`: a pod and what is inside of it; a container and the volumes it mounts
 * - `BACKED_BY`: a volume and its claim, a claim and its persistent volume, a workload and the claims of its template
 * - `USES_CONFIGMAP`, `USES_SECRET`: by whichever field
 * - `RUNS_IMAGE`, `RUNS_AS`, `RUNS_ON`: a container and its image, a pod and its ServiceAccount, a pod and its node
 * - `SELECTS`: by labels, a Service or NetworkPolicy and pods
 * - `ROUTES_TO`: an Ingress or route and a Service, a Service and the pods behind its endpoints
 * - `ATTACHED_TO`: a route and its Gateway
 * - `BINDS`: a binding and who is bound
 * - `GRANTS`: a binding and the role it gives
 */
export const edgeTypes = [
  "OWNS",
  "HAS_CONTAINER",
  "USES_VOLUME",
  "BACKED_BY",
  "USES_CONFIGMAP",
  "USES_SECRET",
  "RUNS_IMAGE",
  "RUNS_AS",
  "RUNS_ON",
  "SELECTS",
  "ROUTES_TO",
  "ATTACHED_TO",
  "BINDS",
  "GRANTS",
] as const;

export type EdgeType = (typeof edgeTypes)[number];

/** Values as they are told to people; times as text. */
export type PropertyValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

export type Properties = Readonly<Record<string, PropertyValue>>;

/**
 * What one object says: about itself, about what exists only inside of it, and about others. It is always whole, and
 * takes the place of what the same object said before, so that no edge outlives the field it came from.
 */
export interface ObjectFacts {
  readonly node: NodeRef;
  readonly uid: string;
  readonly properties: Properties;
  readonly parts: readonly PartFacts[];
  readonly edges: readonly EdgeFacts[];
  /** Edges to all that match, whoever comes and goes. */
  readonly selections: readonly SelectionFacts[];
  /** Of roles: what they allow, rule by rule. */
  readonly rules?: readonly PolicyRule[] | undefined;
  /** Of ClusterRoles that gather the rules of others. */
  readonly aggregates?: readonly LabelSelectorObject[] | undefined;
  /** How much was left out because the object says more than anybody could look at, by what. */
  readonly cut?: Readonly<Record<string, number>> | undefined;
}

/** A node that exists only inside of an object, such as a container. */
export interface PartFacts {
  readonly node: NodeRef;
  readonly properties: Properties;
}

/** An end of an edge: the object (0), one of its parts (1 is the first), or another node. */
export type EdgeEnd = number | NodeRef;

export interface EdgeFacts {
  readonly type: EdgeType;
  readonly from: EdgeEnd;
  readonly to: EdgeEnd;
  /** JSON pointer to the field that says so. */
  readonly at: string;
  /** Such as `optional`, `key`, `readOnly`. */
  readonly properties?: Properties | undefined;
}

/** The object selects all nodes of a kind in a namespace whose labels match. */
export interface SelectionFacts {
  readonly type: EdgeType;
  readonly kind: string;
  readonly namespace: string;
  readonly selector: LabelSelectorObject;
  readonly at: string;
}

/** A rule of a Role or ClusterRole, as Kubernetes has it; what one rule says belongs together. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
