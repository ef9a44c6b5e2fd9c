import { readFileSync } from "node:fs";

import type { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { adviceByReason, isSlow, partDone, troubleOf } from "./making.ts";

const beganMs = Date.parse("2026-11-19T10:00:00Z");
const step = (number: number, of: number, expectedSeconds?: number): Parameters<typeof partDone>[0] => ({
  number,
  of,
  text: "Making it",
  since: new Date(beganMs).toISOString(),
  ...(expectedSeconds === undefined ? {} : { expectedSeconds }),
});

describe("how much is done", () => {
  test.each([
    ["nothing at first", step(1, 4, 60), 0, 0],
    ["half of the first step", step(1, 4, 60), 30, 0.125],
    ["a step that takes longer is not done", step(2, 4, 60), 600, 0.4875],
    ["steps alone, where nobody knows the time", step(3, 4), 600, 0.5],
    ["a clock that is behind", step(2, 4, 60), -600, 0.25],
    ["more steps than were said", step(7, 4, 0), 0, 6 / 7],
    ["a time that is none", { ...step(2, 4, 60), since: "today" }, 0, 0.25],
  ])("%s", (_, told, seconds, part) => {
    expect(partDone(told, beganMs + seconds * 1_000)).toBeCloseTo(part, 6);
  });

  test("is slow after twice the usual time, where that is known", () => {
    expect(isSlow(step(1, 2, 60), beganMs + 119_000)).toBe(false);
    expect(isSlow(step(1, 2, 60), beganMs + 121_000)).toBe(true);
    expect(isSlow(step(1, 2), beganMs + 1e9)).toBe(false);
  });
});

type Status = Cluster["status"];

function statusWith(
  provisioning: Status["provisioning"],
  ...conditions: readonly (readonly [type: string, status: "True" | "False", reason: string])[]
): { status: Status } {
  const time = new Date(beganMs).toISOString();
  return {
    status: {
      ...(provisioning === undefined ? {} : { provisioning }),
      conditions: conditions.map(([type, status, reason]) => ({
        type,
        status,
        reason,
        message: `About ${reason}.`,
        lastTransitionTime: time,
        observedGeneration: 1,
      })),
    },
  };
}

describe("what is in the way", () => {
  test("nothing, while it goes on and when it is there", () => {
    expect(troubleOf(statusWith(undefined))).toBeUndefined();
    expect(
      troubleOf(
        statusWith(
          { state: "Creating" },
          ["Progress", "True", "Creating"],
          ["Provisioned", "False", "Creating"],
        ),
      ),
    ).toBeUndefined();
    expect(
      troubleOf(statusWith({ state: "Ready" }, ["AgentConnected", "False", "WaitingForJoin"])),
    ).toBeUndefined();
  });

  test("a person who is waited for is told what for, and what to do", () => {
    expect(troubleOf(statusWith({ state: "Blocked" }, ["Progress", "False", "QuotaTooLow"]))).toEqual({
      reason: "QuotaTooLow",
      message: "About QuotaTooLow.",
      advice: adviceByReason["QuotaTooLow"],
    });
    const other = troubleOf(statusWith({ state: "Blocked" }, ["Progress", "False", "constructor"]));
    expect(other).toMatchObject({
      reason: "constructor",
      advice: expect.stringMatching(/^Do what the message/u),
    });
  });

  test.each([
    ["Lost", statusWith({ state: "Lost" }, ["Progress", "False", "Lost"]), /create it anew/u],
    [
      "LeftOver",
      statusWith({ state: "Deleting", leftOver: ["vpc-1"] }, ["Progress", "True", "LeftOver"]),
      /by hand/u,
    ],
    [
      "ProviderUnavailable",
      statusWith(undefined, ["Provisioned", "False", "ProviderUnavailable"]),
      /set the provider up/u,
    ],
    [
      "AgentCrashes",
      statusWith(
        { state: "Joining" },
        ["Provisioned", "True", "Provisioned"],
        ["AgentConnected", "False", "AgentCrashes"],
      ),
      /logs of its pod/u,
    ],
  ])("%s", (reason, cluster, advice) => {
    expect(troubleOf(cluster)).toMatchObject({ reason, advice: expect.stringMatching(advice) });
  });

  test("every reason that there is advice for is in the reference", () => {
    const pages = ["provisioning.md", "provider-program.md"].map((page) =>
      readFileSync(new URL(`../../../../../docs/reference/${page}`, import.meta.url), "utf8"),
    );
    expect(Object.keys(adviceByReason).filter((reason) => !pages.join("").includes(`\`${reason}\``))).toEqual(
      [],
    );
  });
});
