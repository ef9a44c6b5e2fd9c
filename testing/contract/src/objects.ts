import type { KubeObject, ObjectMeta } from "@bowline/kube";

/** Small objects that every server accepts. `metadata` is merged in, so that a test shows what it is about. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export function configMap(metadata: ObjectMeta, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

interface Container {
  name: string;
  image: string;
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: { containers: Container[]; [field: string]: unknown };
  status?: { phase?: string; conditions?: { type: string; status: string }[]; [field: string]: unknown };
}

/** The image is never pulled: on real clusters of this suite no kubelet runs. */
const image = "registry.example/web:1";

export function pod(metadata: ObjectMeta, spec: Record<string, unknown> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "web", image }], ...spec },
  };
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: Pod["spec"];
}

export interface Workload extends KubeObject {
  spec: { replicas?: number; template: PodTemplate; [field: string]: unknown };
  status?: Record<string, unknown>;
}

export function podTemplate(labels: Record<string, string>): PodTemplate {
  return { metadata: { labels }, spec: { containers: [{ name: "web", image }] } };
}

export function deployment(metadata: ObjectMeta & { name: string }, replicas = 1): Workload {
  const labels = { app: metadata.name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { replicas, selector: { matchLabels: labels }, template: podTemplate(labels) },
  };
}
