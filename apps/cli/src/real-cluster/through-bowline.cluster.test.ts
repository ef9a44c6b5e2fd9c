import { whyNoCluster } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe } from "vitest";

import { findWebSocketKubectl } from "./testing/find-kubectl.ts";
import type { Kubectl } from "./testing/kubectl.ts";
import { openStage, type Stage } from "./testing/stage.ts";
import type { Topic } from "./testing/topic.ts";
import { agentsTopic } from "./testing/agents-topic.ts";
import { objectsTopic } from "./testing/objects-topic.ts";
import { portsTopic } from "./testing/ports-topic.ts";
import { processesTopic, streamsTopic } from "./testing/processes-topic.ts";
import { viewersTopic } from "./testing/viewers-topic.ts";
import { watchesTopic } from "./testing/watches-topic.ts";
import { websocketsTopic } from "./testing/websockets-topic.ts";
import { deliveryTopic } from "./testing/delivery-topic.ts";
import { containersTopic } from "./testing/containers-topic.ts";
import { refusalsTopic } from "./testing/refusals-topic.ts";
import { rightsTopic } from "./testing/rights-topic.ts";
import { secretsTopic } from "./testing/secrets-topic.ts";
import { workloadsTopic } from "./testing/workloads-topic.ts";

const topics: Readonly<Record<string, Topic>> = {
  objects: objectsTopic,
  watches: watchesTopic,
  processes: (stage) => processesTopic(() => stage().operator),
  ports: (stage) => portsTopic(() => stage().operator),
  streams: streamsTopic,
  WebSockets: websocketsTopic,
  viewers: viewersTopic,
  workloads: workloadsTopic,
  "workloads from git": deliveryTopic,
  "rights of workloads": rightsTopic,
  "refusals of workloads": refusalsTopic,
  "containers of workloads": containersTopic,
  "secrets of workloads": secretsTopic,
};

const newerKubectl = await findWebSocketKubectl();

describe.skipIf(await whyNoCluster(process.env))("a real cluster through Bowline", () => {
  let opened: Stage | undefined;
  const stage = (): Stage => {
    if (opened === undefined) throw new Error("The stage is not open.");
    return opened;
  };
  beforeAll(async () => {
    opened = await openStage();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  describe.each(Object.entries(topics))("%s", (_, topic) => {
    topic(stage);
  });

  describe.skipIf(newerKubectl === undefined)("a kubectl that tries WebSockets first", () => {
    const kubectl = (): Kubectl => stage().operator.as(newerKubectl ?? "");
    processesTopic(kubectl);
    portsTopic(kubectl);
  });

  // At the end: it takes the agent away.
  describe("the agent", () => {
    agentsTopic(stage);
  });
});
