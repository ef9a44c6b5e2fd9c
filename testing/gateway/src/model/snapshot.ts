import type { DeepReadonly } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { Gateway, GatewayClass, HttpRoute, ListenerSet, ReferenceGrant } from "./gateway-kinds.ts";

export interface Service extends KubeObject {
  spec: { ports?: { name?: string; port: number }[] };
}

export interface Secret extends KubeObject {
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
}

/** All that decides about Gateways and routes, as it is at one moment. */
export interface Snapshot {
  readonly classes: readonly DeepReadonly<GatewayClass>[];
  readonly gateways: readonly DeepReadonly<Gateway>[];
  readonly listenerSets: readonly DeepReadonly<ListenerSet>[];
  readonly routes: readonly DeepReadonly<HttpRoute>[];
  readonly grants: readonly DeepReadonly<ReferenceGrant>[];
  readonly service: (namespace: string, name: string) => DeepReadonly<Service> | undefined;
  readonly secret: (namespace: string, name: string) => DeepReadonly<Secret> | undefined;
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined;
}

/** `namespace/name`, as messages and tests name an object. */
export function nameOf({ metadata }: DeepReadonly<KubeObject>): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** The oldest first; of two as old the one whose name comes first, as Gateway API settles every conflict. */
export function byAge(one: DeepReadonly<KubeObject>, other: DeepReadonly<KubeObject>): number {
  const [first, second] = [one, other].map(({ metadata }) => metadata.creationTimestamp ?? "");
  if (first !== second) return (first ?? "") < (second ?? "") ? -1 : 1;
  return nameOf(one) < nameOf(other) ? -1 : 1;
}
