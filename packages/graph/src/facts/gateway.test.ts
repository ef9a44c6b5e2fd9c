import { describe, expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

const api = "gateway.networking.k8s.io/v1";

test("a Gateway uses the certificates of its listeners, also those of other namespaces", () => {
  const facts = factsOf(api, "Gateway", {
    spec: {
      gatewayClassName: "envoy",
      listeners: [
        { name: "http", port: 80, protocol: "HTTP" },
        {
          name: "https",
          port: 443,
          protocol: "HTTPS",
          hostname: "shop.example.com",
          tls: {
            certificateRefs: [
              { name: "shop-tls" },
              { group: "", kind: "Secret", namespace: "certificates", name: "wildcard" },
            ],
            frontendValidation: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "clients" }] },
          },
        },
      ],
      tls: { backend: { clientCertificateRef: { name: "client" } } },
    },
    status: { addresses: [{ type: "IPAddress", value: "192.0.2.1" }] },
  });
  expect(toldEdges(facts)).toEqual([
    "USES_SECRET: it → Secret/shop/shop-tls, /spec/listeners/1/tls/certificateRefs/0 (listener=https isForTls)",
    "USES_SECRET: it → Secret/certificates/wildcard, /spec/listeners/1/tls/certificateRefs/1 (listener=https isForTls)",
    "USES_CONFIGMAP: it → ConfigMap/shop/clients, /spec/listeners/1/tls/frontendValidation/caCertificateRefs/0 (listener=https isForTls)",
    "USES_SECRET: it → Secret/shop/client, /spec/tls/backend/clientCertificateRef (isForTls)",
  ]);
  expect(facts.properties).toEqual({
    gatewayClass: "envoy",
    listeners: ["http 80/HTTP", "https 443/HTTPS shop.example.com"],
    external: ["192.0.2.1"],
  });
});

describe("a route is attached to Gateways and leads to Services", () => {
  const spec = {
    hostnames: ["shop.example.com"],
    parentRefs: [
      { name: "public", namespace: "gateways", sectionName: "https" },
      { group: "", kind: "Service", name: "front" },
    ],
    rules: [
      {
        filters: [{ type: "RequestMirror", requestMirror: { backendRef: { name: "shadow", port: 80 } } }],
        backendRefs: [
          { name: "front", port: 80, weight: 90 },
          { name: "canary", namespace: "next", port: 80, weight: 10 },
          { group: "example.com", kind: "Bucket", name: "files" },
        ],
      },
    ],
  };

  test.each(["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"])("%s", (kind) => {
    const facts = factsOf(api, kind, { spec });
    expect(toldEdges(facts)).toEqual([
      "ATTACHED_TO: it → Gateway/gateways/public, /spec/parentRefs/0 (listener=https)",
      "ATTACHED_TO: it → Service/shop/front, /spec/parentRefs/1",
      "ROUTES_TO: it → Service/shop/shadow, /spec/rules/0/filters/0/requestMirror/backendRef (port=80 isMirror)",
      "ROUTES_TO: it → Service/shop/front, /spec/rules/0/backendRefs/0 (port=80 weight=90)",
      "ROUTES_TO: it → Service/next/canary, /spec/rules/0/backendRefs/1 (port=80 weight=10)",
      "ROUTES_TO: it → Bucket.example.com/shop/files, /spec/rules/0/backendRefs/2",
    ]);
    expect(facts.properties).toEqual({ hostnames: ["shop.example.com"] });
  });
});
