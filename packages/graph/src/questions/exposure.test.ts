import { expect, test } from "vitest";

import type { ObjectFacts } from "../model/object-facts.ts";
import { binding, role, rule } from "../rbac/testing/sample-facts.ts";
import { askingAbout, nodeOf, shop, told } from "../testing/asking-about.ts";
import { edge, factsOf } from "../testing/facts-of.ts";
import { blastRadius } from "./blast-radius.ts";
import { exposure } from "./exposure.ts";
import { path } from "./path.ts";

/** The shop, whose pods may list the Secrets of their namespace. */
const reading = [
  ...shop.filter(({ node }) => node.kind !== "Role" && node.kind !== "RoleBinding"),
  factsOf("Secret/shop/keys"),
  factsOf("Secret/other/keys"),
  role("shop/reader", [rule("list", "secrets")]),
  binding("shop/readers", "Role reader", "ServiceAccount shop/web"),
];

test("a path goes over what a rule lets a ServiceAccount read, and says which rule", () => {
  const asking = askingAbout(reading);
  const answer = path(asking, nodeOf(asking, "Ingress/shop/web"), nodeOf(asking, "Secret/shop/keys"));
  expect(answer.hops.map(({ to }) => told(to))).toEqual([
    "Service/shop/web",
    "Pod/shop/web-1-a",
    "ServiceAccount/shop/web",
    "Secret/shop/keys",
  ]);
  expect(answer.hops[3]?.edges).toEqual([
    {
      type: "CAN_READ",
      at: "/rules/0",
      derived: true,
      properties: { rule: "list secrets", role: "Role shop/reader", binding: "RoleBinding shop/readers" },
      sentence:
        'ServiceAccount shop/web can read Secret shop/keys: the rule "list secrets" of Role shop/reader (/rules/0) by RoleBinding shop/readers',
    },
  ]);
  expect(answer.cut.sentence).toContain("can read");
  expect(path(asking, nodeOf(asking, "Pod/shop/web-1-a"), nodeOf(asking, "Secret/other/keys")).found).toBe(
    false,
  );
  const { reached } = blastRadius(asking, nodeOf(asking, "Pod/shop/web-1-a"));
  expect(reached.map(({ node }) => told(node))).toContain("Secret/shop/keys");
});

test("Secrets behind a Service that is reached from outside are told, by field and by rule, the worst first", () => {
  const answer = exposure(askingAbout(reading));
  expect(answer.exposures.map(({ id, severity, entry, ways }) => [id, severity, entry, ways])).toEqual([
    ["Exposure/east/Service/shop/web/Secret/shop/db", "high", "Ingress", 3],
    ["Exposure/east/Service/shop/web/Secret/shop/keys", "high", "Ingress", 1],
  ]);
  expect(answer).toMatchObject({ total: 2, bySeverity: { high: 2 }, withheld: 0, truncated: false });
  const [both, byRule] = answer.exposures;
  expect(both?.cuts).toEqual([
    "volume keys of Pod shop/web-1-a reads Secret shop/db (/spec/volumes/0/secret)",
    "container app of Pod shop/web-1-a reads Secret shop/db (/spec/containers/0/env/0/valueFrom/secretKeyRef)",
    "RoleBinding shop/readers binds ServiceAccount shop/web (/subjects/0)",
  ]);
  expect(both?.cut).toBe(
    `3 things have to go: ${both?.cuts.join("; ")}. Or Service shop/web must not be reached from outside.`,
  );
  expect(byRule?.cut).toBe(
    "RoleBinding shop/readers binds ServiceAccount shop/web (/subjects/0): without it there is no way.",
  );
  expect(byRule?.hops.map(({ from, to }) => `${told(from)} ${told(to)}`)).toEqual([
    "Ingress/shop/web Service/shop/web",
    "Service/shop/web Pod/shop/web-1-a",
    "Pod/shop/web-1-a ServiceAccount/shop/web",
    "ServiceAccount/shop/web Secret/shop/keys",
  ]);
});

test("what a pod is given by name alone is less than a rule for all of the cluster", () => {
  const given = exposure(askingAbout(shop));
  expect(given.exposures).toMatchObject([{ severity: "medium", ways: 2 }]);
  const wide = [
    ...shop,
    role("all", [rule("*", "*")]),
    binding("all", "ClusterRole all", "ServiceAccount shop/web"),
  ];
  expect(exposure(askingAbout(wide)).bySeverity).toEqual({ critical: 1 });
});

test("a Service inside of the cluster, and a pod without a token, expose nothing by rules", () => {
  const inside = reading.filter(({ node }) => node.kind !== "Ingress");
  expect(exposure(askingAbout(inside)).total).toBe(0);
  const port = inside.map((each) =>
    each.node.kind === "Service" ? { ...each, properties: { type: "NodePort" } } : each,
  );
  expect(exposure(askingAbout(port)).exposures).toMatchObject([{ entry: "NodePort" }, { entry: "NodePort" }]);
  const field = "automountServiceAccountToken";
  const tokenless = reading.map((each) =>
    each.node.kind === "ServiceAccount" ? { ...each, properties: { [field]: false } } : each,
  );
  expect(exposure(askingAbout(tokenless)).exposures.map(({ secret }) => told(secret))).toEqual([
    "Secret/shop/db",
  ]);
});

/** The shop, which may read a Secret that it is not given, and more who can. */
function keysOf(...more: readonly ObjectFacts[]) {
  const answer = exposure(askingAbout([...reading, ...more]));
  return answer.exposures.find(({ secret }) => told(secret) === "Secret/shop/keys");
}
const otherReaders = [
  binding("shop/more", "Role reader", "Group system:serviceaccounts:shop"),
  binding("shop/most", "Role reader", "ServiceAccount shop/web"),
];
/** A second workload behind the same Service. */
const beside = (account: string): ObjectFacts =>
  factsOf("Pod/shop/beside", {
    properties: { labels: { app: "web" }, phase: "Running" },
    edges: [edge("RUNS_AS", [0, account], "/spec/serviceAccountName")],
  });

