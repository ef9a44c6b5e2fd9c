import { isIP } from "node:net";

import type { GatewaySpec } from "@bowline/api";
import type { KubeObject } from "@bowline/kube";

import { found, missing, type Finding } from "./check.ts";
import type { ChosenClass } from "./choose-class.ts";
import { entryNamespace, listenerName, plainListener, type Entry } from "./entry.ts";
import { placeName } from "./entry-objects.ts";
import type { ListenerPlace } from "./place-listeners.ts";
import { conditionOf, isTrue, listIn, textIn } from "./read-conditions.ts";

/** The objects of an entry as they are in the cluster. */
export interface SeenEntry {
  readonly entry: Entry;
  readonly places: ReadonlyMap<string, ListenerPlace>;
  /** By name; one that is not there is missing. */
  readonly gateways: ReadonlyMap<string, KubeObject>;
  readonly sets: ReadonlyMap<string, KubeObject>;
  /** Why the entry is not applied yet, if it is not. */
  readonly pending: string | undefined;
}

export function judgeClass(chosen: ChosenClass, cluster: string): Finding {
  if ("message" in chosen) return missing("ClassMissing", chosen.message);
  const { name, controller, accepted } = chosen;
  if (isTrue(accepted)) return found("Accepted");
  const why =
    accepted === undefined || accepted.status === "Unknown"
      ? `no controller has taken it; is ${controller} running?`
      : `its controller refuses it: ${accepted.message || accepted.reason}`;
  return missing("ClassMissing", `GatewayClass ${name} in cluster ${cluster}: ${why}`);
}

/** The place of a host; without encryption it needs no listener but the one for plain HTTP. */
function placesOf({ places }: SeenEntry, { hosts, tls }: GatewaySpec): ReadonlyMap<string, ListenerPlace> {
  const first: ListenerPlace = { kind: "Gateway", index: 0 };
  return new Map(
    hosts.map((host) => [host, tls.mode === "none" ? first : (places.get(host) ?? first)] as const),
  );
}

export function judgeListeners(seen: SeenEntry, spec: GatewaySpec): Finding {
  const namespace = entryNamespace(seen.entry);
  for (const [host, place] of placesOf(seen, spec)) {
    const name = placeName(seen.entry, place);
    const label = `${place.kind} ${namespace}/${name}`;
    const holder = (place.kind === "Gateway" ? seen.gateways : seen.sets).get(name);
    if (holder === undefined) {
      return missing("NotProgrammed", `${label} is not there yet${because(seen.pending)}.`);
    }
    const listener = spec.tls.mode === "none" ? plainListener : listenerName(host);
    const problem = listenerProblem(holder, listener);
    if (problem !== undefined) return missing("NotProgrammed", `${label}: ${problem}`);
    const owner = placeName(seen.entry, place.kind === "Gateway" ? place : { kind: "Gateway", index: 0 });
    if (addressesIn(seen.gateways.get(owner)).length === 0) {
      return missing("NotProgrammed", `Gateway ${namespace}/${owner} has no address yet.`);
    }
  }
  return found("Programmed");
}

/** Those of its hosts that an entry with so many others has no room for. */
export function judgeRoom(
  withoutRoom: readonly string[],
  { entry, hosts }: { readonly entry: Entry; readonly hosts: number },
): Finding {
  const [first, ...more] = withoutRoom;
  if (first === undefined) return found("Programmed");
  const { cluster, class: className, visibility } = entry;
  const message = `The ${visibility} entry of class ${className} in cluster ${cluster} has ${hosts} hosts and no room for ${first}${more.length === 0 ? "" : ` and ${more.length} more`}; give the Gateway another class, or let one wildcard stand for several hosts.`;
  return missing("EntryFull", message);
}

function listenerProblem(holder: KubeObject, name: string): string | undefined {
  const status = holder["status"];
  for (const type of ["Accepted", "Programmed"]) {
    const condition = conditionOf(status, type);
    if (condition?.status === "False")
      return `it is not ${type.toLowerCase()}: ${condition.message || condition.reason}`;
    if (!isTrue(condition)) return `nobody has said yet that it is ${type.toLowerCase()}.`;
  }
  const listener = listIn(status, "listeners").find((each) => textIn(each, "name") === name);
  if (listener === undefined) return `nobody has said anything about its listener ${name} yet.`;
  const conflicted = conditionOf(listener, "Conflicted");
  if (isTrue(conflicted)) return `listener ${name} is in conflict: ${conflicted?.message}`;
  for (const type of ["Accepted", "ResolvedRefs", "Programmed"]) {
    const condition = conditionOf(listener, type);
    if (condition !== undefined && !isTrue(condition)) {
      return `listener ${name} is not ${type === "ResolvedRefs" ? "resolved" : type.toLowerCase()}: ${condition.message || condition.reason}`;
    }
  }
  return undefined;
}

/** Under which addresses the hosts of a Gateway are reached. */
export function entryAddresses(seen: SeenEntry, spec: GatewaySpec): string[] {
  const addresses = [...placesOf(seen, spec).values()].flatMap((place) => {
    const index = place.kind === "Gateway" ? place.index : 0;
    return addressesIn(seen.gateways.get(placeName(seen.entry, { kind: "Gateway", index })));
  });
  return [...new Set(addresses)].slice(0, maxAddresses);
}

const maxAddresses = 16;

const label = /^[a-z0-9_](?:[-a-z0-9_]{0,61}[a-z0-9_])?$/iu;

/** Anything else would keep the records of the host from being written, also those that lead to other clusters. */
function canBeLedTo(value: string): boolean {
  // Those with a zone (`fe80::1%eth0`) mean nothing elsewhere.
  if (isIP(value) !== 0) return !value.includes("%");
  return (
    value.length <= 253 &&
    value
      .replace(/\.$/u, "")
      .split(".")
      .every((part) => label.test(part))
  );
}

/** Under which addresses a Gateway of the cluster is reached. */
export function addressesIn(gateway: KubeObject | undefined): string[] {
  return listIn(gateway?.["status"], "addresses")
    .map((address) => textIn(address, "value"))
    .filter(canBeLedTo);
}

export function because(pending: string | undefined): string {
  return pending === undefined ? "" : `: ${pending.replace(/\.$/u, "")}`;
}
