import { stripVTControlCharacters } from "node:util";

import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { FakeTerminal } from "../testing/fake-terminal.ts";
import { LiveObjects } from "../testing/live-objects.ts";
import {
  condition,
  revisionOne,
  revisionTwo,
  webDefinition,
  webInstance,
  webPlacement,
} from "../testing/sample-rollout.ts";
import { waitForRollout } from "./follow-rollout.ts";
import { RolloutProgress } from "./rollout-progress.ts";
import { rolloutLines, type RolloutState } from "./rollout.ts";

const inEast = {
  cluster: "east",
  resourceCount: 1,
  healthyCount: 1,
  ready: "True",
  revision: revisionOne,
} as const;
const ready = {
  conditions: [condition("Ready", "True")],
  clusterCount: 1,
  readyCount: 1,
  clusters: [inEast],
};

interface Waiting {
  readonly objects: LiveObjects;
  readonly clock: ManualClock;
  readonly states: RolloutState[];
  readonly end: Promise<RolloutState>;
}

function wait(
  objects: LiveObjects,
  options: { readonly timeoutMs?: number; readonly untilStuck?: boolean } = {},
): Waiting {
  const clock = new ManualClock();
  const states: RolloutState[] = [];
  const end = waitForRollout("web", {
    client: objects.client,
    clock,
    signal: new AbortController().signal,
    timeoutMs: options.timeoutMs ?? 60_000,
    untilStuck: options.untilStuck ?? true,
    onChange: (_rollout, state) => states.push(state),
  });
  end.catch(() => undefined);
  return { objects, clock, states, end };
}

function live(...parts: readonly Parameters<LiveObjects["set"]>[0][]): LiveObjects {
  const objects = new LiveObjects();
  for (const object of parts) objects.set(object);
  return objects;
}

describe("waitForRollout", () => {
  test("is over at once when everything is as the definition says", async () => {
    const { end } = wait(live(webDefinition(revisionOne), webInstance(ready), webPlacement("east", {})));
    expect(await end).toMatchObject({ state: "ready" });
  });

  test("is not taken in by an instance that is still ready with the revision before", async () => {
    const waiting = wait(live(webDefinition(revisionOne, {}, 2), webInstance(ready)));
    await expect.poll(() => waiting.states.at(-1)?.reason).toBe("Resolving");
    const observed = { conditions: [condition("Ready", "True", { observedGeneration: 2 })] };
    waiting.objects.set(webDefinition(revisionTwo, observed, 2));
    await expect.poll(() => waiting.states.at(-1)?.message).toBe("1 of 1 clusters have another revision");
    waiting.objects.set(webInstance({ ...ready, clusters: [{ ...inEast, revision: revisionTwo }] }));
    expect(await waiting.end).toMatchObject({ state: "ready" });
  });

  test("after a rollback is over with the revision that it went back to, until there is another", async () => {
    const back = { revision: { pin: revisionOne, rejected: [revisionTwo] } };
    const placement = webPlacement("east", {});
    const { end } = wait(live(webDefinition(revisionTwo), webInstance(ready, back), placement));
    expect(await end).toMatchObject({ state: "ready" });
    const third = `sha256:${"3".repeat(64)}`;
    const waiting = wait(live(webDefinition(third), webInstance(ready, back), placement));
    await expect.poll(() => waiting.states.at(-1)?.message).toBe("1 of 1 clusters have another revision");
    waiting.objects.set(webInstance({ ...ready, clusters: [{ ...inEast, revision: third }] }, back));
    expect(await waiting.end).toMatchObject({ state: "ready" });
  });

  test("gives up at once on what a cluster refuses of this revision, not of the one before", async () => {
    const refused = {
      conditions: [condition("Ready", "False", { reason: "ApplyFailed", message: "east: refused." })],
    };
    const failed = (reason: string) =>
      ({
        group: "",
        version: "v1",
        kind: "ConfigMap",
        name: reason,
        state: "failed",
        health: "Unknown",
        reason,
      }) as const;
    const definition = webDefinition(revisionTwo);
    const waiting = wait(
      live(
        definition,
        webInstance(refused),
        webPlacement("east", { ...refused, resources: [failed("Invalid")] }),
      ),
    );
    await expect
      .poll(() => waiting.states.at(-1))
      .toMatchObject({ state: "progressing", reason: "ApplyFailed" });
    waiting.objects.set(webDefinition(revisionOne));
    await expect(waiting.end).rejects.toMatchObject({ code: "ReconcileStalled", message: /east: refused/u });
    const mixed = [failed("Invalid"), failed("Unavailable")];
    const mayPass = wait(
      live(
        webDefinition(revisionOne),
        webInstance(refused),
        webPlacement("east", { ...refused, resources: mixed }),
      ),
    );
    await expect.poll(() => mayPass.states.at(-1)?.state).toBe("progressing");
  });

  test("gives up when the time is over, with the reason", async () => {
    const degraded = [
      condition("Ready", "False", { reason: "Degraded", message: "east: the image is gone." }),
    ];
    const { clock, states, end } = wait(
      live(webDefinition(revisionOne), webInstance({ conditions: degraded })),
    );
    await expect.poll(() => states.length).toBeGreaterThan(0);
    await clock.armed(60_000);
    await clock.advance(60_000);
    await expect(end).rejects.toMatchObject({
      code: "Timeout",
      message: "Gave up waiting for workloadinstance/web: Degraded: east: the image is gone.",
    });
  });

  test("does not wait for what only a person can end, unless told to", async () => {
    const held = [
      condition("Ready", "False", { reason: "WaitingForApproval", message: "somebody else wrote it." }),
    ];
    const objects = live(webDefinition(revisionOne), webInstance({ conditions: held }));
    await expect(wait(objects).end).rejects.toMatchObject({
      code: "ReconcileStalled",
      message:
        "There is no use in waiting for workloadinstance/web: WaitingForApproval: somebody else wrote it.",
    });
    const patient = wait(objects, { untilStuck: false });
    await expect.poll(() => patient.states.at(-1)?.state).toBe("stuck");
    objects.set(webInstance(ready));
    expect(await patient.end).toMatchObject({ state: "ready" });
  });

  test("ends when the instance is deleted, or was never there", async () => {
    const objects = live(webDefinition(revisionOne), webInstance({}));
    const { end, states } = wait(objects);
    await expect.poll(() => states.length).toBeGreaterThan(0);
    objects.delete(webInstance({}));
    await expect(end).rejects.toMatchObject({
      code: "NotFound",
      message: 'Somebody deleted WorkloadInstance "web".',
    });
    await expect(wait(new LiveObjects()).end).rejects.toMatchObject({ code: "NotFound" });
  });

  test("looks once when there is no time to wait", async () => {
    const objects = live(webDefinition(revisionOne), webInstance({}));
    await expect(wait(objects, { timeoutMs: 0 }).end).rejects.toMatchObject({ code: "Timeout" });
    objects.set(webInstance(ready));
    expect(await wait(objects, { timeoutMs: 0 }).end).toMatchObject({ state: "ready" });
  });
});

