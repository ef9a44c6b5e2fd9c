import { hasCode } from "@bowline/core";
import { listAll } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { findField } from "../fields/field-path.ts";
import { hpaTargets, isTarget, type ScaleTarget } from "../render/autoscalers.ts";
import type { RenderedObject } from "../render/render-workload.ts";

/** Autoscalers that are in the cluster already, whoever made them. Each namespace is asked once, and only when it matters. */
export class AutoscalersInCluster {
  readonly #context: EngineContext;
  readonly #byNamespace = new Map<string, Promise<readonly ScaleTarget[]>>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  async scales(rendered: RenderedObject): Promise<boolean> {
    if (findField(rendered.object, "spec.replicas") === undefined) return false;
    const { namespace } = rendered;
    const asked = this.#byNamespace.get(namespace) ?? this.#targetsIn(namespace);
    this.#byNamespace.set(namespace, asked);
    return (await asked).some((target) => isTarget(target, rendered));
  }

  async #targetsIn(namespace: string): Promise<readonly ScaleTarget[]> {
    const { client, discovery, signal } = this.#context;
    try {
      const kind = await discovery.findKind({ group: "autoscaling", kind: "HorizontalPodAutoscaler" });
      if (kind === undefined) return [];
      const { items } = await listAll(client, kind, { namespace, signal });
      return items.flatMap((item) => hpaTargets({ ...item, metadata: { ...item.metadata } }, namespace));
    } catch (error) {
      // Who may not read autoscalers has replicas as they are written.
      if (hasCode(error, "Forbidden", "NotGranted", "NotFound", "MethodNotSupported")) return [];
      throw error;
    }
  }
}
