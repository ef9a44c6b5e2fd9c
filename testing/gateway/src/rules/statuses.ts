/** What Gateway API's status says of what was evaluated. */
import type { DeepReadonly } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import { setCondition, type Condition } from "@bowline/runtime";

import {
  gatewayGroup,
  type GatewayAddress,
  type GatewayStatus,
  type ListenerSet,
  type ListenerStatus,
  type RouteParentStatus,
} from "../model/gateway-kinds.ts";
import { nameOf } from "../model/snapshot.ts";
import type { EvaluatedGateway, EvaluatedListener, EvaluatedParent, EvaluatedRoute } from "./evaluate.ts";
import { isServing } from "./listeners.ts";
import type { Unresolved } from "./references.ts";

export interface Finding {
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

export type Conditions = readonly DeepReadonly<Condition>[];

/** Exactly these conditions; one whose status is as before keeps its time. */
export function conditionsOf(
  findings: readonly Finding[],
  before: Conditions | undefined,
  { generation = 0, nowMs }: { readonly generation: number | undefined; readonly nowMs: number },
): Condition[] {
  return findings.flatMap((finding) =>
    setCondition(
      (before ?? []).filter(({ type }) => type === finding.type),
      { ...finding, observedGeneration: generation },
      nowMs,
    ),
  );
}

export function is(type: string, reason = type): Finding {
  return { type, status: "True", reason, message: "" };
}

export function isNot(type: string, { reason, message }: Unresolved): Finding {
  return { type, status: "False", reason, message };
}

export function gatewayStatus(
  evaluated: EvaluatedGateway,
  addresses: readonly GatewayAddress[] | Unresolved,
  nowMs: number,
): GatewayStatus {
  const { gateway, listeners, listenerSets } = evaluated;
  const stamp = { generation: gateway.metadata.generation, nowMs };
  const before = gateway.status?.conditions;
  const own = listeners.filter(({ owner }) => owner === gateway);
  const isProgrammed = "reason" in addresses ? isNot("Programmed", addresses) : programmed(listeners);
  return {
    addresses: "reason" in addresses ? [] : [...addresses],
    attachedListenerSets: listenerSets.length,
    conditions: conditionsOf([accepted(listeners), isProgrammed], before, stamp),
    listeners: own.map((listener) =>
      listenerStatus(listener, gateway.status?.listeners, isProgrammed, stamp),
    ),
  };
}

export function listenerSetStatus(
  set: DeepReadonly<ListenerSet>,
  { listeners }: EvaluatedGateway,
  addresses: readonly GatewayAddress[] | Unresolved,
  nowMs: number,
): NonNullable<ListenerSet["status"]> {
  const stamp = { generation: set.metadata.generation, nowMs };
  const own = listeners.filter(({ owner }) => owner === set);
  const isProgrammed = "reason" in addresses ? isNot("Programmed", addresses) : programmed(own);
  return {
    conditions: conditionsOf([accepted(own), isProgrammed], set.status?.conditions, stamp),
    listeners: own.map((listener) => listenerStatus(listener, set.status?.listeners, isProgrammed, stamp)),
  };
}

/** A set from a namespace whose listeners the Gateway does not take. */
export function refusedSetStatus(
  set: DeepReadonly<ListenerSet>,
  gateway: DeepReadonly<KubeObject>,
  nowMs: number,
): NonNullable<ListenerSet["status"]> {
  const message = `Gateway ${nameOf(gateway)} takes no listeners from ${set.metadata.namespace}.`;
  const why = { reason: "NotAllowed", message };
  const stamp = { generation: set.metadata.generation, nowMs };
  const findings = [isNot("Accepted", why), isNot("Programmed", why)];
  return { conditions: conditionsOf(findings, set.status?.conditions, stamp), listeners: [] };
}

function accepted(listeners: readonly EvaluatedListener[]): Finding {
  const invalid = listeners.filter((listener) => !isServing(listener)).map(({ spec }) => spec.name);
  if (invalid.length === 0) return is("Accepted");
  const message = `These listeners are not valid: ${invalid.join(", ")}.`;
  const status = invalid.length < listeners.length ? "True" : "False";
  return { type: "Accepted", status, reason: "ListenersNotValid", message };
}

function programmed(listeners: readonly EvaluatedListener[]): Finding {
  if (listeners.some(isServing)) return is("Programmed");
  return isNot("Programmed", { reason: "Invalid", message: "None of the listeners is valid." });
}

function listenerStatus(
  listener: EvaluatedListener,
  before: readonly DeepReadonly<ListenerStatus>[] | undefined,
  owner: Finding,
  stamp: { readonly generation: number | undefined; readonly nowMs: number },
): ListenerStatus {
  const { spec, unsupported, conflict, unresolved, attachedRoutes, takesHttpRoutes } = listener;
  const refused = unsupported ?? conflict;
  const invalid = { reason: "Invalid", message: (refused ?? unresolved)?.message ?? "" };
  const findings: Finding[] = [
    refused === undefined ? is("Accepted") : isNot("Accepted", refused),
    isServing(listener) ? owner : isNot("Programmed", invalid),
    unresolved === undefined ? is("ResolvedRefs") : isNot("ResolvedRefs", unresolved),
    conflict === undefined
      ? isNot("Conflicted", { reason: "NoConflicts", message: "" })
      : { ...isNot("Conflicted", conflict), status: "True" },
  ];
  const earlier = before?.find(({ name }) => name === spec.name)?.conditions;
  return {
    name: spec.name,
    supportedKinds:
      takesHttpRoutes && unsupported === undefined ? [{ group: gatewayGroup, kind: "HTTPRoute" }] : [],
    attachedRoutes,
    conditions: conditionsOf(findings, earlier, stamp),
  };
}

/** The parents of other controllers stay as they are. */
export function routeParents(
  { route, rules, parents }: EvaluatedRoute,
  controllerName: string,
  nowMs: number,
): DeepReadonly<RouteParentStatus>[] {
  const before = route.status?.parents ?? [];
  const stamp = { generation: route.metadata.generation, nowMs };
  const others = before.filter((each) => each.controllerName !== controllerName);
  const own = parents.map((parent) => {
    const earlier = before.find(
      (each) => each.controllerName === controllerName && isSameParent(each.parentRef, parent.reference),
    );
    const findings = routeFindings(parent, rules);
    return {
      parentRef: parent.reference,
      controllerName,
      conditions: conditionsOf(findings, earlier?.conditions, stamp),
    };
  });
  return [...others, ...own];
}

function isSameParent(one: EvaluatedParent["reference"], other: EvaluatedParent["reference"]): boolean {
  const fields = ["group", "kind", "namespace", "name", "sectionName", "port"] as const;
  return fields.every((field) => one[field] === other[field]);
}

function routeFindings(
  { result, entries, lost }: EvaluatedParent,
  rules: EvaluatedRoute["rules"],
): Finding[] {
  const resolvedRefs =
    rules.unresolved === undefined ? is("ResolvedRefs") : isNot("ResolvedRefs", rules.unresolved);
  if (result.problem !== undefined) return [isNot("Accepted", result.problem), resolvedRefs];
  const partial = conflictOf(lost) ?? rules.unsupported;
  if (partial === undefined) return [is("Accepted"), resolvedRefs];
  if (entries === lost.length) return [isNot("Accepted", partial), resolvedRefs];
  return [is("Accepted"), resolvedRefs, { ...isNot("PartiallyInvalid", partial), status: "True" }];
}

/**
 * Gateway API leaves it to the implementations how they tell the loser, and most are silent. Here a route that has lost
 * all of its matches is not accepted, and one that has lost some is partially invalid.
 */
function conflictOf(lost: EvaluatedParent["lost"]): Unresolved | undefined {
  const [first] = lost;
  if (first === undefined) return undefined;
  const { host = "every host", match } = first.entry;
  const place = `${host}${match.value}${match.method === undefined ? "" : ` (${match.method})`}`;
  return { reason: "RouteConflict", message: `HTTPRoute ${nameOf(first.winner)} has ${place} already.` };
}