const deployment = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
} as const;
const pulling = { state: "applied", health: "Degraded", healthReason: "ImagePullFailed" } as const;

function lines(healthMessage: string): ReturnType<typeof rolloutLines> {
  const conditions = [condition("Applied", "True")];
  const resources = [
    { ...deployment, ...pulling, healthMessage },
    {
      group: "",
      version: "v1",
      kind: "Namespace",
      name: "shop",
      state: "applied",
      health: "Healthy",
    } as const,
  ];
  const east = {
    ...inEast,
    ready: "False",
    reason: "Degraded",
    message: "the image is gone",
    healthyCount: 0,
  } as const;
  const west = { ...inEast, cluster: "west" };
  return rolloutLines({
    instance: webInstance({ clusters: [west, east] }),
    definition: undefined,
    placements: new Map([["a", webPlacement("east", { conditions, resources })]]),
  });
}

test("what runs before the current revision arrives is not shown as ready", () => {
  const placement = webPlacement("east", {
    conditions: [condition("Applied", "True")],
    resources: [{ ...deployment, state: "applied", health: "Healthy" }],
  });
  const rollout = { instance: webInstance(ready), placements: new Map([["a", placement]]) };
  expect(rolloutLines({ ...rollout, definition: webDefinition(revisionTwo) })).toEqual([
    { key: "east", subject: "east", state: "Progressing", why: "It has another revision." },
  ]);
  expect(rolloutLines({ ...rollout, definition: webDefinition(revisionOne) })).toHaveLength(2);
});

describe("progress", () => {
  test("is a line for each change where nobody watches", () => {
    const terminal = new FakeTerminal();
    const progress = new RolloutProgress(terminal, (_, text) => text);
    progress.show(lines("no such tag"));
    progress.show(lines("no such tag"));
    progress.show(lines("not\u001B[2J allowed"));
    expect(terminal.errors.split("\n")).toEqual([
      "east: Degraded, the image is gone (0 of 1 resources are healthy)",
      "east: Deployment shop/web: Degraded, ImagePullFailed, no such tag",
      "east: Namespace shop: Healthy",
      "west: Ready, 1 of 1 resources are healthy",
      String.raw`east: Deployment shop/web: Degraded, ImagePullFailed, not\u001b[2J allowed`,
      "",
    ]);
  });

  test("is written over on a terminal, and no line wraps", () => {
    const terminal = new FakeTerminal({ isTty: true, columns: 40 });
    const progress = new RolloutProgress(terminal, (_, text) => text);
    progress.show(lines("no such tag"));
    const before = terminal.errors.length;
    progress.show(lines("not allowed"));
    const drawn = terminal.errors.slice(before);
    expect(drawn.startsWith("\u001B[4A\u001B[2K")).toBe(true);
    const shown = stripVTControlCharacters(drawn).split("\n");
    expect(shown).toHaveLength(5);
    expect(Math.max(...shown.map((line) => line.length))).toBe(39);
    expect(shown[1]).toBe("east: Deployment shop/web: Degraded, I…");
  });

  test("shows the lines that matter when there are more than fit", () => {
    const terminal = new FakeTerminal({ isTty: true });
    const well = Array.from({ length: 30 }, (_, n) => ({
      key: `${n}`,
      subject: `w${n}`,
      state: "Healthy",
      why: "",
    }));
    const bad = { key: "b", subject: "bad", state: "failed", why: "no" };
    new RolloutProgress(terminal, (_, text) => text).show([...well, bad]);
    expect(terminal.errors).toContain("bad: failed, no");
    expect(terminal.errors).toContain("… and 12 more\n");
    expect(terminal.errors.split("\n")).toHaveLength(21);
  });
});
