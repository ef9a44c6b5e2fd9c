import { describe, expect, test } from "vitest";

import { healthFacts } from "./facts/health-facts.ts";
import { judge } from "./judge.ts";
import { judgeTree, type JudgedObject } from "./judge-tree.ts";
import { verdict, type Health } from "./verdict.ts";

function judged(kind: string, name: string, health: Health, reason: string = health): JudgedObject {
  return { kind, name, verdict: verdict(health, reason, `${name} says ${reason}`) };
}

const rolling = judged("Deployment", "web", "Progressing", "RollingOut");
const pulling = judged("Pod", "web-2", "Degraded", "ImagePullBackOff");

describe("an object with those it owns", () => {
  test.each<[string, JudgedObject, JudgedObject[], readonly [Health, string, string]]>([
    ["alone is as it is", rolling, [], ["Progressing", "RollingOut", "web says RollingOut."]],
    [
      "that waits for a pod in trouble has the pod's reason",
      rolling,
      [judged("ReplicaSet", "web-a", "Progressing"), judged("Pod", "web-1", "Progressing"), pulling],
      ["Degraded", "ImagePullBackOff", "Pod web-2: web-2 says ImagePullBackOff."],
    ],
    [
      "that is stuck for long has the pod's reason too",
      judged("Deployment", "web", "Degraded", "ProgressDeadlineExceeded"),
      [pulling],
      ["Degraded", "ImagePullBackOff", "Pod web-2: web-2 says ImagePullBackOff."],
    ],
    [
      "says how many are in the same trouble",
      rolling,
      [
        pulling,
        judged("Pod", "web-3", "Degraded", "ImagePullBackOff"),
        judged("Pod", "web-1", "Degraded", "Other"),
      ],
      ["Degraded", "Other", "Pod web-1: web-1 says Other."],
    ],
    [
      "names the first of those in the same trouble",
      rolling,
      [judged("Pod", "web-3", "Degraded", "ImagePullBackOff"), pulling],
      ["Degraded", "ImagePullBackOff", "Pod web-2 and 1 more: web-2 says ImagePullBackOff."],
    ],
    [
      "takes the words of a ReplicaSet where there are no pods",
      rolling,
      [judged("ReplicaSet", "web-a", "Degraded", "QuotaExceeded")],
      ["Degraded", "QuotaExceeded", "ReplicaSet web-a: web-a says QuotaExceeded."],
    ],
    [
      "prefers a pod to what made it",
      rolling,
      [judged("Job", "a", "Degraded", "Failed"), pulling],
      ["Degraded", "ImagePullBackOff", "Pod web-2: web-2 says ImagePullBackOff."],
    ],
    [
      "on its way with pods on their way keeps its own words",
      rolling,
      [judged("Pod", "web-1", "Progressing", "ContainerCreating")],
      ["Progressing", "RollingOut", "web says RollingOut."],
    ],
    [
      "that waits for a pod whose probe fails has the probe as its reason, and is as it was",
      rolling,
      [
        judged("Pod", "web-1", "Progressing", "ContainerCreating"),
        judged("Pod", "web-2", "Progressing", "ReadinessProbeFailing"),
        judged("Pod", "web-3", "Progressing", "ReadinessProbeFailing"),
        judged("Pod", "web-4", "Healthy", "Ready"),
      ],
      ["Progressing", "ReadinessProbeFailing", "Pod web-2 and 1 more: web-2 says ReadinessProbeFailing."],
    ],
    [
      "that is stuck for long because a probe fails has the probe as its reason too",
      judged("Deployment", "web", "Degraded", "ProgressDeadlineExceeded"),
      [judged("Pod", "web-1", "Progressing", "StartupProbeFailing")],
      ["Degraded", "StartupProbeFailing", "Pod web-1: web-1 says StartupProbeFailing."],
    ],
    [
      "that is healthy is not made ill by a pod on its way out",
      judged("Deployment", "web", "Healthy", "Available"),
      [pulling],
      ["Healthy", "Available", "web says Available."],
    ],
    [
      "at rest stays at rest",
      judged("CronJob", "backup", "Suspended"),
      [pulling],
      ["Suspended", "Suspended", "backup says Suspended."],
    ],
    [
      "of which nothing is known is as those it owns",
      judged("Widget", "w", "Unknown"),
      [judged("Pod", "w-1", "Healthy", "Ready")],
      ["Healthy", "Ready", "Pod w-1: w-1 says Ready."],
    ],
  ])("%s", (_, root, derived, [health, reason, message]) => {
    const expected = { health, reason, message };
    expect(judgeTree(root, derived)).toEqual(expected);
    expect(judgeTree(root, derived.toReversed())).toEqual(expected);
  });

  test("a Deployment whose image cannot be pulled says so, as its facts tell", () => {
    const deployment = judge(
      healthFacts({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", generation: 2 },
        spec: { replicas: 1 },
        status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1 },
      }),
    );
    const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "nginx:nope"' };
    const pod = judge(
      healthFacts({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web-1" },
        status: { phase: "Pending", containerStatuses: [{ name: "web", ready: false, state: { waiting } }] },
      }),
    );
    const whole = judgeTree({ kind: "Deployment", name: "web", verdict: deployment }, [
      { kind: "Pod", name: "web-1", verdict: pod },
    ]);
    expect(deployment.health).toBe("Progressing");
    expect(whole).toMatchObject({ health: "Degraded", reason: pod.reason });
    expect(whole.message).toContain("nginx:nope");
    expect(whole.message).toContain("Pod web-1");
  });
});
