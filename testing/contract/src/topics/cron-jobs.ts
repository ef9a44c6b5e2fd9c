import { resources, type KubeObject, type ResourceRef } from "@bowline/kube";
import { expect, it } from "vitest";

import { podTemplate } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { apiVersionOf, servedResource } from "../served-resource.ts";
import { standInKubelet } from "../stand-in-kubelet.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

const { coreEvents, jobs, pods } = resources;

interface CronJob extends KubeObject {
  status?: { active?: { kind: string; name: string; uid: string }[]; lastScheduleTime?: string };
}

/** Jobs at set times. No test waits for one: a CronJob that was last served long ago is overdue. */
export function cronJobsContract(cluster: () => RunningTarget): void {
  it("start a Job of their own when one is overdue", async () => {
    const { space, cronJobs } = await overdue();
    const started = await untilIs<CronJob>(
      { ...space, resource: cronJobs, name: "tick" },
      ({ status }) => (status?.active?.length ?? 0) > 0,
    );
    const [active] = started.status?.active ?? [];
    expect(active).toMatchObject({ kind: "Job", name: expect.stringMatching(/^tick-\d+$/) });
    expect(Date.parse(started.status?.lastScheduleTime ?? "") % 60_000).toBe(0);
    const job = await space.client.get(jobs, { namespace: space.namespace, name: active?.name ?? "" });
    expect(job).toMatchObject({
      metadata: {
        uid: active?.uid,
        labels: { made: "by-template" },
        annotations: { why: "contract" },
        ownerReferences: [{ kind: "CronJob", name: "tick", controller: true, blockOwnerDeletion: true }],
      },
      spec: { completions: 1, parallelism: 1, backoffLimit: 2 },
    });
    await expect.poll(() => reasons(space)).toContain("SuccessfulCreate");
  });

  it("notice when the Job is complete", async () => {
    const { space, cronJobs } = await overdue();
    using _kubelet = await standInKubelet(cluster(), space);
    await expect.poll(() => reasons(space), { timeout: 60_000 }).toContain("SawCompletedJob");
    const idle = await untilIs<CronJob>(
      { ...space, resource: cronJobs, name: "tick" },
      ({ status }) => status?.lastScheduleTime !== undefined && status.active === undefined,
    );
    expect(idle.status).not.toHaveProperty("active");
    const { items } = await space.client.list(pods, { namespace: space.namespace });
    expect(items[0]?.metadata.labels).toMatchObject({ "job-name": expect.stringMatching(/^tick-\d+$/) });
  });

  async function overdue(): Promise<{ space: Sandbox; cronJobs: ResourceRef }> {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    const cronJobs = await servedResource(client, "batch", "CronJob");
    const template = { spec: { ...podTemplate({}).spec, restartPolicy: "Never" } };
    const lastYear = new Date(Date.now() - 370 * 24 * 3_600_000).toISOString();
    await client.create(cronJobs, {
      apiVersion: apiVersionOf(cronJobs),
      kind: "CronJob",
      metadata: { namespace, name: "tick" },
      spec: {
        schedule: "0 0 1 1 *",
        jobTemplate: {
          metadata: { labels: { made: "by-template" }, annotations: { why: "contract" } },
          spec: { backoffLimit: 2, template },
        },
      },
    });
    const status = { lastScheduleTime: lastYear };
    const target = { namespace, name: "tick", type: "merge", subresource: "status" } as const;
    await client.patch(cronJobs, { status }, target);
    return { space, cronJobs };
  }
}

async function reasons({ client, namespace }: Sandbox): Promise<unknown[]> {
  const { items } = await client.list(coreEvents, {
    namespace,
    fieldSelector: "involvedObject.kind=CronJob",
  });
  return items.map((event) => event["reason"]);
}
