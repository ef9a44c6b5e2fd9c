import type { NewObject } from "../store/sim-api.ts";

/** Something to look at: a healthy Deployment, one that crash-loops, and a Job that runs every minute. */
export const sampleWorkloads: ReadonlyArray<readonly [resource: string, object: NewObject]> = [
  ["deployments.apps", deployment("web", 3, {})],
  ["deployments.apps", deployment("broken", 1, { "kubesim.bowline.dev/behaviour": "crash-loop" })],
  [
    "cronjobs.batch",
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "report", namespace: "default" },
      spec: {
        schedule: "*/1 * * * *",
        jobTemplate: { spec: { template: { spec: { ...podSpec("report"), restartPolicy: "Never" } } } },
      },
    },
  ],
];

function deployment(name: string, replicas: number, annotations: Record<string, string>): NewObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name }, annotations }, spec: podSpec(name) },
    },
  };
}

function podSpec(name: string): { containers: { name: string; image: string }[] } {
  return { containers: [{ name, image: `example.test/${name}:1.0` }] };
}
