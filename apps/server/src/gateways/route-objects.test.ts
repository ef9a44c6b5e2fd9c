import type { GatewaySpec } from "@bowline/api";
import type { ResourceRef } from "@bowline/kube";
import { asRecord } from "@bowline/core";
import { expect, test } from "vitest";

import { listIn } from "./read-conditions.ts";
import { routeObjects, type RouteInput } from "./route-objects.ts";

function resource(kind: string): ResourceRef {
  const group = "gateway.networking.k8s.io";
  return { group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

function input(spec: Partial<GatewaySpec>): RouteInput {
  const whole: GatewaySpec = {
    instance: "web",
    hosts: ["shop.example.com"],
    rules: [{ path: "/", service: "web", port: 80 }],
    tls: { mode: "terminate" },
    visibility: "public",
    probe: true,
    ...spec,
  };
  return {
    name: "shop",
    spec: whole,
    namespace: "x",
    entry: { cluster: "a", class: "reference", visibility: "public" },
    apis: {
      gatewayClass: resource("GatewayClass"),
      gateway: resource("Gateway"),
      httpRoute: resource("HTTPRoute"),
      referenceGrant: undefined,
      tlsRoute: undefined,
      grpcRoute: undefined,
      ingress: undefined,
      listenerSet: undefined,
      certificates: undefined,
    },
    places: new Map([["shop.example.com", { kind: "Gateway", index: 0 }]]),
  };
}

test("the redirect of a path is one, whatever methods its rules have", () => {
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;
  const rules = Array.from({ length: 8 }, (_, at) => `/${at}`).flatMap((path) => [
    { path, methods: [...methods], service: "web", port: 80 },
    { path: `${path}/`, methods: ["PATCH" as const], service: "other", port: 80 },
  ]);
  const [, redirect] = routeObjects(input({ rules }));
  const [rule] = listIn(redirect?.["spec"], "rules");
  const paths = listIn(rule, "matches").map((match) => asRecord(match["path"])["value"]);
  // The Gateway API takes 64 matches in a rule.
  expect(paths).toEqual(["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7"]);
});

test("a connection that is to be passed through needs an API that says so, and is told which", () => {
  expect(() => routeObjects(input({ tls: { mode: "passthrough" } }))).toThrow(
    "Cluster a has no TLSRoute of the version v1, which passes connections through; install a Gateway API that has it.",
  );
});
