import { expect, test } from "vitest";

import type { Entry } from "./entry.ts";
import { placeName } from "./entry-objects.ts";
import { entryAddresses } from "./judge-entry.ts";

const entry: Entry = { cluster: "a", class: "reference", visibility: "public" };
const spec = {
  instance: "web",
  hosts: ["shop.example.com"],
  rules: [{ path: "/", service: "web", port: 80 }],
  tls: { mode: "none" as const },
  visibility: "public" as const,
  probe: true,
};

/** What is taken of the addresses that a cluster tells. */
function taken(...values: readonly unknown[]): string[] {
  const name = placeName(entry, { kind: "Gateway", index: 0 });
  const status = { addresses: values.map((value) => ({ value })) };
  const gateway = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name }, status };
  const gateways = new Map([[name, gateway]]);
  return entryAddresses({ entry, places: new Map(), gateways, sets: new Map(), pending: undefined }, spec);
}

test("an entry has the addresses and names that a record can lead to", () => {
  const good = ["192.0.2.1", "2001:db8::1", "lb-1.eu.example.net", "LB.example.net.", "_lb.example.net"];
  expect(taken(...good)).toEqual(good);
});

test("what no record can lead to is no address, whatever a cluster says", () => {
  const bad = [
    "",
    "fe80::1%eth0",
    "two words",
    "line\nbreak",
    "a..b",
    "-a.example.net",
    "x".repeat(64),
    7,
    null,
  ];
  expect(taken(...bad, "192.0.2.1")).toEqual(["192.0.2.1"]);
});
