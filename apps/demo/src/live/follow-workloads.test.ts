import { WorkloadPlacement, type EventRecord, type StatusOf } from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import type { ChangeEvent, Client, ReadObject } from "@bowline/client";
import { readObject } from "@bowline/client/testing";
import { expect, test } from "vitest";

import { sampleState } from "../testing/sample-state.ts";
import { Board } from "./demo-state.ts";
import { EventFollower, workloadState } from "./follow-workloads.ts";

const at = "2026-01-02T09:30:00.000Z";

function record(id: string, change: Partial<EventRecord> = {}): EventRecord {
  return {
    id,
    type: "Warning",
    reason: "BackOff",
    message: "Back-off \u001B[31mpulling\nimage",
    regarding: { kind: "Pod", name: `reports-${id}`, cluster: "cloud" },
    instance: "reports",
    source: "kubernetes",
    count: 1,
    firstSeenAt: at,
    lastSeenAt: at,
    ...change,
  };
}

type Status = Partial<StatusOf<typeof WorkloadPlacement>>;

function placement(status: Status, generation = 1): ReadObject<typeof WorkloadPlacement> {
  const made = returnedObject(WorkloadPlacement, {
    metadata: { name: "reports-1" },
    spec: {
      instance: "reports",
      cluster: "cloud",
      definition: "reports",
      revision,
      actingUser: { user: "editor", method: "token", groups: [] },
    },
  });
  return readObject(WorkloadPlacement, {
    ...made,
    metadata: { ...made.metadata, generation },
    status: { ...made.status, ...status },
  });
}

const revision = `sha256:${"0".repeat(64)}`;

const ready = (
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
): Pick<Status, "conditions"> => ({
  conditions: [{ type: "Ready", status, reason, message, lastTransitionTime: at, observedGeneration: 1 }],
});

test("a workload is told with the reason that its cluster has, made harmless", () => {
  const applying = { health: "Progressing", reason: "Applying", message: "" };
  expect(workloadState(placement({ health: "Unknown" }))).toMatchObject(applying);
  const waiting = ready("Unknown", "Progressing", "Healthy is not known yet.");
  expect(workloadState(placement({ ...waiting, health: "Unknown", revision }))).toMatchObject(applying);
  const refused = ready("False", "NotGranted", "Nobody lets the editor in.");
  expect(workloadState(placement(refused))).toMatchObject({ health: "Unknown", reason: "NotGranted" });
  const broken = ready("False", "ImagePullBackOff", "no \u001B]0;such\u0007 image");
  expect(workloadState(placement({ ...broken, revision, health: "Degraded" }))).toMatchObject({
    health: "Degraded",
    reason: "ImagePullBackOff",
    message: "no ?]0;such? image",
  });
  const well: Status = { ...ready("True", "Ready", "All is well."), revision, health: "Healthy" };
  expect(workloadState(placement(well))).toMatchObject({ health: "Healthy", reason: "", message: "" });
  expect(workloadState(placement(well, 2))).toMatchObject({ health: "Healthy", reason: "Applying" });
});

test("events are told once, also when everything is listed again, and only those of workloads", async () => {
  const board = new Board(sampleState());
  const { signal } = new AbortController();
  const { instance: _, ...ofServer } = record("3");
  let listed: EventRecord[] = [record("2"), record("1")];
  let changes: ChangeEvent<EventRecord>[] = [
    { type: "MODIFIED", object: record("1", { count: 3 }) },
    { type: "ADDED", object: ofServer },
    { type: "DELETED", object: record("2") },
  ];
  const client: Pick<Client, "listEvents" | "watchEvents" | "watch"> = {
    listEvents: async () => ({ items: listed, metadata: { total: listed.length, resourceVersion: "7" } }),
    async *watchEvents(_, { since } = {}) {
      expect(since).toBe("7");
      yield* changes;
    },
    watch: () => {
      throw new Error("Nobody asks for it.");
    },
  };
  const follower = new EventFollower({ client, board, signal });
  await follower.follow();
  expect(board.state.events).toMatchObject([
    { reason: "BackOff", count: 4, message: "Back-off ?[31mpulling image (Pod reports-1)" },
  ]);
  listed = [record("1", { count: 3 }), record("2")];
  changes = [];
  const before = board.state;
  await follower.follow();
  expect(board.state).toBe(before);
});
