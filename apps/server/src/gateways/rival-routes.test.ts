import type { KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { listedRoutes, type RouteKind } from "./listed-route.ts";
import { rivalOf, rivalText } from "./rival-routes.ts";

const controller = "example.com/controller";
const entry = { kind: "Gateway", name: "bowline-public", namespace: "entry", port: undefined };

interface Ours {
  readonly host?: string;
  readonly path?: string;
  readonly mode?: "terminate" | "passthrough" | "none";
  readonly takenBy?: string;
  readonly apart?: readonly string[];
}

/** The sentence about a route of somebody else, and whether it gets some requests or may get all; empty without one. */
function toldOf(
  theirs: {
    readonly kind?: RouteKind;
    readonly spec: object;
    readonly metadata?: object;
    readonly status?: object;
  },
  { host = "shop.example.com", path = "/", mode = "terminate", takenBy = controller, apart = [] }: Ours = {},
): string {
  const object: KubeObject = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "theirs", namespace: "x", ...theirs.metadata },
    spec: { parentRefs: [{ name: entry.name, namespace: entry.namespace }], ...theirs.spec },
    status: theirs.status ?? { parents: [{ controllerName: takenBy }] },
  };
  const secure = { ...entry, sectionName: host.startsWith("*.") ? `any.${host.slice(2)}` : `host.${host}` };
  const plain = { ...entry, sectionName: "http" };
  const question = {
    spec: { hosts: [host], rules: [{ path, service: "web", port: 80 }], tls: { mode } },
    parents: { terminate: [plain, secure], passthrough: [secure], none: [plain] }[mode],
    controller,
    apart: new Set(apart),
    addresses: ["192.0.2.1"],
  };
  const rivals = listedRoutes(theirs.kind ?? "HTTPRoute", object).flatMap(
    (route) => rivalOf(route, question) ?? [],
  );
  return rivals.map((rival) => `${rival.wants}: ${rivalText(rival)}`).join(" ");
}

const named = (...hostnames: string[]): { hostnames: string[] } => ({ hostnames });
const at = (more: object): { parentRefs: object[] } => ({
  parentRefs: [{ name: entry.name, namespace: entry.namespace, ...more }],
});
const rulesAt = (...paths: string[]): { rules: object[] } => ({
  rules: paths.map((value) => ({ matches: [{ path: { value } }] })),
});
const taken =
  "same: HTTPRoute x/theirs, which is not of Bowline, has shop.example.com/ too, and may get its requests.";

describe("an HTTPRoute of somebody else", () => {
  const all = rulesAt("/");

  test("wants the very same requests by the same host and path", () => {
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all } })).toBe(taken);
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all, ...at({ sectionName: "http" }) } })).toBe(
      taken,
    );
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all } }, { takenBy: "another" })).toBe("");
  });

  test("gets those of a longer path, and none of a shorter one", () => {
    const theirs = { spec: { ...named("shop.example.com"), ...rulesAt("/api/v1/") } };
    const part = "part: HTTPRoute x/theirs, which is not of Bowline, gets the requests for ";
    expect(toldOf(theirs)).toBe(`${part}shop.example.com/api/v1.`);
    expect(toldOf(theirs, { path: "/api" })).toBe(`${part}shop.example.com/api/v1.`);
    expect(toldOf(theirs, { path: "/api/v1/shop" })).toBe("");
    expect(toldOf(theirs, { path: "/ap" })).toBe("");
  });

  test("gets nothing of an exact host by a wildcard, or by no host at plain HTTP", () => {
    expect(toldOf({ spec: { ...named("*.example.com"), ...all } })).toBe("");
    expect(toldOf({ spec: { ...all, ...at({ sectionName: "http" }) } })).toBe("");
    expect(toldOf({ spec: all }, { mode: "none" })).toBe("");
  });

  test("without hosts has all of the listener of a host, and nothing of that of another one", () => {
    expect(toldOf({ spec: all })).toBe(taken);
    expect(toldOf({ spec: { ...all, ...at({ port: 443 }) } })).toBe(taken);
    expect(toldOf({ spec: { ...all, ...at({ port: 80 }) } })).toBe("");
    expect(toldOf({ spec: { ...all, ...at({ sectionName: "host.other.example.com" }) } })).toBe("");
    expect(toldOf({ spec: { ...all, ...at({ namespace: "own" }) } })).toBe("");
    expect(toldOf({ spec: { ...all, parentRefs: [{ name: entry.name }] } })).toBe("");
    expect(
      toldOf({ metadata: { namespace: "entry" }, spec: { ...all, parentRefs: [{ name: entry.name }] } }),
    ).toMatch(/^same: HTTPRoute entry\/theirs/);
  });

  test("gets an exact host, and a longer wildcard, of what a wildcard covers", () => {
    const part = "part: HTTPRoute x/theirs, which is not of Bowline, gets the requests for ";
    const wild = { host: "*.example.com" };
    expect(toldOf({ spec: { ...named("a.example.com"), ...all } }, wild)).toBe(`${part}a.example.com.`);
    expect(toldOf({ spec: { ...named("*.b.example.com"), ...all } }, wild)).toBe(`${part}*.b.example.com.`);
    expect(toldOf({ spec: { ...named("example.com"), ...all } }, wild)).toBe("");
    expect(toldOf({ spec: { ...named("a.badexample.com"), ...all } }, wild)).toBe("");
    expect(toldOf({ spec: { ...named("a.example.com", "*.example.com"), ...all } }, wild)).toMatch(
      /^same: .* has \*\.example\.com\/ too/,
    );
  });

  test("at another Gateway of the same controller counts by the very same host and path alone", () => {
    const elsewhere = at({ name: "own", namespace: "own" });
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all, ...elsewhere } })).toBe(taken);
    const other = { spec: { ...named("shop.example.com"), ...all, ...elsewhere } };
    expect(toldOf(other, { apart: ["own/own"] })).toBe("");
    expect(toldOf(other, { apart: ["x/own"] })).toBe(taken);
    expect(toldOf({ spec: { ...named("shop.example.com"), ...rulesAt("/api"), ...elsewhere } })).toBe("");
    const wild = { host: "*.example.com" };
    expect(toldOf({ spec: { ...named("a.example.com"), ...all, ...elsewhere } }, wild)).toBe("");
    const service = at({ name: "web", kind: "Service", group: "" });
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all, ...service } })).toBe("");
  });

  test("has nothing to do with connections that are passed through at the same entry", () => {
    expect(toldOf({ spec: { ...named("shop.example.com"), ...all } }, { mode: "passthrough" })).toBe("");
  });
});

