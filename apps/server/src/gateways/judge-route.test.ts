import type { KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { judgeRoute, type SeenRoute } from "./judge-route.ts";
import { listedRoutes } from "./listed-route.ts";
import type { Rival } from "./rival-routes.ts";

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

function routeObject(name: string): KubeObject {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return {
    apiVersion,
    kind: "HTTPRoute",
    metadata: { name, namespace: "x", labels: {} },
    status: { parents },
  };
}

function judge(seen: Partial<SeenRoute>) {
  const route = routeObject("bowline-shop");
  const others = { rivals: [], unlisted: [] };
  const all = { label: "HTTPRoute x/bowline-shop", route, controller, services: new Map(), others };
  return judgeRoute({ ...all, pending: undefined, ...seen }, spec, "x");
}

function rival(name: string, wants: Rival["wants"]): Rival {
  const [route] = listedRoutes("HTTPRoute", routeObject(name));
  if (route === undefined) throw new Error("There is no route.");
  return { route, wants, host: "shop.example.com", path: "/" };
}

test("a route of somebody else that wants the very same requests is why the host is taken, whatever others want", () => {
  const rivals = [rival("a", "part"), rival("b", "same")];
  expect(judge({ others: { rivals, unlisted: [] } })).toMatchObject({
    status: "False",
    reason: "HostTaken",
    message: expect.stringContaining("HTTPRoute x/b, which is not of Bowline, has shop.example.com/ too"),
  });
});

test("routes that get a part of its requests, and those that nobody may list, are told of and stand in nobody's way", () => {
  const rivals = ["a", "b", "c", "d"].map((name) => rival(name, "part"));
  expect(judge({ others: { rivals, unlisted: ["GRPCRoute", "Ingress"] } })).toEqual({
    status: "True",
    reason: "Accepted",
    message: `${["a", "b", "c"].map((name) => `HTTPRoute x/${name}, which is not of Bowline, gets the requests for shop.example.com/.`).join(" ")} So do others. GRPCRoutes, Ingresses of other namespaces may not be listed, so nobody has looked whether one has the same host.`,
  });
});

test("a route that is as it was before is not what is wanted", () => {
  expect(judge({})).toMatchObject({ status: "True", reason: "Accepted", message: "" });
  expect(judge({ pending: "HTTPRoute x/bowline-shop is refused" })).toEqual({
    status: "Unknown",
    reason: "NotProgrammed",
    message: "HTTPRoute x/bowline-shop is not yet what it is to be: HTTPRoute x/bowline-shop is refused.",
  });
});
