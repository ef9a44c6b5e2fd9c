import { createLogger } from "@bowline/core";
import type { AgentConfig } from "@bowline/protocol";
import { expect, test } from "vitest";

import { AgentConfiguration } from "./agent-configuration.ts";

const config = (more: Partial<AgentConfig>): AgentConfig => ({
  $typeName: "bowline.agent.v1.AgentConfig",
  version: "v1",
  logLevel: "",
  observedKinds: [],
  observedNamespaces: [],
  ...more,
});
const limits = (maxStreams: number): AgentConfig["limits"] => ({
  $typeName: "bowline.agent.v1.AgentLimits",
  maxStreams,
  maxRequestsPerSecond: 0,
});

function start(keepsLogLevel = false) {
  const logger = createLogger({ name: "test", level: "warn", destination: { write: () => {} } });
  const upstream = { maxStreams: 100 };
  return { logger, upstream, configuration: new AgentConfiguration({ logger, upstream, keepsLogLevel }) };
}

test("a configuration is applied as a whole, and taken back by one that says nothing", () => {
  const { logger, upstream, configuration } = start();
  expect(configuration.version).toBe("");
  expect(configuration.apply(config({ logLevel: "debug", limits: limits(5) }))).toBe("");
  expect([configuration.version, logger.level, upstream.maxStreams]).toEqual(["v1", "debug", 5]);
  configuration.apply(config({ version: "v2" }));
  expect([configuration.version, logger.level, upstream.maxStreams]).toEqual(["v2", "warn", 100]);
});

test("what is wrong with one is said, and nothing of it is applied", () => {
  const { logger, upstream, configuration } = start();
  expect(configuration.apply(config({ logLevel: "loud", limits: limits(5) }))).toBe(
    'There is no log level "loud".',
  );
  expect([configuration.version, logger.level, upstream.maxStreams]).toEqual(["", "warn", 100]);
});

test("a log level that was chosen where the agent runs stays", () => {
  const { logger, configuration } = start(true);
  configuration.apply(config({ logLevel: "debug" }));
  expect(logger.level).toBe("warn");
});