describe("a GRPCRoute of somebody else", () => {
  const told =
    "same: GRPCRoute x/theirs, which is not of Bowline, has shop.example.com too, and a listener takes either HTTPRoutes or GRPCRoutes of a host.";

  test.each([[named("shop.example.com")], [named("*.example.com")], [{}]])(
    "with any host in common (%j) counts",
    (spec) => {
      expect(toldOf({ kind: "GRPCRoute", spec })).toBe(told);
    },
  );

  test("with no host in common, or at no listener in common, does not", () => {
    expect(toldOf({ kind: "GRPCRoute", spec: named("other.example.com") })).toBe("");
    expect(toldOf({ kind: "GRPCRoute", spec: {} }, { mode: "passthrough" })).toBe("");
    const elsewhere = at({ name: "own" });
    expect(toldOf({ kind: "GRPCRoute", spec: { ...named("*.example.com"), ...elsewhere } })).toBe("");
  });
});

describe("a TLSRoute of somebody else", () => {
  const passthrough = { mode: "passthrough" as const };
  const told =
    "same: TLSRoute x/theirs, which is not of Bowline, has shop.example.com too, and may get its requests.";

  test("has the host where connections are passed through, or a part of a wildcard", () => {
    expect(toldOf({ kind: "TLSRoute", spec: named("shop.example.com") }, passthrough)).toBe(told);
    expect(toldOf({ kind: "TLSRoute", spec: named("*.example.com") }, passthrough)).toBe("");
    const wild = { ...passthrough, host: "*.example.com" };
    expect(toldOf({ kind: "TLSRoute", spec: named("a.example.com") }, wild)).toMatch(
      /^part: .* gets the requests for a\.example\.com\.$/,
    );
  });

  test("is not taken by listeners that decrypt; another Gateway may have the same address", () => {
    const theirs = { kind: "TLSRoute" as const, spec: named("shop.example.com") };
    expect(toldOf(theirs)).toBe("");
    const elsewhere = { ...theirs, spec: { ...theirs.spec, ...at({ name: "own" }) } };
    expect(toldOf(elsewhere)).toBe(told);
    expect(toldOf(elsewhere, { mode: "none" })).toBe("");
  });
});

test("an Ingress wants the same requests where it has the same address, host and path", () => {
  const ingress = (addresses: object[], host: string, path = "/") => ({
    kind: "Ingress" as const,
    spec: { rules: [{ http: {} }, { host, http: { paths: [{ path }] } }] },
    status: { loadBalancer: { ingress: addresses } },
  });
  const here = [{ hostname: "lb.example.com" }, { ip: "192.0.2.1" }];
  const told =
    "same: Ingress x/theirs, which is not of Bowline, has shop.example.com/ too, and may get its requests.";
  expect(toldOf(ingress(here, "shop.example.com"))).toBe(told);
  expect(toldOf(ingress(here, "shop.example.com"), { mode: "none" })).toBe(told);
  expect(toldOf(ingress([{ ip: "192.0.2.9" }], "shop.example.com"))).toBe("");
  expect(toldOf(ingress([], "shop.example.com"))).toBe("");
  expect(toldOf(ingress(here, "*.example.com"))).toBe("");
  expect(toldOf(ingress(here, "shop.example.com", "/api"))).toBe("");
});

test("a route that has our label says so", () => {
  const labels = { "bowline.dev/made-for-gateways": "true", "bowline.dev/gateway": "shop" };
  const theirs = { metadata: { labels }, spec: { ...named("shop.example.com"), ...rulesAt("/") } };
  expect(toldOf(theirs)).toMatch(/theirs, which is not of Bowline though it has its label, has shop/);
});
