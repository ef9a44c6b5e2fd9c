import { ManualClock } from "@bowline/core/testing";
import type { Client } from "@bowline/client";
import { expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { askQuestion } from "./ask-question.ts";

const answer = {
  asOf: "2026-01-01T00:00:00.000Z",
  ageMs: 0,
  clusters: ["east"],
  withheldClusters: 0,
  withheld: 2,
  truncated: false,
  notObserved: [],
  data: { found: true, total: 0, users: [] },
};

test("people whom an answer keeps waiting are told, and nothing of it is left beside the answer", async () => {
  const asked = Promise.withResolvers<typeof answer>();
  const terminal = new FakeTerminal({ isTty: true });
  const clock = new ManualClock(0);
  const askGraph = (() => asked.promise) as unknown as Client["askGraph"];
  const context = fakeContext({ client: { askGraph }, terminal, clock });
  const question = {
    name: "uses" as const,
    query: {},
    table: () => "",
    nodes: () => [],
    whenNone: () => "Nothing\u001B[2J.",
  };
  const printed = askQuestion(context, question, { output: "table", headers: true });
  await clock.armed(1_000);
  expect(terminal.errors).toBe("");
  await clock.advance(1_000);
  expect(terminal.errors).toContain("Waiting for the server's answer …");
  asked.resolve(answer);
  await printed;
  expect(terminal.written).toBe("");
  expect(terminal.errors.split("\u001B[2K").at(-1)).toBe(
    "Nothing\\u001b[2J.\nWithheld: 2 things that your AccessGrants do not let you see.\n",
  );
});
