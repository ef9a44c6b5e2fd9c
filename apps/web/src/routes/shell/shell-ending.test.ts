import { expect, test } from "vitest";

import { failureOf } from "../../kube/testing/fake-link.ts";
import { shellEnding } from "./shell-ending.ts";

test.each([
  [{ phase: "open" } as const, undefined],
  [{ phase: "connecting" } as const, undefined],
  [{ phase: "exited", code: 0 } as const, "The shell has ended"],
  [{ phase: "exited", code: 3 } as const, "The shell has ended with code 3"],
  [{ phase: "noShell" } as const, "This container has no shell"],
  [{ phase: "refused", failure: failureOf(403), hasRun: false } as const, "You may not open a shell here"],
  [
    { phase: "refused", failure: failureOf(403), hasRun: true } as const,
    "Your access has ended, and the shell with it",
  ],
  [{ phase: "refused", failure: failureOf(401), hasRun: false } as const, "Your session is over"],
  [{ phase: "refused", failure: failureOf(404), hasRun: false } as const, "The pod is gone"],
  [{ phase: "waiting", retryAtMs: 0, failure: undefined } as const, "The connection was lost"],
  [{ phase: "waiting", retryAtMs: 0, failure: failureOf(503) } as const, "The cluster's agent is offline"],
  [{ phase: "waiting", retryAtMs: 0, failure: failureOf(500) } as const, "The cluster cannot be reached"],
])("%j is told as %j", (state, title) => {
  expect(shellEnding(state)?.title).toBe(title);
});
