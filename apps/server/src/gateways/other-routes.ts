import type { Author, Cluster } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { KubeClient, ResourceRef } from "@bowline/kube";
import type { Store } from "@bowline/store";

import { clusterKey } from "../workloads/engine-in-cluster.ts";
import { all, readable } from "./cluster-facts.ts";
import { gatewayGroup, routesName } from "./entry.ts";
import type { GatewayApis } from "./gateway-apis.ts";
import { addressesIn } from "./judge-entry.ts";
import { listedRoutes, type ListedRoute, type RouteKind } from "./listed-route.ts";
import { parentsElsewhere, rivalOf, type Rival, type RivalQuestion } from "./rival-routes.ts";
import { unlessMissing } from "./self-made-secrets.ts";

export interface OtherRoutesOptions {
  readonly store: Pick<Store, "inventory">;
  readonly clock: Clock;
  /** So long what was listed for one Gateway counts for others that are looked at in the same name. */
  readonly keepMs: number;
}

/** Whose routes are looked at, and how. */
export interface OtherRoutesQuestion extends Omit<RivalQuestion, "apart"> {
  readonly cluster: Cluster;
  readonly apis: GatewayApis;
  /** In whose name `client` acts. */
  readonly author: Author;
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

export interface OtherRoutesFound {
  /** Those that want the very same first. */
  readonly rivals: readonly Rival[];
  /** What may not be listed, so that nobody knows. */
  readonly unlisted: readonly RouteKind[];
}

interface Lists {
  readonly routes: readonly ListedRoute[];
  readonly unlisted: readonly RouteKind[];
}

/** More are neither told nor looked at. */
const maxRivals = 10;

/**
 * Finds routes that Bowline has not written and that want requests of its Gateways. Each of those would list the routes of
 * all the others, so they share what was listed a moment ago: it only says where to look.
 */
export class OtherRoutes {
  readonly #options: OtherRoutesOptions;
  readonly #lists = new Map<string, { readonly atMs: number; readonly lists: Lists }>();

  constructor(options: OtherRoutesOptions) {
    this.#options = options;
  }

  async find(question: OtherRoutesQuestion): Promise<OtherRoutesFound> {
    const { routes, unlisted } = await this.#listed(question);
    const listed = routes.flatMap((route) => rivalOf(route, { ...question, apart: new Set() }) ?? []);
    const foreign = await this.#withoutOurs(listed, question.cluster);
    const inOrder = foreign.toSorted((one, other) => rank(one) - rank(other));
    const first = new Map(inOrder.map(({ route }) => [nameOf(route), route]));
    const rivals: Rival[] = [];
    for (const route of [...first.values()].slice(0, maxRivals)) {
      for (const now of await readAgain(route, question)) {
        const apart = await apartFrom(now, question);
        const rival = rivalOf(now, { ...question, apart });
        if (rival !== undefined) rivals.push(rival);
      }
    }
    return { rivals: rivals.toSorted((one, other) => rank(one) - rank(other)), unlisted };
  }

  async #listed(question: OtherRoutesQuestion): Promise<Lists> {
    const { keepMs, clock } = this.#options;
    const atMs = clock.monotonicMs();
    for (const [key, known] of this.#lists) if (atMs - known.atMs >= keepMs) this.#lists.delete(key);
    const key = JSON.stringify([clusterKey(question.cluster), question.author]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known.lists;
    const lists = await list(question);
    this.#lists.set(key, { atMs, lists });
    return lists;
  }

  /**
   * Anybody can copy the labels of our routes. What we have written is in the inventory, and still is when somebody has
   * taken it away a moment ago.
   */
  async #withoutOurs(rivals: readonly Rival[], cluster: Cluster): Promise<readonly Rival[]> {
    const { id, name: clusterName } = cluster.metadata;
    const labelled = rivals.filter(({ route }) => route.labelled !== undefined);
    if (labelled.length === 0) return rivals;
    const objects = labelled.map(({ route: { kind, namespace, name } }) => ({
      group: gatewayGroup,
      kind,
      namespace,
      name,
    }));
    const items = await this.#options.store.inventory.find(id, objects);
    const owners = new Map(
      items.map(({ instanceName, ...object }) => [nameOf(object), instanceName] as const),
    );
    return rivals.filter(({ route }) => {
      const { labelled: gateway } = route;
      return gateway === undefined || owners.get(nameOf(route)) !== routesName(gateway, clusterName);
    });
  }
}

function rank({ wants }: Rival): number {
  return wants === "same" ? 0 : 1;
}

function nameOf({ kind, namespace, name }: { kind: string; namespace: string; name: string }): string {
  return `${kind} ${namespace}/${name}`;
}

const kinds: readonly RouteKind[] = ["HTTPRoute", "GRPCRoute", "TLSRoute", "Ingress"];

/** Undefined for a kind that the cluster does not have. */
function resourceOf(
  kind: RouteKind,
  { httpRoute, grpcRoute, tlsRoute, ingress }: GatewayApis,
): ResourceRef | undefined {
  return { HTTPRoute: httpRoute, GRPCRoute: grpcRoute, TLSRoute: tlsRoute, Ingress: ingress }[kind];
}

async function list({ apis, client, signal }: OtherRoutesQuestion): Promise<Lists> {
  const routes: ListedRoute[] = [];
  const unlisted: RouteKind[] = [];
  for (const kind of kinds) {
    const resource = resourceOf(kind, apis);
    if (resource === undefined) continue;
    const found = await readable(all(client, resource, { signal }));
    if (found === undefined) unlisted.push(kind);
    else routes.push(...found.flatMap((object) => listedRoutes(kind, object)));
  }
  return { routes, unlisted };
}

/** The other Gateways that a route is at, as far as they are known to have other addresses. */
async function apartFrom(route: ListedRoute, question: OtherRoutesQuestion): Promise<ReadonlySet<string>> {
  const { addresses, apis, client, signal } = question;
  const apart = new Set<string>();
  if (addresses.length === 0) return apart;
  for (const { kind, namespace, name } of parentsElsewhere(route, question)) {
    if (kind !== "Gateway") continue;
    const found = await readable(unlessMissing(client.get(apis.gateway, { namespace, name, signal })));
    const theirs = addressesIn(found);
    if (theirs.length > 0 && !theirs.some((each) => addresses.includes(each)))
      apart.add(`${namespace}/${name}`);
  }
  return apart;
}

/** A route as it is now; nothing when it is gone. */
async function readAgain(
  { kind, namespace, name }: ListedRoute,
  { apis, client, signal }: OtherRoutesQuestion,
): Promise<ListedRoute[]> {
  const resource = resourceOf(kind, apis);
  if (resource === undefined) return [];
  const found = await readable(unlessMissing(client.get(resource, { namespace, name, signal })));
  return found === undefined ? [] : listedRoutes(kind, found);
}
