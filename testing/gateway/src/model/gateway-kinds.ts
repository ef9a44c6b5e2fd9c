/** The kinds of Gateway API as far as the test kit reads them. Their definitions in the cluster check the fields. */
import type { LabelSelectorObject } from "@bowline/core";
import type { KubeObject, ResourceRef } from "@bowline/kube";
import type { Condition } from "@bowline/runtime";

export const gatewayGroup = "gateway.networking.k8s.io";

function kindOf(plural: string, kind: string, namespaced = true): ResourceRef {
  return Object.freeze({ group: gatewayGroup, version: "v1", plural, kind, namespaced });
}

/** @public For tests of what writes Gateways. */
export const gatewayResources = {
  gatewayClasses: kindOf("gatewayclasses", "GatewayClass", false),
  gateways: kindOf("gateways", "Gateway"),
  listenerSets: kindOf("listenersets", "ListenerSet"),
  httpRoutes: kindOf("httproutes", "HTTPRoute"),
  grpcRoutes: kindOf("grpcroutes", "GRPCRoute"),
  tlsRoutes: kindOf("tlsroutes", "TLSRoute"),
  referenceGrants: kindOf("referencegrants", "ReferenceGrant"),
} as const;

export interface GatewayClass extends KubeObject {
  spec: { controllerName: string };
  status?: { conditions?: Condition[] };
}

export interface ObjectReference {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
}

export interface Listener {
  name: string;
  hostname?: string;
  port: number;
  protocol: string;
  tls?: { mode?: "Terminate" | "Passthrough"; certificateRefs?: ObjectReference[] };
  allowedRoutes?: {
    namespaces?: { from?: "All" | "Same" | "Selector" | "None"; selector?: LabelSelectorObject };
    kinds?: { group?: string; kind: string }[];
  };
}

export interface ListenerStatus {
  name: string;
  supportedKinds: { group: string; kind: string }[];
  attachedRoutes: number;
  conditions: Condition[];
}

export interface GatewayAddress {
  type: string;
  value: string;
}

export interface GatewayStatus {
  addresses?: GatewayAddress[];
  attachedListenerSets?: number;
  conditions?: Condition[];
  listeners?: ListenerStatus[];
}

export interface Gateway extends KubeObject {
  spec: {
    gatewayClassName: string;
    listeners: Listener[];
    addresses?: { type?: string; value?: string }[];
    allowedListeners?: {
      namespaces?: { from?: "All" | "Same" | "Selector" | "None"; selector?: LabelSelectorObject };
    };
  };
  status?: GatewayStatus;
}

export interface ListenerSet extends KubeObject {
  spec: { parentRef: ObjectReference; listeners: Listener[] };
  status?: { conditions?: Condition[]; listeners?: ListenerStatus[] };
}

export interface ParentReference extends ObjectReference {
  sectionName?: string;
  port?: number;
}

export interface BackendReference extends ObjectReference {
  port?: number;
  weight?: number;
  filters?: object[];
}

export interface RouteMatch {
  path?: { type?: "Exact" | "PathPrefix" | "RegularExpression"; value?: string };
  method?: string;
  headers?: object[];
  queryParams?: object[];
}

export interface Redirect {
  scheme?: string;
  hostname?: string;
  port?: number;
  statusCode?: number;
  path?: object;
}

export interface RouteRule {
  matches?: RouteMatch[];
  filters?: { type: string; requestRedirect?: Redirect }[];
  backendRefs?: BackendReference[];
}

export interface RouteParentStatus {
  parentRef: ParentReference;
  controllerName: string;
  conditions: Condition[];
}

export interface HttpRoute extends KubeObject {
  spec: { parentRefs?: ParentReference[]; hostnames?: string[]; rules?: RouteRule[] };
  status?: { parents?: RouteParentStatus[] };
}

interface GrantSide {
  group: string;
  kind: string;
  namespace?: string;
  name?: string;
}

export interface ReferenceGrant extends KubeObject {
  spec: { from: GrantSide[]; to: GrantSide[] };
}
