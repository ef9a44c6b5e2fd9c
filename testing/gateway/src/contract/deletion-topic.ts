import type { RunningTarget } from "@bowline/test-contract";
import { expect, it } from "vitest";

import { gatewayResources, type Gateway, type HttpRoute } from "../model/gateway-kinds.ts";
import { untilState } from "./route-topic.ts";
import { isProgrammed, listenerOf, openStage, parentOf } from "./stage.ts";

const { gateways, httpRoutes } = gatewayResources;

export function deletionTopic(cluster: () => RunningTarget): void {
  it("of a route is seen by its listener", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    await stage.route("web", { parentRefs: [{ name: "front" }] });
    const counts = (routes: number) => (object: Gateway) =>
      listenerOf(object, "http").attachedRoutes === routes;
    await stage.until<Gateway>(gateways, "front", counts(1));
    await stage.client.delete(httpRoutes, { name: "web", namespace: stage.namespace });
    const { status } = await stage.until<Gateway>(gateways, "front", counts(0));
    expect(status?.listeners).toHaveLength(1);
  });

  it("of a Gateway takes its word about routes back, and a new one has them at once", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    await stage.route("web", { parentRefs: [{ name: "front" }] });
    await untilState(stage, "web", "Accepted", "True: Accepted");
    await stage.client.delete(gateways, { name: "front", namespace: stage.namespace });
    await stage.until<HttpRoute>(httpRoutes, "web", (route) => parentOf(route, stage) === undefined);
    await stage.gateway("front");
    await stage.until<Gateway>(gateways, "front", isProgrammed);
    const { status } = await untilState(stage, "web", "Accepted", "True: Accepted");
    expect(status?.parents).toHaveLength(1);
  });
}
