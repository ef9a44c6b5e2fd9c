import { text } from "node:stream/consumers";

import { resources, streamPodLog } from "@bowline/kube";
import { expect, it } from "vitest";

import { pod, type Pod } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

const { pods } = resources;

/** What containers write, for clusters where containers run. */
export function podLogsContract(cluster: () => RunningTarget): void {
  it("end with the lines that were written last", async () => {
    const { client, namespace } = await runningPod();
    const target = { namespace, name: "a" };
    const all = (await text(await streamPodLog(client, target))).trimEnd().split("\n");
    expect(all.length).toBeGreaterThan(1);
    const last = await text(await streamPodLog(client, { ...target, tailLines: 1 }));
    expect(last).toBe(`${all.at(-1)}\n`);
    expect(await text(await streamPodLog(client, { ...target, tailLines: 0 }))).toBe("");
    const stamped = await text(await streamPodLog(client, { ...target, tailLines: 1, timestamps: true }));
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  });

  it("of the run before need a run before", async () => {
    const { client, namespace } = await runningPod();
    await expect(streamPodLog(client, { namespace, name: "a", previous: true })).rejects.toMatchObject({
      code: "BadRequest",
      message: expect.stringContaining('previous terminated container "web" in pod "a" not found'),
    });
  });

  it("of the run before show how it ended, after a restart", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    const annotations = { "kubesim.bowline.dev/behaviour": "crash-loop" };
    await client.create(pods, pod({ namespace, name: "a", annotations }));
    await untilIs<Pod>({ ...space, resource: pods, name: "a" }, ({ status }) => restarts(status) > 0);
    const before = await text(await streamPodLog(client, { namespace, name: "a", previous: true }));
    expect(before.trimEnd().split("\n").at(-1)).toContain("exit status");
  });

  async function runningPod(): Promise<Sandbox> {
    const space = await sandbox(cluster());
    await space.client.create(pods, pod({ namespace: space.namespace, name: "a" }));
    await untilIs<Pod>(
      { ...space, resource: pods, name: "a" },
      ({ status }) => status?.phase === "Running" && restarts(status) === 0,
    );
    return space;
  }
}

function restarts(status: Pod["status"]): number {
  const [first] = (status?.["containerStatuses"] ?? []) as { restartCount: number }[];
  return first?.restartCount ?? 0;
}
