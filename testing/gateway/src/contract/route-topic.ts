import { resources } from "@bowline/kube";
import { sandbox, untilIs, type RunningTarget } from "@bowline/test-contract";
import { expect, it } from "vitest";

import { gatewayResources, type Gateway, type HttpRoute } from "../model/gateway-kinds.ts";
import { listener } from "../model/gateway-objects.ts";
import { listenerOf, openStage, parentOf, stateOf, type Stage } from "./stage.ts";

const { gateways, httpRoutes, referenceGrants } = gatewayResources;

export function routeTopic(cluster: () => RunningTarget): void {
  it("is accepted with its backends, and the listener counts it", async () => {
    const stage = await openStage(cluster());
    await stage.service("web");
    await stage.gateway("front", [listener("http", { hostname: "*.example.com" })]);
    await stage.route("web", { parentRefs: [{ name: "front" }], hostnames: ["a.example.com"] });
    const route = await untilState(stage, "web", "Accepted", "True: Accepted");
    expect(stateOf(parentOf(route, stage), "ResolvedRefs")).toBe("True: ResolvedRefs");
    const counts = (object: Gateway): boolean => listenerOf(object, "http").attachedRoutes === 1;
    await stage.until<Gateway>(gateways, "front", counts);
  });

  it.each([
    ["NoMatchingParent", { sectionName: "https" }, "a.example.com"],
    ["NoMatchingParent", { port: 81 }, "a.example.com"],
    ["NoMatchingListenerHostname", {}, "a.example.org"],
  ])("is not accepted: %s", async (reason, reference, hostname) => {
    const stage = await openStage(cluster());
    await stage.gateway("front", [listener("http", { hostname: "*.example.com" })]);
    await stage.route("lost", { parentRefs: [{ name: "front", ...reference }], hostnames: [hostname] });
    await expect(untilState(stage, "lost", "Accepted", `False: ${reason}`)).resolves.toBeDefined();
  });

  it("of another namespace is accepted where the listener's selector finds its labels", async () => {
    const stage = await openStage(cluster());
    const other = await sandbox(cluster());
    const selector = { matchLabels: { team: other.namespace } };
    await stage.gateway("closed");
    await stage.gateway("open", [
      listener("http", { allowedRoutes: { namespaces: { from: "Selector", selector } } }),
    ]);
    const reference = { namespace: stage.namespace };
    await stage.route("no", { parentRefs: [{ name: "closed", ...reference }] }, other.namespace);
    await stage.route("yes", { parentRefs: [{ name: "open", ...reference }] }, other.namespace);
    const until = (name: string, state: string): Promise<HttpRoute> =>
      untilIs<HttpRoute>(
        { client: stage.client, resource: httpRoutes, namespace: other.namespace, name },
        (route) => stateOf(parentOf(route, stage), "Accepted") === state,
      );
    await until("no", "False: NotAllowedByListeners");
    await until("yes", "False: NotAllowedByListeners");
    const labels = { labels: { team: other.namespace } };
    await stage.client.patch(
      resources.namespaces,
      { metadata: labels },
      { type: "merge", name: other.namespace },
    );
    await expect(until("yes", "True: Accepted")).resolves.toBeDefined();
  });

  it("says that a Service or its port is missing, until it is there", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    await stage.service("narrow");
    const rule = (name: string, port: number): object[] => [{ backendRefs: [{ name, port }] }];
    await stage.route("service", { parentRefs: [{ name: "front" }], rules: rule("web", 80) });
    await stage.route("port", {
      parentRefs: [{ name: "front" }],
      hostnames: ["p.example.com"],
      rules: rule("narrow", 81),
    });
    await untilState(stage, "service", "ResolvedRefs", "False: BackendNotFound");
    const route = await untilState(stage, "port", "ResolvedRefs", "False: BackendNotFound");
    expect(messageOf(route, stage)).toBe(`Service ${stage.namespace}/narrow has no port 81.`);
    expect(stateOf(parentOf(route, stage), "Accepted")).toBe("True: Accepted");
    await stage.service("web");
    await untilState(stage, "service", "ResolvedRefs", "True: ResolvedRefs");
  });

  it("may use a Service of another namespace once that one allows it", async () => {
    const stage = await openStage(cluster());
    const other = await openStage(cluster());
    await other.service("web");
    await stage.gateway("front");
    const backendRefs = [{ name: "web", namespace: other.namespace, port: 80 }];
    await stage.route("across", { parentRefs: [{ name: "front" }], rules: [{ backendRefs }] });
    await untilState(stage, "across", "ResolvedRefs", "False: RefNotPermitted");
    await stage.client.create(referenceGrants, {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "ReferenceGrant",
      metadata: { name: "front", namespace: other.namespace },
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: stage.namespace }],
        to: [{ group: "", kind: "Service" }],
      },
    });
    await expect(untilState(stage, "across", "ResolvedRefs", "True: ResolvedRefs")).resolves.toBeDefined();
  });

  it("keeps what another controller says of another parent", async () => {
    const stage = await openStage(cluster());
    const other = await openStage(cluster());
    await stage.gateway("mine");
    await other.gateway("theirs", [listener("http", { allowedRoutes: { namespaces: { from: "All" } } })]);
    const parentRefs = [{ name: "mine" }, { name: "theirs", namespace: other.namespace }];
    await stage.route("both", { parentRefs });
    const { status } = await stage.until<HttpRoute>(httpRoutes, "both", (route) =>
      [stage, other].every((each) => stateOf(parentOf(route, each), "Accepted") === "True: Accepted"),
    );
    expect(status?.parents).toHaveLength(2);
  });

  it("with rules that are not served is not accepted, or in part", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    const strange = {
      matches: [{ headers: [{ name: "x", value: "y" }] }],
      backendRefs: [{ name: "web", port: 80 }],
    };
    const plain = { backendRefs: [{ name: "web", port: 80 }] };
    await stage.route("none", { parentRefs: [{ name: "front" }], rules: [strange] });
    await stage.route("some", {
      parentRefs: [{ name: "front" }],
      hostnames: ["s.example.com"],
      rules: [strange, plain],
    });
    await untilState(stage, "none", "Accepted", "False: UnsupportedValue");
    await expect(
      untilState(stage, "some", "PartiallyInvalid", "True: UnsupportedValue"),
    ).resolves.toBeDefined();
  });
}

function messageOf(route: HttpRoute, stage: Stage): string | undefined {
  return parentOf(route, stage)?.conditions.find(({ type }) => type === "ResolvedRefs")?.message;
}

export function untilState(stage: Stage, name: string, type: string, state: string): Promise<HttpRoute> {
  return stage.until<HttpRoute>(httpRoutes, name, (route) => stateOf(parentOf(route, stage), type) === state);
}
