import { plainPath } from "@bowline/api";
import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { madeForGateways } from "./entry.ts";
import { listIn, textIn } from "./read-conditions.ts";

/** The kinds of routes that have host names. */
export type RouteKind = "HTTPRoute" | "GRPCRoute" | "TLSRoute";

/** A route of a cluster, as far as it says which requests it wants. */
export interface ListedRoute {
  readonly kind: RouteKind;
  readonly namespace: string;
  readonly name: string;
  /** The Gateway of Bowline that it is of, as its labels say; anybody may have written them. */
  readonly labelled: string | undefined;
  /** The controllers that have taken it. */
  readonly controllers: readonly string[];
  readonly parents: readonly ListedParent[];
  /** Empty for all of its listeners. */
  readonly hostnames: readonly string[];
  readonly paths: readonly string[];
}

/** Where a route wants to be. */
export interface ListedParent {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty for all listeners. */
  readonly sectionName: string;
  /** Undefined for any. */
  readonly port: number | undefined;
}

export function listedRoute(kind: RouteKind, object: KubeObject): ListedRoute {
  const { name = "", namespace = "", labels = {} } = object.metadata;
  const { spec, status } = object;
  const { hostnames } = asRecord(spec);
  const isText = (value: unknown): value is string => typeof value === "string";
  return {
    kind,
    namespace,
    name,
    labelled: labels[madeForGateways] === undefined ? undefined : textIn(labels, "bowline.dev/gateway"),
    controllers: listIn(status, "parents").map((parent) => textIn(parent, "controllerName")),
    parents: listIn(spec, "parentRefs").map((parent) => ({
      kind: textIn(parent, "kind") || "Gateway",
      namespace: textIn(parent, "namespace") || namespace,
      name: textIn(parent, "name"),
      sectionName: textIn(parent, "sectionName"),
      port: typeof parent["port"] === "number" ? parent["port"] : undefined,
    })),
    hostnames: Array.isArray(hostnames) ? hostnames.filter(isText) : [],
    paths: listIn(spec, "rules").flatMap((rule) => {
      const matches = listIn(rule, "matches");
      return matches.length === 0
        ? ["/"]
        : matches.map((match) => plainPath(textIn(match["path"], "value") || "/"));
    }),
  };
}
