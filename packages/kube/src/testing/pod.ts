import type { KubeObject } from "../object.ts";

export interface PodOptions {
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly phase?: string;
}

/** A pod with what an informer looks at. */
export function pod(name: string, resourceVersion: string, options: PodOptions = {}): KubeObject {
  const { namespace = "shop", uid = `uid-${name}`, labels = {}, phase = "Running" } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid, resourceVersion, labels },
    status: { phase },
  };
}
