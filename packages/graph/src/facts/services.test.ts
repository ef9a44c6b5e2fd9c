import { describe, expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

describe("a Service", () => {
  test("selects pods by their labels, whoever comes and goes", () => {
    const facts = factsOf("v1", "Service", {
      spec: {
        type: "LoadBalancer",
        selector: { app: "web" },
        clusterIP: "10.0.0.1",
        clusterIPs: ["10.0.0.1"],
        externalIPs: ["192.0.2.1"],
        loadBalancerSourceRanges: ["198.51.100.0/24"],
        ports: [
          { name: "http", port: 80, targetPort: "web", nodePort: 30080 },
          { port: 53, targetPort: 53, protocol: "UDP" },
        ],
      },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.2" }, { hostname: "lb.example.com" }] } },
    });
    expect(facts.selections).toEqual([
      {
        type: "SELECTS",
        kind: "Pod",
        namespace: "shop",
        selector: { matchLabels: { app: "web" } },
        at: "/spec/selector",
      },
    ]);
    expect(facts.properties).toEqual({
      type: "LoadBalancer",
      clusterIP: "10.0.0.1",
      external: ["192.0.2.1", "192.0.2.2", "lb.example.com"],
      sourceRanges: ["198.51.100.0/24"],
      ports: ["http 80→web/TCP", "53/UDP"],
      nodePorts: ["30080"],
    });
  });

  test.each([{}, { selector: {} }, { type: "ExternalName", externalName: "db.example.com" }])(
    "selects no pod where it names no label: %j",
    (spec) => {
      const facts = factsOf("v1", "Service", { spec });
      expect(facts.selections).toEqual([]);
      expect(facts.cut).toBeUndefined();
    },
  );

  test("whose selector cannot be read selects nothing, and not everything", () => {
    const facts = factsOf("v1", "Service", { spec: { selector: { app: 5 } } });
    expect(facts.selections).toEqual([]);
    expect(facts.cut).toEqual({ selections: 1 });
  });
});

describe("an EndpointSlice", () => {
  const endpoints = [
    {
      addresses: ["10.1.0.1"],
      targetRef: { kind: "Pod", namespace: "shop", name: "web-0" },
      conditions: { ready: true },
    },
    { addresses: ["203.0.113.1"] },
    { addresses: ["10.1.0.2"], targetRef: { kind: "Pod", name: "web-1" }, conditions: { ready: false } },
  ];

  test("says which pods are behind its Service, ready or not", () => {
    const metadata = { labels: { "kubernetes.io/service-name": "front" } };
    const facts = factsOf("discovery.k8s.io/v1", "EndpointSlice", {
      metadata,
      endpoints,
      ports: [{ port: 8080 }],
    });
    expect(toldEdges(facts)).toEqual([
      "ROUTES_TO: Service/shop/front → Pod/shop/web-0, /endpoints/0/targetRef",
      "ROUTES_TO: Service/shop/front → Pod/shop/web-1, /endpoints/2/targetRef",
    ]);
    expect(facts.properties).toMatchObject({ addresses: ["203.0.113.1"], ports: ["8080/TCP"] });
  });

  test("of no Service leads nowhere", () => {
    expect(toldEdges(factsOf("discovery.k8s.io/v1", "EndpointSlice", { endpoints }))).toEqual([]);
  });
});

describe("a NetworkPolicy selects the pods of its namespace that it is about", () => {
  test.each([
    [{ podSelector: {} }, {}],
    [{}, {}],
    [{ podSelector: { matchLabels: { app: "web" } } }, { matchLabels: { app: "web" } }],
    [
      { podSelector: { matchExpressions: [{ key: "tier", operator: "In", values: ["a", ""] }] } },
      { matchExpressions: [{ key: "tier", operator: "In", values: ["a", ""] }] },
    ],
  ])("%j", (spec, selector) => {
    const facts = factsOf("networking.k8s.io/v1", "NetworkPolicy", { spec });
    expect(facts.selections).toEqual([
      { type: "SELECTS", kind: "Pod", namespace: "shop", selector, at: "/spec/podSelector" },
    ]);
  });

  test.each([
    { matchLabels: ["app"] },
    { matchExpressions: [{ key: "tier", operator: "Like", values: [] }] },
    { matchExpressions: "all" },
  ])("and none where it cannot be read: %j", (podSelector) => {
    const facts = factsOf("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector } });
    expect(facts.selections).toEqual([]);
    expect(facts.cut).toEqual({ selections: 1 });
  });

  test("and tells how many rules it has of each direction", () => {
    const spec = {
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ ipBlock: { cidr: "0.0.0.0/0" } }, { podSelector: {} }] }],
    };
    expect(factsOf("networking.k8s.io/v1", "NetworkPolicy", { spec }).properties).toEqual({
      policyTypes: ["Ingress", "Egress"],
      ingressRules: 1,
      egressRules: 0,
      ipBlocks: ["0.0.0.0/0"],
    });
  });
});
