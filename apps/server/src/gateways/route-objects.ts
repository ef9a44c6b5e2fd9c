import { plainPath, type GatewaySpec } from "@bowline/api";
import type { KubeObject } from "@bowline/kube";
import { TerminalError } from "@bowline/runtime";

import {
  entryNamespace,
  gatewayGroup,
  listenerName,
  madeForGateways,
  plainListener,
  type Entry,
} from "./entry.ts";
import { placeName } from "./entry-objects.ts";
import { apiVersionOf, type GatewayApis } from "./gateway-apis.ts";
import type { ListedParent } from "./listed-route.ts";
import type { ListenerPlace } from "./place-listeners.ts";

export interface RouteInput {
  /** Name of the Gateway in Bowline. */
  readonly name: string;
  readonly spec: GatewaySpec;
  /** The namespace of the instance. */
  readonly namespace: string;
  readonly entry: Entry;
  readonly apis: GatewayApis;
  readonly places: ReadonlyMap<string, ListenerPlace>;
}

/** The name of the route of a Gateway. */
export function routeName(gateway: string): string {
  return `bowline-${gateway}`;
}

/** That of the route which redirects to HTTPS: with a dot, which no Gateway has in its name. */
function redirectName(gateway: string): string {
  return `${routeName(gateway)}.redirect`;
}

/** The objects of one Gateway in the namespace of its instance. */
export function routeObjects(input: RouteInput): KubeObject[] {
  const { mode, redirect = true } = input.spec.tls;
  if (mode === "passthrough") return tlsRoute(input);
  if (mode === "none") return [httpRoute(input, routeName(input.name), plainParents(input))];
  const secure = secureParents(input);
  if (!redirect) {
    return [
      httpRoute(input, routeName(input.name), [...plainParents(input), ...secure]),
      ...secretGrant(input),
    ];
  }
  return [httpRoute(input, routeName(input.name), secure), redirectRoute(input), ...secretGrant(input)];
}

function metadataOf({ name, namespace }: RouteInput, routeNamed: string): KubeObject["metadata"] {
  return { name: routeNamed, namespace, labels: { [madeForGateways]: "true", "bowline.dev/gateway": name } };
}

function httpRoute(input: RouteInput, name: string, parentRefs: readonly object[]): KubeObject {
  return {
    apiVersion: apiVersionOf(input.apis.httpRoute),
    kind: "HTTPRoute",
    metadata: metadataOf(input, name),
    spec: {
      parentRefs,
      hostnames: input.spec.hosts,
      rules: input.spec.rules.map((rule) => ({
        matches: matchesOf(rule),
        backendRefs: [{ name: rule.service, port: rule.port }],
      })),
    },
  };
}

/**
 * For the same paths only: the others of a host may belong to a Gateway that answers without encryption too. For all of
 * their methods, as a path belongs to one Gateway, and a rule of a route takes no more than 64 matches.
 */
function redirectRoute(input: RouteInput): KubeObject {
  const paths = new Set(input.spec.rules.map(({ path }) => plainPath(path)));
  return {
    apiVersion: apiVersionOf(input.apis.httpRoute),
    kind: "HTTPRoute",
    metadata: metadataOf(input, redirectName(input.name)),
    spec: {
      parentRefs: plainParents(input),
      hostnames: input.spec.hosts,
      rules: [
        {
          matches: [...paths].map(pathMatch),
          filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 301 } }],
        },
      ],
    },
  };
}

function tlsRoute(input: RouteInput): KubeObject[] {
  const [rule] = input.spec.rules;
  if (input.apis.tlsRoute === undefined) {
    const problem = `Cluster ${input.entry.cluster} has no TLSRoute of the version v1, which passes connections through; install a Gateway API that has it.`;
    throw new TerminalError("NotProgrammed", problem);
  }
  if (rule === undefined) return [];
  return [
    {
      apiVersion: apiVersionOf(input.apis.tlsRoute),
      kind: "TLSRoute",
      metadata: metadataOf(input, routeName(input.name)),
      spec: {
        parentRefs: secureParents(input),
        hostnames: input.spec.hosts,
        rules: [{ backendRefs: [{ name: rule.service, port: rule.port }] }],
      },
    },
  ];
}

/** Lets the entry read a Secret that stays in the namespace of the instance. */
function secretGrant(input: RouteInput): KubeObject[] {
  const { secret } = input.spec.tls;
  if (secret === undefined || input.apis.referenceGrant === undefined) return [];
  const from = ["Gateway", ...(input.apis.listenerSet === undefined ? [] : ["ListenerSet"])];
  return [
    {
      apiVersion: apiVersionOf(input.apis.referenceGrant),
      kind: "ReferenceGrant",
      metadata: metadataOf(input, routeName(input.name)),
      spec: {
        from: from.map((kind) => ({ group: gatewayGroup, kind, namespace: entryNamespace(input.entry) })),
        to: [{ group: "", kind: "Secret", name: secret }],
      },
    },
  ];
}

function matchesOf({ path, methods }: GatewaySpec["rules"][number]): object[] {
  const match = pathMatch(plainPath(path));
  return methods === undefined ? [match] : methods.map((method) => ({ ...match, method }));
}

function pathMatch(value: string): object {
  return { path: { type: "PathPrefix", value } };
}

/** The listeners that the routes of a Gateway are at. */
export function routeParents(input: PlacedRoutes): ListedParent[] {
  const { mode } = input.spec.tls;
  const plain = mode === "passthrough" ? [] : plainParents(input);
  const secure = mode === "none" ? [] : secureParents(input);
  return [...plain, ...secure].map((parent) => ({ kind: "Gateway", port: undefined, ...parent }));
}

type PlacedRoutes = Pick<RouteInput, "entry" | "spec" | "places">;

interface ParentReference {
  readonly kind?: "ListenerSet";
  readonly name: string;
  readonly namespace: string;
  readonly sectionName: string;
}

/** A Gateway that has none of the hosts needs no route for them. */
function plainParents({ entry, spec, places }: PlacedRoutes): ParentReference[] {
  const indexes = spec.hosts.map((host) => {
    const place = places.get(host);
    return place?.kind === "Gateway" ? place.index : 0;
  });
  return [...new Set(indexes)].map((index) => ({
    name: placeName(entry, { kind: "Gateway", index }),
    namespace: entryNamespace(entry),
    sectionName: plainListener,
  }));
}

function secureParents({ entry, spec, places }: PlacedRoutes): ParentReference[] {
  return spec.hosts.flatMap((host) => {
    const place = places.get(host);
    if (place === undefined) return [];
    return [
      {
        ...(place.kind === "ListenerSet" ? { group: gatewayGroup, kind: place.kind } : {}),
        name: placeName(entry, place),
        namespace: entryNamespace(entry),
        sectionName: listenerName(host),
      },
    ];
  });
}
