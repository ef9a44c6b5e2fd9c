import type { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { KubeClient } from "../client/kube-client.ts";
import { EventApi } from "../testing/fake-apis.ts";
import { pod } from "../testing/scripted-server.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
import type { EventInput, KubeEvent } from "./kube-event.ts";

let api: EventApi;
let clock: ManualClock;
let errors: BowlineError[];

beforeEach(() => {
  api = new EventApi();
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  errors = [];
});

function recorderWith(options: Partial<EventRecorderOptions> = {}): EventRecorder {
  return new EventRecorder({
    client: new KubeClient(api),
    reporter: { controller: "bowline.dev/agent", instance: "agent-0" },
    clock,
    random: () => 0,
    onError: (error) => errors.push(error),
    ...options,
  });
}

function warning(note: string, name = "web-0"): EventInput {
  return { regarding: pod(name, "7"), type: "Warning", reason: "FailedApply", action: "Applying", note };
}

function stored(): KubeEvent[] {
  return [...api.events.values()];
}

describe("EventRecorder", () => {
  it("writes an event with all that Kubernetes asks for", async () => {
    const recorder = recorderWith();
    recorder.record({ ...warning("no such field"), related: pod("db-0", "3") });
    await recorder.stop();
    expect(stored()).toEqual([
      {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^web-0\.[0-9a-f]{16}$/), namespace: "shop" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "bowline.dev/agent",
        reportingInstance: "agent-0",
        action: "Applying",
        reason: "FailedApply",
        regarding: {
          apiVersion: "v1",
          kind: "Pod",
          name: "web-0",
          namespace: "shop",
          uid: "uid-web-0",
          resourceVersion: "7",
        },
        related: {
          apiVersion: "v1",
          kind: "Pod",
          name: "db-0",
          namespace: "shop",
          uid: "uid-db-0",
          resourceVersion: "3",
        },
        note: "no such field",
        type: "Warning",
      },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("puts events of objects without a namespace into default", async () => {
    const recorder = recorderWith();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "u" } };
    recorder.record({ ...warning("gone"), regarding: node });
    await recorder.stop();
    expect(stored()[0]?.metadata.namespace).toBe("default");
  });

  it("cuts a note at 1 KiB, between characters", async () => {
    const recorder = recorderWith();
    recorder.record(warning("語".repeat(1000)));
    await recorder.stop();
    const note = stored()[0]?.note ?? "";
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).toMatch(/^語{340}…$/);
  });

  it("counts a repeated event in a series instead of writing it anew", async () => {
    const recorder = recorderWith();
    recorder.record(warning("again"));
    await clock.settle();
    for (let turn = 0; turn < 5; turn++) {
      await clock.advance(1_000);
      recorder.record(warning("again"));
    }
    await clock.settle();
    expect(stored()).toMatchObject([
      { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } },
    ]);
    await clock.advance(30_000);
    expect(stored()).toMatchObject([
      { series: { count: 6, lastObservedTime: "2026-01-01T00:00:05.000000Z" } },
    ]);
    expect(await api.requests.take(3)).toEqual(["POST", "PATCH", "PATCH"]);
    expect(api.requests.pending).toEqual([]);
    await recorder.stop();
  });

  it("writes the last count of a series when it stops", async () => {
    const recorder = recorderWith();
    for (let turn = 0; turn < 4; turn++) {
      recorder.record(warning("again"));
      await clock.settle();
    }
    await recorder.stop();
    expect(stored()).toMatchObject([{ series: { count: 4 } }]);
  });

  it("starts a new event when the last one is more than six minutes ago", async () => {
    const recorder = recorderWith();
    recorder.record(warning("again"));
    await clock.advance(360_001);
    recorder.record(warning("again"));
    await recorder.stop();
    expect(stored()).toHaveLength(2);
  });

  it("starts again when the server has forgotten the event", async () => {
    const recorder = recorderWith();
    recorder.record(warning("again"));
    await clock.settle();
    api.events.clear();
    recorder.record(warning("again"));
    await recorder.stop();
    expect(stored()).toMatchObject([{ series: { count: 2 } }]);
    expect(await api.requests.take(3)).toEqual(["POST", "PATCH", "POST"]);
  });

  it("lets one object have so many events and no more, whatever the others do", async () => {
    const recorder = recorderWith({ burstPerObject: 3, perObjectMs: 10_000 });
    for (let index = 0; index < 5; index++) recorder.record(warning(`note ${index}`));
    recorder.record(warning("another", "web-1"));
    await clock.advance(10_000);
    recorder.record(warning("late"));
    recorder.record(warning("later"));
    await recorder.stop();
    expect(stored().map(({ note }) => note)).toEqual(["note 0", "note 1", "note 2", "another", "late"]);
    expect(recorder.stats()).toMatchObject({ written: 5, dropped: { rateLimited: 3 } });
  });

  it("drops the oldest when more comes than can be written", async () => {
    const recorder = recorderWith({ maxQueued: 3 });
    api.failures.push("cut");
    recorder.record(warning("first"));
    await clock.settle();
    for (let index = 0; index < 5; index++) recorder.record(warning(`note ${index}`));
    expect(recorder.stats()).toMatchObject({ queued: 3, dropped: { overflow: 2 } });
    await clock.advance(1_000);
    expect(stored().map(({ note }) => note)).toEqual(["first", "note 2", "note 3", "note 4"]);
    await recorder.stop();
  });

  it("waits as long as the server asks, and tries again", async () => {
    const recorder = recorderWith();
    api.failures.push({ status: 429, retryAfter: "20" }, "cut");
    recorder.record(warning("busy"));
    await clock.advance(19_999);
    expect(stored()).toEqual([]);
    await clock.advance(3_001);
    expect(stored()).toHaveLength(1);
    await recorder.stop();
  });

  it("gives up an event that the server refuses or cannot take for long, and says so", async () => {
    const recorder = recorderWith();
    api.failures.push({ status: 403 });
    recorder.record(warning("forbidden"));
    await clock.settle();
    api.failures.push("cut", "cut", "cut", "cut", "cut");
    recorder.record(warning("unlucky"));
    recorder.record(warning("fine"));
    await clock.advance(120_000);
    expect(stored().map(({ note }) => note)).toEqual(["fine"]);
    expect(recorder.stats()).toMatchObject({ dropped: { refused: 2 } });
    expect(errors.map(({ code }) => code)).toEqual(["Forbidden", "ConnectionFailed"]);
    await recorder.stop();
  });

  it("never throws into its caller", async () => {
    const recorder = recorderWith();
    const broken: EventInput = {
      ...warning("x"),
      get reason(): string {
        throw new Error("There is none.");
      },
    };
    expect(() => recorder.record(broken)).not.toThrow();
    expect(recorder.stats()).toMatchObject({ dropped: { refused: 1 } });
    await recorder.stop();
    expect(() => recorder.record(warning("too late"))).not.toThrow();
    expect(recorder.stats()).toMatchObject({ dropped: { unflushed: 1 } });
  });

  it("stops within its limit although the server is silent", async () => {
    const recorder = recorderWith();
    api.failures.push("silence");
    recorder.record(warning("one"));
    recorder.record(warning("two"));
    const stopped = recorder.stop(2_000);
    await clock.advance(2_000);
    await stopped;
    expect(recorder.stats()).toMatchObject({ queued: 0, dropped: { unflushed: 2 } });
    expect(clock.pending).toBe(0);
  });
});
