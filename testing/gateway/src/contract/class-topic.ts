import { untilIs, type RunningTarget } from "@bowline/test-contract";
import { expect, it } from "vitest";

import { gatewayResources, type Gateway, type GatewayClass } from "../model/gateway-kinds.ts";
import { gatewayClass } from "../model/gateway-objects.ts";
import { isProgrammed, openStage, stateOf, type Stage } from "./stage.ts";

const { gatewayClasses, gateways } = gatewayResources;

export function classTopic(cluster: () => RunningTarget): void {
  it("is accepted by the controller it names, and no other is touched", async () => {
    const stage = await openStage(cluster());
    const foreign = `${stage.className}-foreign`;
    await stage.client.create(gatewayClasses, gatewayClass(foreign, "example.com/somebody-else"));
    const accepted = await untilClass(stage, "True: Accepted");
    expect(accepted.status?.conditions?.[0]?.observedGeneration).toBe(accepted.metadata.generation);
    await stage.gateway("probe");
    await stage.until<Gateway>(gateways, "probe", isProgrammed);
    const untouched = await stage.client.get<GatewayClass>(gatewayClasses, { name: foreign });
    expect(stateOf(untouched.status, "Accepted")).toBe("Unknown: Pending");
  });

  it("is refused when the controller is told so, and its Gateways wait until it is accepted", async () => {
    const stage = await openStage(cluster(), { behaviour: { accepts: false } });
    await stage.gateway("waits");
    await untilClass(stage, "False: InvalidParameters");
    const waiting = await stage.client.get<Gateway>(gateways, { name: "waits", namespace: stage.namespace });
    expect(stateOf(waiting.status, "Programmed")).toBe("Unknown: Pending");
    stage.controller.behave({ accepts: true });
    await untilClass(stage, "True: Accepted");
    await stage.until<Gateway>(gateways, "waits", isProgrammed);
  });
}

function untilClass({ client, className }: Stage, state: string): Promise<GatewayClass> {
  return untilIs<GatewayClass>(
    { client, resource: gatewayClasses, name: className },
    ({ status }) => stateOf(status, "Accepted") === state,
  );
}
