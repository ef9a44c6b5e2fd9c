import { seededRandom } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { encodeFacts, factsDigest } from "../model/encode-facts.ts";
import { kindFacts } from "./kinds.ts";
import { samplePod } from "./testing/samples.ts";

const pod = kindFacts({ group: "", kind: "Pod" });

function digestOf(object: unknown): string {
  return factsDigest(encodeFacts(pod.facts(object))).toString("hex");
}

const text = JSON.stringify(samplePod());

/** The pod with one of its texts replaced. */
function changed(from: string, to: string): unknown {
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to));
}

describe("what changes about a pod all the time changes none of its facts", () => {
  test.each([
    ["its version", '"resourceVersion":"4711"', '"resourceVersion":"4712"'],
    ["who wrote it when", '"time":"2026-11-16T10:00:05Z"', '"time":"2026-11-16T10:05:00Z"'],
    ["annotations of programs", '"prometheus.io/scrape":"true"', '"example.com/seen":"10:05"'],
    ["times of conditions", '"lastTransitionTime":"2026-11-16T10:00:05Z"', '"lastTransitionTime":"now"'],
    ["whether it is ready", '"type":"Ready","status":"True"', '"type":"Ready","status":"False"'],
    ["restarts", '"restartCount":0', '"restartCount":7'],
    ["when a container was started", '"startedAt":"2026-11-16T10:00:03Z"', '"startedAt":"now"'],
    ["which container it is for the runtime", "containerd://1", "containerd://2"],
    ["literal values of variables", '"value":"info"', '"value":"debug"'],
  ])("%s", (_what, from, to) => {
    expect(digestOf(changed(from, to))).toBe(digestOf(samplePod()));
  });
});

describe("facts change with", () => {
  test.each([
    ["the phase", '"phase":"Running"', '"phase":"Failed"'],
    ["the image that runs", `sha256:${"ab".repeat(32)}`, `sha256:${"00".repeat(32)}`],
    ["a label", '"app.kubernetes.io/name":"checkout"', '"app.kubernetes.io/name":"other"'],
    ["the key that is read", '"key":"password"', '"key":"user"'],
    [
      "that it is being deleted",
      '"resourceVersion":',
      '"deletionTimestamp":"2026-11-16T10:05:00Z","resourceVersion":',
    ],
  ])("%s", (_what, from, to) => {
    expect(digestOf(changed(from, to))).not.toBe(digestOf(samplePod()));
  });
});

test("the order in which fields are written changes nothing", () => {
  const random = seededRandom(14);
  for (let round = 0; round < 50; round++) {
    expect(digestOf(shuffled(samplePod(), random))).toBe(digestOf(samplePod()));
  }
});

/** The same value with the fields of each object in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, part]) => ({ at: random(), name, part }));
  const inOrder = fields.toSorted((a, b) => a.at - b.at);
  return Object.fromEntries(inOrder.map(({ name, part }) => [name, shuffled(part, random)]));
}
