import { plainPath, type GatewaySpec } from "@bowline/api";

import { listenerName, plainListener } from "./entry.ts";
import type { ListedParent, ListedRoute } from "./listed-route.ts";

/** A Gateway in one cluster, whose requests somebody else may want. */
export interface RivalQuestion {
  readonly spec: Pick<GatewaySpec, "hosts" | "rules" | "tls">;
  /** The listeners that its own routes are at. */
  readonly parents: readonly ListedParent[];
  /** The controller of the class. */
  readonly controller: string;
  /** Other Gateways that are known to have other addresses, as `namespace/name`: what comes to ours never comes there. */
  readonly apart: ReadonlySet<string>;
  /** Those of its entry. */
  readonly addresses: readonly string[];
}

/**
 * What a route wants of the requests of a Gateway.
 * - `same`: the very same ones, and which of the two gets them is not for sure
 * - `part`: some of them, which it gets by the rules of the Gateway API, because it says more exactly what it wants
 */
interface Wish {
  readonly wants: "same" | "part";
  readonly host: string;
  /** Empty for all of the host. */
  readonly path: string;
}

export interface Rival extends Wish {
  readonly route: ListedRoute;
}

/** Undefined for a route that wants nothing of a Gateway, or that the Gateway API gives nothing of it. */
export function rivalOf(route: ListedRoute, question: RivalQuestion): Rival | undefined {
  const isServed = route.kind === "Ingress" || route.controllers.includes(question.controller);
  if (!isServed) return undefined;
  const wishes = question.spec.hosts.flatMap((own) => [
    ...wishesAtEntry(own, route, question),
    ...wishesElsewhere(own, route, question),
  ]);
  const first = wishes.find(({ wants }) => wants === "same") ?? wishes[0];
  return first === undefined ? undefined : { route, ...first };
}

/** In a sentence. */
export function rivalText({ route, wants, host, path }: Rival): string {
  const { kind, namespace, name, labelled } = route;
  const though = labelled === undefined ? "" : " though it has its label";
  const whose = `${kind} ${namespace}/${name}, which is not of Bowline${though},`;
  if (wants === "part") return `${whose} gets the requests for ${host}${path}.`;
  if (kind === "GRPCRoute") {
    return `${whose} has ${host} too, and a listener takes either HTTPRoutes or GRPCRoutes of a host.`;
  }
  return `${whose} has ${host}${path} too, and may get its requests.`;
}

function wishesAtEntry(own: string, route: ListedRoute, { spec, parents }: RivalQuestion): Wish[] {
  // Each listener takes the kinds that its protocol is for.
  if ((route.kind === "TLSRoute") !== (spec.tls.mode === "passthrough")) return [];
  const listeners = parents
    .filter(({ sectionName }) => [plainListener, listenerName(own)].includes(sectionName))
    .filter((listener) => route.parents.some((parent) => isAt(parent, listener)));
  return listeners.flatMap(({ sectionName }) => {
    // Without a name of its own a route has that of the listener, and the one for plain HTTP has none.
    const inherited = sectionName === plainListener ? undefined : own;
    const hosts = route.hostnames.length === 0 ? [inherited] : route.hostnames;
    return hosts.flatMap((host) => wishFor(own, host, route, spec) ?? []);
  });
}

/** In a mesh Services are parents too, which nobody comes to from outside. */
const gatewayKinds: ReadonlySet<string> = new Set(["Gateway", "ListenerSet"]);

/** The parents of a route that are not those of a Gateway of Bowline. */
export function parentsElsewhere(
  route: ListedRoute,
  { parents }: Pick<RivalQuestion, "parents">,
): readonly ListedParent[] {
  return route.parents.filter(
    (parent) => gatewayKinds.has(parent.kind) && !parents.some((listener) => isSameObject(parent, listener)),
  );
}

/**
 * Several Gateways of one controller, and Ingresses, may be behind one address, and who gets what there then is not for
 * sure. So only the very same host counts.
 */
function wishesElsewhere(own: string, route: ListedRoute, question: RivalQuestion): Wish[] {
  const { spec } = question;
  if (route.kind === "TLSRoute" && spec.tls.mode === "none") return [];
  if (!route.hostnames.includes(own)) return [];
  const wish = mayMeet(route, question) ? wishFor(own, own, route, spec) : undefined;
  return wish?.wants === "same" ? [wish] : [];
}

/** Whether what comes to the entry may come to a route that is not at it. */
function mayMeet(route: ListedRoute, question: RivalQuestion): boolean {
  if (route.kind === "Ingress") return route.addresses.some((each) => question.addresses.includes(each));
  return parentsElsewhere(route, question).some(
    ({ kind, namespace, name }) => kind !== "Gateway" || !question.apart.has(`${namespace}/${name}`),
  );
}

/** What a host of a route means to one of ours, where both are at one listener; undefined stands for any host. */
function wishFor(
  own: string,
  host: string | undefined,
  { kind, paths }: ListedRoute,
  { rules }: RivalQuestion["spec"],
): Wish | undefined {
  if (kind === "GRPCRoute") {
    // Of two routes of these kinds that have any host in common only one is taken, and with all of its hosts.
    if (host === undefined || covers(host, own)) return { wants: "same", host: own, path: "" };
    return covers(own, host) ? { wants: "same", host, path: "" } : undefined;
  }
  // Whoever names a host more exactly gets its requests.
  if (host === undefined || !covers(own, host)) return undefined;
  if (host !== own) return { wants: "part", host, path: "" };
  if (kind === "TLSRoute") return { wants: "same", host, path: "" };
  const ownPaths = rules.map(({ path }) => plainPath(path));
  const path = paths.find((each) => ownPaths.includes(each));
  if (path !== undefined) return { wants: "same", host, path };
  const longer = paths.find((each) => ownPaths.some((outer) => isBelow(each, outer)));
  return longer === undefined ? undefined : { wants: "part", host, path: longer };
}

const portOf = (listener: ListedParent): number => (listener.sectionName === plainListener ? 80 : 443);

function isAt(parent: ListedParent, listener: ListedParent): boolean {
  return (
    isSameObject(parent, listener) &&
    (parent.sectionName === "" || parent.sectionName === listener.sectionName) &&
    (parent.port === undefined || parent.port === portOf(listener))
  );
}

function isSameObject(one: ListedParent, other: ListedParent): boolean {
  return one.kind === other.kind && one.namespace === other.namespace && one.name === other.name;
}

/** Whether every host of `inner` is one of `outer`; a wildcard stands for one label or more. */
function covers(outer: string, inner: string): boolean {
  return outer === inner || (outer.startsWith("*.") && inner.endsWith(outer.slice(1)));
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "/" || path.startsWith(`${prefix}/`);
}
