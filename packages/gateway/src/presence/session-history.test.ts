import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import type { RegistryListener } from "../session/agent-registry.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { SessionHistory } from "./session-history.ts";

function session(cluster: string, id: string): AgentSession {
  const fields = { id, agent: { clusterName: cluster }, openedAtMs: 1 };
  return fields as unknown as AgentSession;
}

function start(): { history: SessionHistory; listener: RegistryListener; clock: ManualClock } {
  const clock = new ManualClock();
  let listener: RegistryListener | undefined;
  const history = new SessionHistory({ subscribe: (given) => (listener = given) }, clock);
  if (listener === undefined) throw new Error("It did not ask to be told.");
  return { history, listener, clock };
}

test("keeps how the last sessions of a cluster ended, the latest first", async () => {
  const { history, listener, clock } = start();
  listener.closed(session("edge", "s0"), "left");
  await clock.advance(1_000);
  for (let n = 1; n <= 5; n++) listener.closed(session("edge", `s${n}`), "silent");
  listener.closed(session("prod", "p"), "revoked");
  expect(history.of("edge").map(({ id }) => id)).toEqual(["s5", "s4", "s3", "s2", "s1"]);
  expect(history.of("edge")[0]).toMatchObject({ end: "silent", openedAtMs: 1, endedAtMs: clock.now() });
  expect(history.of("prod")).toMatchObject([{ id: "p", end: "revoked" }]);
  expect(history.of("other")).toEqual([]);
});

test("forgets the cluster that has been quiet for longest", () => {
  const { history, listener } = start();
  for (let n = 0; n <= 1_000; n++) listener.closed(session(`c${n}`, "s"), "lost");
  expect(history.of("c0")).toEqual([]);
  expect(history.of("c1")).toHaveLength(1);
});
