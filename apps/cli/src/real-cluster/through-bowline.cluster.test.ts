import { whyNoCluster } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe } from "vitest";

import { findWebSocketKubectl } from "./testing/find-kubectl.ts";
import type { Kubectl } from "./testing/kubectl.ts";
import { openStage, type Stage } from "./testing/stage.ts";
import type { Topic } from "./testing/topic.ts";
import { agentsTopic } from "./topics/agents.ts";
import { objectsTopic } from "./topics/objects.ts";
import { portsTopic } from "./topics/ports.ts";
import { processesTopic, streamsTopic } from "./topics/processes.ts";
import { viewersTopic } from "./topics/viewers.ts";
import { watchesTopic } from "./topics/watches.ts";
import { websocketsTopic } from "./topics/websockets.ts";

const topics: Readonly<Record<string, Topic>> = {
  objects: objectsTopic,
  watches: watchesTopic,
  processes: (stage) => processesTopic(() => stage().operator),
  ports: (stage) => portsTopic(() => stage().operator),
  streams: streamsTopic,
  WebSockets: websocketsTopic,
  viewers: viewersTopic,
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
