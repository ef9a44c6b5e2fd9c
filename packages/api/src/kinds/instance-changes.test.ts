import { describe, expect, test } from "vitest";

import { initialStatus } from "../kind/validate-write.ts";
import {
  approveChange,
  isApproved,
  resumeChange,
  revisionBefore,
  rollbackChange,
} from "./instance-changes.ts";
import { workloadDefaults } from "../testing/workload-defaults.ts";
import type { RolloutStatus } from "./rollout.ts";
import { WorkloadInstance } from "./workload-instance.ts";

const id = (letter: string): string => `sha256:${letter.repeat(64)}`;
const [older, newer, newest] = [id("a"), id("b"), id("c")];
const revisions = [
  { id: newest, current: true },
  { id: newer, current: false },
  { id: older, current: false },
];

type Instance = Pick<WorkloadInstance, "spec" | "status">;

function instance(
  change: Partial<WorkloadInstance["spec"]> = {},
  rollout: Partial<RolloutStatus> = {},
): Instance {
  return {
    spec: {
      definition: "web",
      placement: { clusters: ["one"] },
      ...workloadDefaults(),
      namespace: "shop",
      ...change,
    },
    status: {
      ...initialStatus(WorkloadInstance),
      conditions: [],
      clusters: [],
      clusterCount: 0,
      readyCount: 0,
      revision: newest,
      rollout: {
        change: newest,
        revision: newest,
        phase: "Progressing",
        wave: 2,
        waveCount: 3,
        underWay: [],
        failed: [],
        ...rollout,
      },
    },
  };
}

describe("An agreement", () => {
  test("is to the revision, and to the wave that waits", () => {
    const waiting = instance({}, { phase: "WaitingForApproval" });
    expect(approveChange(waiting, newest)).toEqual({ approved: { revision: newest, wave: 2 } });
    expect(approveChange(instance(), newest)).toEqual({ approved: { revision: newest } });
  });

  test("to one wave is none to the next, and what was agreed to for another revision is taken back", () => {
    const agreed = { approved: { revision: newest, wave: 1, failures: 3 } };
    const waiting = instance(agreed, { phase: "WaitingForApproval" });
    expect(isApproved(waiting, newest)).toBe(false);
    expect(isApproved(instance(agreed), newest)).toBe(true);
    expect(isApproved(instance(), newest)).toBe(false);
    expect(approveChange(waiting, newest)).toEqual({ approved: { revision: newest, wave: 2, failures: 3 } });
    expect(approveChange(instance({ approved: { revision: newer, wave: 1 } }), newest)).toEqual({
      approved: { revision: newest, wave: null },
    });
  });
});

describe("To go on", () => {
  test("takes away what somebody has paused, and lets the failures be that there are", () => {
    expect(resumeChange(instance({ paused: { reason: "night" } }))).toEqual({ paused: null });
    const failed = ["one", "two"];
    expect(resumeChange(instance({}, { phase: "Paused", failed }))).toEqual({
      approved: { revision: newest, failures: 2 },
    });
    expect(resumeChange(instance({ paused: {} }, { phase: "RolledBack", failed }))).toEqual({
      paused: null,
      approved: { revision: newest, failures: 2 },
    });
  });

  test("is nothing where nothing stands still", () => {
    expect(resumeChange(instance())).toBeUndefined();
  });
});

describe("The way back", () => {
  test("is to where the rollout began, or to the one before", () => {
    expect(revisionBefore(instance({}, { from: older }), revisions)?.id).toBe(older);
    expect(revisionBefore(instance(), revisions)?.id).toBe(newer);
    expect(revisionBefore(instance(), revisions.slice(0, 1))).toBeUndefined();
  });

  test("remembers what was left, and takes it again only when somebody goes there", () => {
    expect(rollbackChange(instance(), newer, revisions)).toEqual({
      revision: { pin: newer, rejected: [newest] },
    });
    const back = instance({ revision: { pin: newer, rejected: [older, newest] } });
    expect(rollbackChange(back, older, revisions)).toEqual({
      revision: { pin: older, rejected: [newest] },
    });
  });
});
