import type { RunningTarget } from "@bowline/test-contract";
import { beforeAll, describe } from "vitest";

import { whyNoGatewayApi } from "../definitions/gateway-definitions.ts";
import { certificateTopic } from "./certificate-topic.ts";
import { classTopic } from "./class-topic.ts";
import { conflictTopic } from "./conflict-topic.ts";
import { deletionTopic } from "./deletion-topic.ts";
import { listenerSetTopic } from "./listener-set-topic.ts";
import { listenerTopic } from "./listener-topic.ts";
import { routeTopic } from "./route-topic.ts";
import { installGatewayApi } from "./stage.ts";

/** What Gateways, routes and certificates become in a cluster: the same on kubesim and on real API servers. */
export function gatewayContract(cluster: () => RunningTarget): void {
  describe.skipIf(whyNoGatewayApi())("Gateway API", () => {
    beforeAll(() => installGatewayApi(cluster().admin), 120_000);
    describe("a class", () => {
      classTopic(cluster);
    });
    describe("a listener", () => {
      listenerTopic(cluster);
    });
    describe("a set of listeners", () => {
      listenerSetTopic(cluster);
    });
    describe("a route", () => {
      routeTopic(cluster);
    });
    describe("a conflict", () => {
      conflictTopic(cluster);
    });
    describe("a certificate", () => {
      certificateTopic(cluster);
    });
    describe("deletion", () => {
      deletionTopic(cluster);
    });
  });
}
