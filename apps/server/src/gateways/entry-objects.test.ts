import type { ResourceRef } from "@bowline/kube";
import { expect, test } from "vitest";

import type { Entry } from "./entry.ts";
import { entryObjects, knownPlaces } from "./entry-objects.ts";
import type { ListenerPlace } from "./place-listeners.ts";
import { listIn } from "./read-conditions.ts";

const entry: Entry = { cluster: "a", class: "reference", visibility: "public" };

function resource(kind: string): ResourceRef {
  return {
    group: "gateway.networking.k8s.io",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
  };
}

const apis = {
  gatewayClass: resource("GatewayClass"),
  gateway: resource("Gateway"),
  httpRoute: resource("HTTPRoute"),
  referenceGrant: undefined,
  tlsRoute: undefined,
  grpcRoute: undefined,
  ingress: undefined,
  listenerSet: resource("ListenerSet"),
  certificates: undefined,
};

test("a ListenerSet whose hosts have gone is left out, as one without listeners is none, and later ones keep theirs", () => {
  const place: ListenerPlace = { kind: "ListenerSet", index: 1 };
  const host = "shop.example.com";
  const hosts = [{ host, mode: "terminate" as const }];
  const objects = entryObjects({ entry, apis, hosts, known: new Map([[host, place]]) });
  const sets = objects.filter(({ kind }) => kind === "ListenerSet");
  expect(sets.map(({ spec }) => listIn(spec, "listeners").map(({ hostname }) => hostname))).toEqual([[host]]);
  expect(knownPlaces(entry, objects)).toEqual(new Map([[host, place]]));
});
