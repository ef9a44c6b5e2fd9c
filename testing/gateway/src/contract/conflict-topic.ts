import type { RunningTarget } from "@bowline/test-contract";
import { expect, it } from "vitest";

import { gatewayResources } from "../model/gateway-kinds.ts";
import { ruleTo } from "../model/gateway-objects.ts";
import { untilState } from "./route-topic.ts";
import { openStage, parentOf, stateOf } from "./stage.ts";

const { httpRoutes } = gatewayResources;
const parentRefs = [{ name: "front" }];

export function conflictTopic(cluster: () => RunningTarget): void {
  it("goes to the first route; the other is told who has its host, and gets it when that one goes", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    const hostnames = ["a.example.com"];
    await stage.route("a-first", { parentRefs, hostnames });
    await stage.route("b-second", { parentRefs, hostnames });
    const loser = await untilState(stage, "b-second", "Accepted", "False: RouteConflict");
    expect(parentOf(loser, stage)?.conditions[0]?.message).toBe(
      `HTTPRoute ${stage.namespace}/a-first has a.example.com/ already.`,
    );
    await untilState(stage, "a-first", "Accepted", "True: Accepted");
    await stage.client.delete(httpRoutes, { name: "a-first", namespace: stage.namespace });
    await untilState(stage, "b-second", "Accepted", "True: Accepted");
  });

  it("is there only for what is the same: not for a wildcard, another path or another host", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    await stage.route("exact", { parentRefs, hostnames: ["a.example.com"] });
    await stage.route("wildcard", { parentRefs, hostnames: ["*.example.com"] });
    await stage.route("path", { parentRefs, hostnames: ["a.example.com"], rules: [ruleTo("web", "/api")] });
    for (const name of ["exact", "wildcard", "path"])
      await expect(untilState(stage, name, "Accepted", "True: Accepted")).resolves.toBeDefined();
  });

  it("about some of the matches leaves the others in place", async () => {
    const stage = await openStage(cluster());
    await stage.gateway("front");
    const hostnames = ["a.example.com"];
    await stage.route("a-first", { parentRefs, hostnames });
    const rules = [ruleTo("web"), ruleTo("web", "/own")];
    await stage.route("b-second", { parentRefs, hostnames, rules });
    const route = await untilState(stage, "b-second", "PartiallyInvalid", "True: RouteConflict");
    expect(stateOf(parentOf(route, stage), "Accepted")).toBe("True: Accepted");
  });

  it("takes both routes down when the controller is told so", async () => {
    const stage = await openStage(cluster(), { behaviour: { bothLose: true } });
    await stage.gateway("front");
    await stage.route("a-first", { parentRefs });
    await stage.route("b-second", { parentRefs });
    for (const name of ["a-first", "b-second"])
      await expect(untilState(stage, name, "Accepted", "False: RouteConflict")).resolves.toBeDefined();
  });
}
