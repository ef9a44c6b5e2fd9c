import type { DeepReadonly } from "@bowline/core";

import type { Gateway, HttpRoute, ListenerSet, ParentReference } from "../model/gateway-kinds.ts";
import { nameOf, type Snapshot } from "../model/snapshot.ts";
import { attach, type AttachResult } from "./attach.ts";
import { allowsNamespace, checkListeners, isServing, type CheckedListener } from "./listeners.ts";
import { settle, type Entry, type LostEntry } from "./precedence.ts";
import { readRules, type ReadRules } from "./route-rules.ts";

/** A route at one of its parents that is ours. */
export interface EvaluatedParent {
  readonly reference: DeepReadonly<ParentReference>;
  readonly result: AttachResult;
  readonly entries: number;
  readonly lost: readonly LostEntry[];
}

export interface EvaluatedRoute {
  readonly route: DeepReadonly<HttpRoute>;
  readonly rules: ReadRules;
  readonly parents: readonly EvaluatedParent[];
}

export interface EvaluatedListener extends CheckedListener {
  readonly attachedRoutes: number;
  /** What is served there, in the order in which it is looked at for each host. */
  readonly entries: readonly Entry[];
}

export interface EvaluatedGateway {
  readonly gateway: DeepReadonly<Gateway>;
  readonly listeners: readonly EvaluatedListener[];
  readonly listenerSets: readonly DeepReadonly<ListenerSet>[];
  readonly refusedSets: readonly DeepReadonly<ListenerSet>[];
}

export interface Evaluation {
  readonly gateways: readonly EvaluatedGateway[];
  readonly routes: readonly EvaluatedRoute[];
}

export interface EvaluateOptions {
  readonly controllerName: string;
  /** Of routes that want the same requests, none gets them. */
  readonly bothLose: boolean;
}

/** What follows from all objects as they are, for the Gateways of this controller's classes. */
export function evaluate(snapshot: Snapshot, { controllerName, bothLose }: EvaluateOptions): Evaluation {
  const ours = new Set(
    snapshot.classes
      .filter(({ spec }) => spec.controllerName === controllerName)
      .map(({ metadata }) => metadata.name),
  );
  const gateways = snapshot.gateways
    .filter(({ spec }) => ours.has(spec.gatewayClassName))
    .map((gateway) => withSets(gateway, snapshot));
  const routes = snapshot.routes.map((route) => attachRoute(route, gateways, snapshot));
  const listeners = gateways.flatMap((each) => each.listeners);
  const settled = new Map(
    listeners.map((listener) => [listener, settle(entriesAt(listener, routes), { bothLose })]),
  );
  return {
    gateways: gateways.map((gateway) => ({
      ...gateway,
      listeners: gateway.listeners.map((listener) => ({
        ...listener,
        attachedRoutes: attachmentsAt(listener, routes).length,
        entries: isServing(listener) ? (settled.get(listener)?.served ?? []) : [],
      })),
    })),
    routes: routes.map(({ parents, ...evaluated }) => ({
      ...evaluated,
      parents: parents.map(({ reference, result }) => {
        const attached = (result.attachments ?? []).map(({ listener }) => listener);
        const own = attached.flatMap((listener) =>
          entriesAt(listener, [{ ...evaluated, parents: [{ reference, result }] }]),
        );
        const lost = attached.flatMap((listener) =>
          (settled.get(listener)?.lost ?? []).filter(({ entry }) => entry.route === evaluated.route),
        );
        return { reference, result, entries: own.length, lost };
      }),
    })),
  };
}

interface GatewayWithSets extends Omit<EvaluatedGateway, "listeners"> {
  readonly listeners: readonly CheckedListener[];
}

function withSets(gateway: DeepReadonly<Gateway>, snapshot: Snapshot): GatewayWithSets {
  const sets = snapshot.listenerSets.filter(
    ({ metadata, spec }) =>
      (spec.parentRef.kind ?? "Gateway") === "Gateway" &&
      nameOf(gateway) === `${spec.parentRef.namespace ?? metadata.namespace}/${spec.parentRef.name}`,
  );
  const rule = gateway.spec.allowedListeners?.namespaces ?? { from: "None" };
  const isAllowed = ({ metadata }: DeepReadonly<ListenerSet>): boolean =>
    allowsNamespace(rule, gateway.metadata.namespace, metadata.namespace, snapshot);
  const listenerSets = sets.filter(isAllowed);
  return {
    gateway,
    listenerSets,
    refusedSets: sets.filter((set) => !isAllowed(set)),
    listeners: checkListeners(gateway, listenerSets, snapshot),
  };
}

interface AttachedRoute extends Omit<EvaluatedRoute, "parents"> {
  readonly parents: readonly Pick<EvaluatedParent, "reference" | "result">[];
}

function attachRoute(
  route: DeepReadonly<HttpRoute>,
  gateways: readonly GatewayWithSets[],
  snapshot: Snapshot,
): AttachedRoute {
  const parents = (route.spec.parentRefs ?? []).flatMap((reference) => {
    const listeners = listenersOfParent(reference, route, gateways);
    if (listeners === undefined) return [];
    return [{ reference, result: attach(route, reference, listeners, snapshot) }];
  });
  return { route, rules: readRules(route, snapshot), parents };
}

/** The listeners of the very object that a route names; undefined when that is none of ours. */
function listenersOfParent(
  { kind = "Gateway", name, namespace }: DeepReadonly<ParentReference>,
  { metadata }: DeepReadonly<HttpRoute>,
  gateways: readonly GatewayWithSets[],
): readonly CheckedListener[] | undefined {
  const wanted = `${namespace ?? metadata.namespace}/${name}`;
  const owners = gateways.flatMap(({ gateway, listenerSets }) => [gateway, ...listenerSets]);
  const owner = owners.find((each) => each.kind === kind && nameOf(each) === wanted);
  if (owner === undefined) return undefined;
  return gateways.flatMap(({ listeners }) => listeners).filter((listener) => listener.owner === owner);
}

function attachmentsAt(
  listener: CheckedListener,
  routes: readonly AttachedRoute[],
): { readonly attached: AttachedRoute; readonly hosts: readonly (string | undefined)[] }[] {
  return routes.flatMap((attached) => {
    const hosts = attached.parents
      .flatMap(({ result }) => result.attachments ?? [])
      .filter((attachment) => attachment.listener === listener)
      .flatMap((attachment) => attachment.hosts);
    // A route can name a listener twice: by its name, and as one of all.
    return hosts.length === 0 ? [] : [{ attached, hosts: [...new Set(hosts)] }];
  });
}

function entriesAt(listener: CheckedListener, routes: readonly AttachedRoute[]): Entry[] {
  return attachmentsAt(listener, routes).flatMap(({ attached: { route, rules }, hosts }) =>
    hosts.flatMap((host) =>
      rules.rules.flatMap(({ matches, action }) => matches.map((match) => ({ route, host, match, action }))),
    ),
  );
}
