import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { findLive } from "../cluster/live-object.ts";
import { until } from "../cluster/until.ts";
import type { ObjectProblem } from "../object-result.ts";
import type { RenderedObject } from "../render/render-workload.ts";

/** How long others wait for a definition or a namespace before they are left for the next run. */
const readyLimitMs = 30_000;

/**
 * Waits until what others need is usable: a definition whose kind the server has taken, a namespace that takes objects.
 * Undefined when it is; at once for every other kind.
 */
export async function waitUntilReady(
  context: EngineContext,
  rendered: RenderedObject,
  answer: KubeObject,
): Promise<ObjectProblem | undefined> {
  let problem = problemOf(answer);
  if (problem === undefined) return undefined;
  const ready = await until(context, readyLimitMs, async () => {
    const live = await findLive(context, rendered);
    problem = live === undefined ? problem : problemOf(live);
    return problem === undefined ? true : undefined;
  });
  return ready === true ? undefined : problem;
}

function problemOf(object: KubeObject): ObjectProblem | undefined {
  const { kind, metadata } = object;
  const status = asRecord(object["status"]);
  if (kind === "Namespace" && object.apiVersion === "v1") {
    if (status["phase"] !== "Terminating") return undefined;
    const message = `The namespace ${metadata.name ?? ""} is being deleted; wait for it, or look at its finalizers.`;
    return { reason: "NamespaceTerminating", message };
  }
  if (kind !== "CustomResourceDefinition") return undefined;
  const listed: readonly unknown[] = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const conditions = listed.map(asRecord);
  const isTrue = (type: string): boolean =>
    conditions.some((condition) => condition["type"] === type && condition["status"] === "True");
  if (isTrue("Established") && !isTrue("Terminating")) return undefined;
  const refused = conditions.find(({ type, status: value }) => type === "NamesAccepted" && value === "False");
  const said = typeof refused?.["message"] === "string" ? `: ${refused["message"]}` : "";
  const message = `The cluster has not taken the definition ${metadata.name ?? ""} into use yet${said}.`;
  return { reason: "NotEstablished", message };
}
