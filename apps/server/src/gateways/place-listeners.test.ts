import { describe, expect, test } from "vitest";

import { placeListeners, type ListenerPlace } from "./place-listeners.ts";

function hosts(count: number, prefix = "h"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}.example.com`);
}

function counts(places: ReadonlyMap<string, ListenerPlace>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { kind, index } of places.values()) {
    found[`${kind} ${index}`] = (found[`${kind} ${index}`] ?? 0) + 1;
  }
  return found;
}

describe("placeListeners", () => {
  test("fills the first Gateway, then ListenerSets where there are any, else more Gateways", () => {
    const known = new Map<string, ListenerPlace>();
    expect(counts(placeListeners(hosts(63), { known, hasSets: true }))).toEqual({ "Gateway 0": 63 });
    expect(counts(placeListeners(hosts(130), { known, hasSets: true }))).toEqual({
      "Gateway 0": 63,
      "ListenerSet 0": 64,
      "ListenerSet 1": 3,
    });
    expect(counts(placeListeners(hosts(130), { known, hasSets: false }))).toEqual({
      "Gateway 0": 63,
      "Gateway 1": 63,
      "Gateway 2": 4,
    });
  });

  test("leaves a host where it is, whoever goes before it, and gives its place to others when it goes", () => {
    const known = placeListeners(hosts(70), { known: new Map(), hasSets: false });
    const [first = "", ...rest] = hosts(70);
    const after = placeListeners(rest, { known, hasSets: false });
    for (const host of rest) expect(after.get(host)).toEqual(known.get(host));
    const later = placeListeners([...rest, "new.example.com"], { known: after, hasSets: false });
    expect(later.get("new.example.com")).toEqual(known.get(first));
  });

  test("moves what was in ListenerSets that the cluster has no more", () => {
    const known = placeListeners(hosts(70), { known: new Map(), hasSets: true });
    expect(counts(placeListeners(hosts(70), { known, hasSets: false }))).toEqual({
      "Gateway 0": 63,
      "Gateway 1": 7,
    });
  });
});
