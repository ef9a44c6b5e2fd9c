import { expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

test("an Ingress leads to its backends, and uses the Secrets of its certificates", () => {
  const service = (name: string, port: object): object => ({ service: { name, port } });
  const facts = factsOf("networking.k8s.io/v1", "Ingress", {
    spec: {
      ingressClassName: "nginx",
      defaultBackend: service("fallback", { number: 80 }),
      rules: [
        {
          host: "shop.example.com",
          http: {
            paths: [
              { path: "/", backend: service("front", { name: "http" }) },
              {
                path: "/static",
                backend: { resource: { apiGroup: "example.com", kind: "Bucket", name: "files" } },
              },
            ],
          },
        },
        { host: "shop.example.com" },
      ],
      tls: [{ hosts: ["shop.example.com"], secretName: "shop-tls" }, { hosts: ["other.example.com"] }],
    },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
  });
  expect(toldEdges(facts)).toEqual([
    "ROUTES_TO: it → Service/shop/fallback, /spec/defaultBackend/service (port=80)",
    "ROUTES_TO: it → Service/shop/front, /spec/rules/0/http/paths/0/backend/service (host=shop.example.com path=/ port=http)",
    "ROUTES_TO: it → Bucket.example.com/shop/files, /spec/rules/0/http/paths/1/backend/resource (host=shop.example.com path=/static)",
    "USES_SECRET: it → Secret/shop/shop-tls, /spec/tls/0/secretName (hosts=shop.example.com isForTls)",
  ]);
  expect(facts.properties).toEqual({
    ingressClass: "nginx",
    hosts: ["shop.example.com"],
    external: ["192.0.2.1"],
  });
});
