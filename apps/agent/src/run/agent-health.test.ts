import { systemClock, BowlineError } from "@bowline/core";
import { probeAnswer } from "@bowline/program/health";
import { expect, test } from "vitest";

import { AgentHealth, type WatchedLinks } from "./agent-health.ts";

test("the agent says whether servers reach the cluster, and why not", async () => {
  const stopping = new AbortController();
  const health = new AgentHealth(systemClock, stopping.signal);
  const readyz = async (): Promise<string> => {
    const { status, text } = await probeAnswer("readyz", health.ready, true);
    return `${status} ${text}`;
  };
  expect(await readyz()).toMatch(/^503 \[-\]session failed: The agent has not joined yet\./u);
  const links: { -readonly [K in keyof WatchedLinks]: WatchedLinks[K] } = {
    sessions: [],
    problem: new BowlineError("Forbidden", "The key of this agent was revoked."),
  };
  health.watch(links);
  expect(await readyz()).toContain("The key of this agent was revoked.");
  stopping.abort(new BowlineError("Cancelled", "Shutting down."));
  expect(await readyz()).toContain("[-]running failed: Shutting down.");
});
