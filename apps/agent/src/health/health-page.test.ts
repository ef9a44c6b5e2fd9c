import { systemClock, BowlineError, Metrics } from "@bowline/core";
import { expect, onTestFinished, test } from "vitest";

import { AgentHealth, type WatchedLinks } from "./agent-health.ts";
import { HealthPage } from "./health-page.ts";

test("the page says whether servers reach the cluster, and why not", async () => {
  const stopping = new AbortController();
  const health = new AgentHealth(systemClock, stopping.signal);
  const metrics = new Metrics({ version: "1.2.3", revision: "x" });
  const beats = metrics.counter({ name: "bowline_agent_beats_total", help: "Of this test." });
  const page = new HealthPage({
    host: "127.0.0.1",
    port: 0,
    live: health.live,
    ready: health.ready,
    metrics,
  });
  const address = await page.listen();
  onTestFinished(() => page.close());
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(`http://${address}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };
  expect(await ask("/healthz")).toMatch(/^200 healthz check passed/u);
  expect(await ask("/readyz")).toMatch(/^503 \[-\]session failed: The agent has not joined yet\./u);
  const links: { -readonly [K in keyof WatchedLinks]: WatchedLinks[K] } = {
    sessions: [],
    problem: new BowlineError("Forbidden", "The key of this agent was revoked."),
  };
  health.watch(links);
  expect(await ask("/readyz?verbose")).toContain("The key of this agent was revoked.");
  beats.inc();
  expect(await ask("/metrics")).toMatch(/^bowline_agent_beats_total 1$/mu);
  expect(await ask("/")).toMatch(/^404 There are \/healthz/u);
  stopping.abort(new BowlineError("Cancelled", "Shutting down."));
  expect(await ask("/readyz")).toContain("[-]running failed: Shutting down.");
  expect(await ask("/healthz")).toMatch(/^200/u);
});

test("an address that is taken is told", async () => {
  const { live, ready } = new AgentHealth(systemClock, new AbortController().signal);
  const metrics = new Metrics({ version: "1.2.3", revision: "x" });
  const options = { host: "127.0.0.1", live, ready, metrics };
  const first = new HealthPage({ ...options, port: 0 });
  const port = Number((await first.listen()).split(":")[1]);
  onTestFinished(() => first.close());
  await expect(new HealthPage({ ...options, port }).listen()).rejects.toMatchObject({
    message: expect.stringMatching(
      /: another program listens there; stop it, or choose another address with --health-listen or BOWLINE_HEALTH_LISTEN\.$/u,
    ),
  });
});
