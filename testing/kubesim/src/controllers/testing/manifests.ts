import type { Container, PodSpec } from "../kinds/pod.ts";
import type { CronJobSpec, JobSpec } from "../kinds/batch.ts";
import type { DaemonSetSpec, DeploymentSpec, StatefulSetSpec } from "../kinds/workloads.ts";

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, unknown>;

export interface PodManifestOptions {
  readonly image?: string;
  readonly annotations?: Record<string, string>;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
}

export function template(app: string, options: PodManifestOptions = {}): DeploymentSpec["template"] {
  const container = { name: "app", image: options.image ?? "nginx:1.25", ...options.container };
  return {
    metadata: {
      labels: { app },
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: { containers: [container], ...options.spec },
  };
}

export function pod(name: string, options: PodManifestOptions = {}): Manifest {
  const { metadata, spec } = template(name, options);
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name }, spec };
}

export function deployment(
  name: string,
  spec: Partial<DeploymentSpec> = {},
  options: PodManifestOptions = {},
): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: template(name, options),
      ...spec,
    },
  };
}

export function job(name: string, spec: Partial<JobSpec> = {}, options: PodManifestOptions = {}): Manifest {
  const { metadata, spec: podSpec } = template(name, options);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { ...spec, template: { metadata, spec: { restartPolicy: "Never", ...podSpec } } },
  };
}

export function cronJob(
  name: string,
  spec: Partial<CronJobSpec> = {},
  options: PodManifestOptions = {},
): Manifest {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: { schedule: "*/1 * * * *", jobTemplate: { spec: job(name, {}, options)["spec"] }, ...spec },
  };
}

export function statefulSet(
  name: string,
  spec: Partial<StatefulSetSpec> = {},
  options: PodManifestOptions = {},
): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name },
    spec: {
      replicas: 3,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: template(name, options),
      ...spec,
    },
  };
}

export function daemonSet(
  name: string,
  spec: Partial<DaemonSetSpec> = {},
  options: PodManifestOptions = {},
): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: template(name, options), ...spec },
  };
}
