import type { RunningTarget } from "@bowline/test-contract";
import { expect, it } from "vitest";

import { gatewayResources, type Gateway, type HttpRoute, type ListenerSet } from "../model/gateway-kinds.ts";
import { listener, listenerSet } from "../model/gateway-objects.ts";
import { isProgrammed, listenerOf, openStage, parentOf, stateOf } from "./stage.ts";

const { gateways, httpRoutes, listenerSets } = gatewayResources;

export function listenerSetTopic(cluster: () => RunningTarget): void {
  it("adds listeners to a Gateway that lets it, and routes attach to it", async () => {
    const stage = await openStage(cluster());
    await stage.service("web");
    await stage.gateway("shared", [listener("http", { hostname: "a.example.com" })], {
      allowedListeners: { namespaces: { from: "Same" } },
    });
    await stage.client.create(
      listenerSets,
      listenerSet(
        { name: "more", namespace: stage.namespace },
        { parentRef: { name: "shared" }, listeners: [listener("b", { hostname: "b.example.com" })] },
      ),
    );
    await stage.route("b", { parentRefs: [{ kind: "ListenerSet", name: "more" }] });
    const set = await stage.until<ListenerSet>(
      listenerSets,
      "more",
      ({ status }) => status?.listeners?.[0]?.attachedRoutes === 1,
    );
    expect(stateOf(set.status, "Accepted")).toBe("True: Accepted");
    expect(stateOf(set.status, "Programmed")).toBe("True: Programmed");
    const route = await stage.until<HttpRoute>(
      httpRoutes,
      "b",
      (each) => parentOf(each, stage) !== undefined,
    );
    expect(stateOf(parentOf(route, stage), "Accepted")).toBe("True: Accepted");
    const own = await stage.until<Gateway>(
      gateways,
      "shared",
      ({ status }) => status?.attachedListenerSets === 1,
    );
    // A route of the set is none of the Gateway's own listeners.
    expect(listenerOf(own, "http").attachedRoutes).toBe(0);
  });

  it("is not taken by a Gateway that says nothing of sets", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("closed");
    await stage.client.create(
      listenerSets,
      listenerSet(
        { name: "refused", namespace: stage.namespace },
        { parentRef: { name: "closed" }, listeners: [listener("b", { hostname: "b.example.com" })] },
      ),
    );
    const refused = ({ status }: ListenerSet): boolean => stateOf(status, "Accepted") === "False: NotAllowed";
    const { status } = await stage.until<ListenerSet>(listenerSets, "refused", refused);
    expect(stateOf(status, "Programmed")).toBe("False: NotAllowed");
  });

  it("loses a host to the Gateway's own listener", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("owner", [listener("http", { hostname: "a.example.com" })], {
      allowedListeners: { namespaces: { from: "Same" } },
    });
    await stage.client.create(
      listenerSets,
      listenerSet(
        { name: "double", namespace: stage.namespace },
        { parentRef: { name: "owner" }, listeners: [listener("a", { hostname: "a.example.com" })] },
      ),
    );
    const { status } = await stage.until<ListenerSet>(
      listenerSets,
      "double",
      (set) => stateOf(set.status?.listeners?.[0], "Conflicted") === "True: HostnameConflict",
    );
    expect(stateOf(status, "Accepted")).toBe("False: ListenersNotValid");
    const owner = await stage.until<Gateway>(gateways, "owner", isProgrammed);
    expect(stateOf(listenerOf(owner, "http"), "Conflicted")).toBe("False: NoConflicts");
  });
}
