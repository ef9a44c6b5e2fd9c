import { plainPath } from "@bowline/api";
import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { madeForGateways } from "./entry.ts";
import { listIn, textIn } from "./read-conditions.ts";

/** The kinds that lead the requests for host names somewhere. */
export type RouteKind = "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "Ingress";

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
  /** Of an Ingress: those that it is served at. */
  readonly addresses: readonly string[];
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

/** An Ingress has paths of their own for each of its hosts, and so is several. */
export function listedRoutes(kind: RouteKind, object: KubeObject): ListedRoute[] {
  const { name = "", namespace = "", labels = {} } = object.metadata;
  const labelled = labels[madeForGateways] === undefined ? undefined : textIn(labels, "bowline.dev/gateway");
  const whose = { kind, namespace, name, labelled };
  return kind === "Ingress" ? hostsOfIngress(whose, object) : [{ ...whose, ...partsOfRoute(object) }];
}

type Whose = Pick<ListedRoute, "kind" | "namespace" | "name" | "labelled">;

function hostsOfIngress(whose: Whose, { spec, status }: KubeObject): ListedRoute[] {
  const addresses = listIn(asRecord(status)["loadBalancer"], "ingress")
    .flatMap((entry) => [textIn(entry, "ip"), textIn(entry, "hostname")])
    .filter((address) => address !== "");
  return listIn(spec, "rules").flatMap((rule) => {
    const host = textIn(rule, "host");
    if (host === "") return [];
    const paths = listIn(rule["http"], "paths").map((each) => plainPath(textIn(each, "path") || "/"));
    return [{ ...whose, controllers: [], parents: [], hostnames: [host], paths, addresses }];
  });
}

function partsOfRoute({ metadata, spec, status }: KubeObject): Omit<ListedRoute, keyof Whose> {
  const { hostnames } = asRecord(spec);
  const isText = (value: unknown): value is string => typeof value === "string";
  return {
    controllers: listIn(status, "parents").map((parent) => textIn(parent, "controllerName")),
    parents: listIn(spec, "parentRefs").map((parent) => ({
      kind: textIn(parent, "kind") || "Gateway",
      namespace: textIn(parent, "namespace") || (metadata.namespace ?? ""),
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
    addresses: [],
  };
}
