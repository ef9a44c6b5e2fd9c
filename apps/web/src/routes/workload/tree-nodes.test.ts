import { readFileSync } from "node:fs";

import type { TreeResource, WorkloadPlacement } from "@bowline/api";
import { expect, test } from "vitest";

import { shortRevision } from "./holds.ts";
import { adviceByReason, adviceFor } from "./reasons.ts";
import { causesIn, isPod, logOwners, treeNodes } from "./tree-nodes.ts";

function resource(kind: string, name: string, changed: Partial<TreeResource> = {}): TreeResource {
  return {
    group: kind === "Pod" ? "" : "apps",
    version: "v1",
    kind,
    namespace: "shop",
    name,
    uid: `${kind}-${name}`,
    depth: 0,
    health: "Healthy",
    healthReason: "",
    healthMessage: "",
    events: [],
    ...changed,
  };
}

const deployment = resource("Deployment", "web", { health: "Degraded" });
const replicaSet = resource("ReplicaSet", "web-1", {
  ownerUid: "Deployment-web",
  depth: 1,
  health: "Progressing",
});
const pod = resource("Pod", "web-1-a", { ownerUid: "ReplicaSet-web-1", depth: 2, health: "Degraded" });

test("objects stand below those that own them, and one whose owner was left off at the top", () => {
  const lost = resource("Pod", "lost", { ownerUid: "ReplicaSet-gone", depth: 2 });
  const nodes = treeNodes({ resources: [deployment, replicaSet, pod, lost] }, []);
  expect(nodes.map(({ resource: { name } }) => name)).toEqual(["web", "lost"]);
  expect(nodes[0]?.children[0]?.children[0]?.resource).toBe(pod);
});

test("the cause of trouble is the object in trouble of whose parts none is", () => {
  const nodes = treeNodes({ resources: [deployment, replicaSet, pod, resource("Service", "web")] }, []);
  expect(causesIn(nodes).map(({ resource: { name } }) => name)).toEqual(["web-1-a"]);
});

test("an object that was refused is a cause, whatever is below it", () => {
  const placed: WorkloadPlacement["status"]["resources"][number] = {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    state: "failed",
    reason: "Forbidden",
    health: "Healthy",
  };
  const nodes = treeNodes({ resources: [{ ...deployment, health: "Healthy" }] }, [placed]);
  expect(nodes[0]?.placed).toBe(placed);
  expect(causesIn(nodes)).toHaveLength(1);
});

test("pods are those of the core group", () => {
  expect([isPod(pod), isPod({ group: "example.com", kind: "Pod" })]).toEqual([true, false]);
});

test("what to do is there for each reason of the documentation, and for no other", () => {
  const page = readFileSync(
    new URL("../../../../../docs/reference/workload-reasons.md", import.meta.url),
    "utf8",
  );
  const table = page.slice(page.indexOf("## Reasons"));
  const reasons = Array.from(table.matchAll(/^\| `(\w+)`/gmu), ([, reason]) => reason);
  expect(Object.keys(adviceByReason)).toEqual(reasons);
});

test("there is no advice for what is no reason", () => {
  expect([adviceFor("constructor"), adviceFor("ImagePullBackOff")]).toEqual([undefined, undefined]);
  expect(adviceFor("NoClusters")).toContain("placement");
});

test("revisions are short enough to read", () => {
  expect(shortRevision(`sha256:${"0123456789abcdef".repeat(4)}`)).toBe("0123456789ab");
  expect(shortRevision(undefined)).toBe("–");
});

test("logs are followed by what selects pods, the Jobs of a CronJob too, and by pods of nobody", () => {
  const cronJob = resource("CronJob", "report");
  const job = resource("Job", "report-1", { ownerUid: "CronJob-report", depth: 1 });
  const worker = resource("Pod", "report-1-x", { ownerUid: "Job-report-1", depth: 2 });
  const alone = resource("Pod", "alone");
  const resources = [deployment, replicaSet, pod, cronJob, job, worker, alone, resource("Service", "web")];
  expect(logOwners(treeNodes({ resources }, [])).map(({ name }) => name)).toEqual([
    "web",
    "report-1",
    "alone",
  ]);
});