test("of several bindings and one token it is the token that has to go", () => {
  expect(keysOf(...otherReaders)).toMatchObject({
    ways: 3,
    cuts: ["Deployment shop/web has a token of ServiceAccount shop/web"],
    cut: "Deployment shop/web has a token of ServiceAccount shop/web: without it there is no way.",
  });
});

test("of one binding and several tokens it is the binding", () => {
  expect(keysOf(beside("ServiceAccount/shop/web"))).toMatchObject({
    ways: 1,
    cuts: ["RoleBinding shop/readers binds ServiceAccount shop/web (/subjects/0)"],
  });
});

test("the fewest of both are told together", () => {
  const accounts = [factsOf("ServiceAccount/shop/beside"), beside("ServiceAccount/shop/beside")];
  expect(keysOf(...otherReaders, ...accounts)?.cuts).toEqual([
    "RoleBinding shop/more binds Group system:serviceaccounts:shop (/subjects/0)",
    "Deployment shop/web has a token of ServiceAccount shop/web",
  ]);
});

test("what to cut is withheld with the binding", () => {
  const wide = [
    role("all", [rule("get", "secrets")]),
    binding("all", "ClusterRole all", "ServiceAccount shop/web"),
    ...reading.filter(({ node }) => node.kind !== "RoleBinding"),
  ];
  const asking = askingAbout(wide, { canSee: (_, namespace) => namespace === "shop" });
  const { exposures } = exposure(asking);
  expect(exposures.at(-1)?.cut).toBe("A binding that is withheld: without it there is no way.");
});

/** The shop behind a route in place of its Ingress. */
function routed(parent: string, kind = "HTTPRoute") {
  return [
    ...reading.filter(({ node }) => node.kind !== "Ingress"),
    factsOf(`${kind}/shop/web`, {
      edges: [
        edge("ATTACHED_TO", [0, parent], "/spec/parentRefs/0"),
        edge("ROUTES_TO", [0, "Service/shop/web"], "/spec/rules/0/backendRefs/0"),
      ],
    }),
  ];
}
const gateway = factsOf("Gateway/gateways/public", {
  edges: [edge("USES_SECRET", [0, "Secret/gateways/tls"], "/spec/listeners/0/tls/certificateRefs/0")],
});

test.each(["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"])(
  "a Service that a %s leads to from a Gateway is exposed as one behind an Ingress is",
  (kind) => {
    const asking = askingAbout([...routed("Gateway/gateways/public", kind), gateway]);
    const [db] = exposure(asking).exposures;
    expect(db).toMatchObject({ entry: "Gateway", secret: { name: "db" } });
    expect(db?.hops.slice(0, 2).map(({ from, to }) => `${told(from)} ${told(to)}`)).toEqual([
      `Gateway/gateways/public ${kind}/shop/web`,
      `${kind}/shop/web Service/shop/web`,
    ]);
    const way = path(asking, nodeOf(asking, "Gateway/gateways/public"), nodeOf(asking, "Secret/shop/db"));
    expect(way.hops.map(({ to }) => told(to)).slice(0, 2)).toEqual([`${kind}/shop/web`, "Service/shop/web"]);
    expect(way.hops[0]?.edges).toMatchObject([
      { sentence: `${kind} shop/web is attached to Gateway gateways/public (/spec/parentRefs/0)` },
    ]);
    const { reached } = blastRadius(asking, nodeOf(asking, "Gateway/gateways/public"));
    expect(reached.map(({ node }) => told(node))).toContain("Secret/shop/db");
  },
);

test("a route leads in only from what is there, and not from a Service", () => {
  expect(exposure(askingAbout(routed("Gateway/gateways/public"))).total).toBe(0);
  const coverage = [{ cluster: "east", kind: "Gateway", namespace: "", since: "2026-01-01T00:00:00Z" }];
  const unknown = exposure(askingAbout(routed("Gateway/gateways/public"), { coverage }));
  expect(unknown.exposures).toMatchObject([{ entry: "Gateway" }, { entry: "Gateway" }]);
  expect(exposure(askingAbout(routed("Service/shop/front"))).total).toBe(0);
  expect(exposure(askingAbout(routed("ListenerSet/shop/all"))).exposures).toMatchObject([
    { entry: "route" },
    { entry: "route" },
  ]);
});

test("a Gateway's certificates are not reached from a route, and where it is may be withheld", () => {
  const asking = askingAbout([...routed("Gateway/gateways/public"), gateway]);
  const [route, tls] = [nodeOf(asking, "HTTPRoute/shop/web"), nodeOf(asking, "Secret/gateways/tls")];
  expect(path(asking, route, tls).found).toBe(false);
  const inShop = { ...asking, canSee: (_: string, namespace: string) => namespace === "shop" };
  expect(exposure(inShop).exposures[0]).toMatchObject({ entry: "withheld", secret: { name: "db" } });
  expect(exposure(inShop).exposures[0]?.hops[0]?.from).toEqual({ withheld: true });
});

test("what one may not see is withheld and counted; a limit and a namespace hold", () => {
  const asking = { ...askingAbout(reading), canSee: (_: string, namespace: string) => namespace === "other" };
  expect(exposure(asking)).toMatchObject({ total: 2, withheld: 2, exposures: [] });
  expect(exposure(askingAbout(reading), { limit: 1 })).toMatchObject({ truncated: true });
  expect(exposure(askingAbout(reading), { namespace: "other" })).toMatchObject({ total: 0 });
});
