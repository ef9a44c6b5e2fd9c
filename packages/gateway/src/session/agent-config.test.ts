import { describe, expect, test } from "vitest";

import { agentConfigOf } from "./agent-config.ts";

describe("the configuration of an agent", () => {
  test("is complete without anybody having asked for anything", () => {
    expect(agentConfigOf({})).toEqual({
      version: expect.stringMatching(/^[\w-]{22}$/u),
      logLevel: "info",
      observedKinds: [],
      observedNamespaces: [],
      limits: { maxStreams: 0, maxRequestsPerSecond: 0 },
    });
  });

  test("has the same version for the same content, and another for any other", () => {
    const same = agentConfigOf({ agent: { logLevel: "info" } });
    expect(same).toEqual(agentConfigOf({}));
    const versions = [
      same,
      agentConfigOf({ agent: { logLevel: "debug" } }),
      agentConfigOf({ agent: { logLevel: "info", observedKinds: [{ version: "v1", resource: "pods" }] } }),
      agentConfigOf({
        agent: { logLevel: "info", observedKinds: [{ group: "apps", version: "v1", resource: "pods" }] },
      }),
      agentConfigOf({ agent: { logLevel: "info", observedNamespaces: ["shop"] } }),
      agentConfigOf({ agent: { logLevel: "info", limits: { maxStreams: 5 } } }),
      agentConfigOf({ agent: { logLevel: "info", limits: { maxRequestsPerSecond: 5 } } }),
    ].map(({ version }) => version);
    expect(new Set(versions).size).toBe(versions.length);
  });
});
