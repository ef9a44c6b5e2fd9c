import { ManualClock } from "@bowline/core/testing";
import type { MetricsAgentStatus } from "@bowline/monitoring";
import { expect, test } from "vitest";

import type { MetricsAgent } from "../objects/kinds.ts";
import type { TargetReport } from "../targets/target-report.ts";
import { AgentStatuses } from "./agent-statuses.ts";

const { signal } = new AbortController();

function agentWith(status: MetricsAgentStatus): MetricsAgent {
  return {
    apiVersion: "monitoring.bowline.dev/v1alpha1",
    kind: "MetricsAgent",
    metadata: { namespace: "shop", name: "main", uid: "1" },
    spec: {},
    status,
  };
}

function reportOf(expected: number): TargetReport {
  const condition = { type: "TargetsFound", status: "True", reason: "Found", message: "" } as const;
  return { total: { expected, without: [], condition }, instances: new Map() };
}

/** A server that holds one status, and writes as slowly as the test wants. */
function open() {
  let stored: MetricsAgentStatus = { conditions: [], replicas: 1 };
  let report = reportOf(1);
  const written: (TargetReport | undefined)[] = [];
  const writes: PromiseWithResolvers<void>[] = [];
  const statuses = new AgentStatuses({
    clock: new ManualClock(),
    family: {
      find: async () => ({ agent: agentWith(stored), unusedFields: [] }),
      writeStatus: async (_agent, status) => {
        const write = Promise.withResolvers<void>();
        writes.push(write);
        await write.promise;
        stored = status;
      },
    },
    targets: { reportOf: () => report, markWritten: (_agent, each) => void written.push(each) },
  });
  const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return {
    statuses,
    written,
    settle,
    stored: () => stored,
    count: (expected: number) => void (report = reportOf(expected)),
    started: () => writes.length,
    finish: async (outcome: "written" | "failed" = "written") => {
      const write = writes.at(-1);
      if (outcome === "written") write?.resolve();
      else write?.reject(new Error("The server is gone."));
      await settle();
    },
  };
}

test("two who write about one agent take turns, and neither puts back what the other wrote", async () => {
  const { statuses, started, finish, settle, stored, count } = open();
  const counted = statuses.writeTargets({ namespace: "shop", name: "main" }, signal);
  await settle();
  expect(started()).toBe(1);
  const reconciled = statuses.write(
    agentWith({ conditions: [], replicas: 1 }),
    { conditions: [], replicas: 3 },
    signal,
  );
  count(2);
  const again = statuses.writeTargets({ namespace: "shop", name: "main" }, signal);
  await settle();
  expect(started()).toBe(1);
  await finish();
  expect(started()).toBe(2);
  await finish();
  expect(stored()).toMatchObject({ replicas: 3, expectedTargets: 2 });
  await finish();
  await Promise.all([counted, reconciled, again]);
  expect(stored()).toMatchObject({ replicas: 3, expectedTargets: 2, conditions: [{ type: "TargetsFound" }] });
});

test("what could not be written does not count as written, and the next one has its turn", async () => {
  const { statuses, finish, settle, written, stored } = open();
  const failing = statuses.writeTargets({ namespace: "shop", name: "main" }, signal);
  const next = statuses.writeTargets({ namespace: "shop", name: "main" }, signal);
  await settle();
  await Promise.all([expect(failing).rejects.toThrow("The server is gone."), finish("failed")]);
  expect(written).toEqual([]);
  await finish();
  await next;
  expect(written).toEqual([reportOf(1)]);
  expect(stored()).toMatchObject({ expectedTargets: 1 });
});
