import { isDeepStrictEqual } from "node:util";

import { domainNameLimits, type DomainNameSpec } from "@bowline/api";

import type { HostStatus } from "./host-status.ts";
import {
  placeOf,
  withCredentialOf,
  type RecordOutcome,
  type RecordRound,
  type ZonePlace,
} from "./write-records.ts";

/** Where records of a host may be. */
export interface HostPlaces {
  /** Where they are to be; undefined where none are, and none can be yet. */
  readonly place: ZonePlace | undefined;
  /** Where they were before, the last one at the end. */
  readonly oldPlaces: readonly ZonePlace[];
}

/** The same, once it was looked whether they can be where the DomainName says now. */
export interface ChosenPlaces extends HostPlaces {
  /** Why they cannot. */
  readonly obstacle?: RecordOutcome;
}

interface HostAndRound {
  readonly host: string;
  readonly round: RecordRound;
}

export function placesOf(spec: DomainNameSpec, before: HostStatus | undefined): HostPlaces {
  const { place, oldPlaces = [] } = before ?? {};
  return {
    place: place === undefined ? undefined : withCredentialOf(spec, place),
    oldPlaces: oldPlaces.map((each) => withCredentialOf(spec, each)),
  };
}

/**
 * Where records of a host are to be, which is written down before they are. They stay where they are as well until they
 * are written in the other place, so that there are some all the time.
 */
export async function choosePlaces(
  spec: DomainNameSpec,
  before: HostStatus | undefined,
  { host, round }: HostAndRound,
): Promise<ChosenPlaces> {
  const places = placesOf(spec, before);
  const { place, oldPlaces } = places;
  const wanted = placeOf(spec);
  if (isDeepStrictEqual(place, wanted)) return places;
  const others = oldPlaces.filter((each) => !isDeepStrictEqual(each, wanted));
  if (others.length >= domainNameLimits.oldPlaces) {
    const message = `Records of ${host} have yet to be removed from ${others.length} other places.`;
    return { ...places, obstacle: { kind: "pending", message } };
  }
  const outcome = await round.reach(wanted, host);
  if (outcome.kind !== "written") return { ...places, obstacle: outcome };
  if (place === undefined) return { place: wanted, oldPlaces: others };
  // Nobody else writes this mark: it is the same zone, by another name of its server. One that was left before is not.
  const isKnown = others.length < oldPlaces.length;
  const isSame = isOneZone(place, wanted) && round.isOwn(outcome.found, before?.records ?? []);
  return { place: wanted, oldPlaces: isSame && !isKnown ? others : [...others, place] };
}

/** By its name; it may be another one behind another server, or of another account. */
export function isOneZone(one: ZonePlace, other: ZonePlace): boolean {
  return one.provider === other.provider && one.zone === other.zone;
}

/** Resolves to those of the places where records still are, and why. */
export async function removeFrom(
  { deletionPolicy }: DomainNameSpec,
  places: readonly ZonePlace[],
  { host, round }: HostAndRound,
): Promise<{ readonly left: readonly ZonePlace[]; readonly why: string }> {
  const left: ZonePlace[] = [];
  let why = "";
  for (const place of deletionPolicy === "orphan" ? [] : places) {
    const outcome = await round.remove(place, host);
    if (outcome.kind !== "pending") continue;
    left.push(place);
    why = outcome.message;
  }
  return { left, why };
}

/** Those in the place that is left, while those in the new one are there already. */
export function notLeftText({ zone, server }: ZonePlace, why: string): string {
  const where = server === undefined ? zone : `${zone} at ${server}`;
  return `Its records in ${where}, where it was before, have yet to be removed. ${why} spec.deletionPolicy orphan leaves them there.`;
}
