import { readPath } from "../json-value.ts";
import type { KindRules } from "./kind-rules.ts";

/** The finalizer in a namespace's spec that the namespace controller removes when nothing is left inside. */
export const namespaceFinalizer = "kubernetes";

export const namespaceRules: KindRules = {
  onCreate: (namespace, context) => {
    const label = { "kubernetes.io/metadata.name": namespace.metadata.name };
    const labels =
      context.minorVersion >= 21 ? { ...label, ...namespace.metadata.labels } : namespace.metadata.labels;
    return {
      ...namespace,
      metadata: { ...namespace.metadata, ...(labels ? { labels } : {}) },
      spec: { finalizers: [namespaceFinalizer] },
      status: { phase: "Active" },
    };
  },
  // The finalizers of the spec change through the `finalize` subresource alone.
  onUpdate: (next, live) => ({ ...next, spec: readPath(live, "spec") ?? {} }),
};
