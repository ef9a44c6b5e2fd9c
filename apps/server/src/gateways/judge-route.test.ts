import type { KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { judgeRoute, type SeenRoute } from "./judge-route.ts";

const spec = {
  instance: "web",
  hosts: ["shop.example.com"],
  rules: [{ path: "/", service: "web", port: 80 }],
  tls: { mode: "terminate" as const },
  visibility: "public" as const,
  probe: true,
};
const controller = "example.com/controller";
const parents = [{ controllerName: controller, conditions: [{ type: "Accepted", status: "True" }] }];

function routeObject(name: string, more: object = {}): KubeObject {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return {
    apiVersion,
    kind: "HTTPRoute",
    metadata: { name, namespace: "x", labels: {} },
    status: { parents },
    ...more,
  };
}

function judge(seen: Partial<SeenRoute>) {
  const route = routeObject("bowline-shop");
  const all = { label: "HTTPRoute x/bowline-shop", route, controller, services: new Map(), others: [] };
  return judgeRoute({ ...all, entryNamespace: "entry", pending: undefined, ...seen }, spec, "x");
}

/** A route of somebody else that names no host, with the way in that it wants. */
function hostless(parent: object, path = "/"): KubeObject {
  const rules = [{ matches: [{ path: { value: path } }] }];
  return routeObject("theirs", { spec: { parentRefs: [parent], rules } });
}

test("a route of somebody else without hosts has all of the entry that it is at", () => {
  const at = { name: "bowline-public", namespace: "entry" };
  expect(judge({ others: [hostless(at)] })).toMatchObject({
    reason: "HostTaken",
    message:
      "HTTPRoute x/theirs, which is not of Bowline, has shop.example.com/ too, and may get its requests.",
  });
  const plain = { ...at, sectionName: "http" };
  const elsewhere = [
    hostless(plain),
    hostless({ name: "own" }),
    hostless({ ...at, namespace: "own" }),
    hostless(at, "/own"),
  ];
  expect(judge({ others: elsewhere })).toMatchObject({ reason: "Accepted" });
});

test("a route that is as it was before is not what is wanted", () => {
  expect(judge({})).toMatchObject({ status: "True", reason: "Accepted" });
  expect(judge({ pending: "HTTPRoute x/bowline-shop is refused" })).toEqual({
    status: "Unknown",
    reason: "NotProgrammed",
    message: "HTTPRoute x/bowline-shop is not yet what it is to be: HTTPRoute x/bowline-shop is refused.",
  });
});
