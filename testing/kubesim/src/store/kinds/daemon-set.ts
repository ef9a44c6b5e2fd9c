import { deepEqual, readPath } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";
import type { KindRules } from "./kind-rules.ts";

/** Counts the changes of the template. It was a field once, and clients may still read it. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

export const daemonSetRules: KindRules = {
  onCreate: (set) => ({
    ...withTemplateGeneration(set, 1),
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  }),
  onAdmitted: (next, live) => {
    const before = Number(live.metadata.annotations?.[templateGenerationAnnotation] ?? 1);
    const isSame = deepEqual(readPath(next, "spec.template"), readPath(live, "spec.template"));
    return withTemplateGeneration(next, isSame ? before : before + 1);
  },
};

function withTemplateGeneration(set: SimObject, generation: number): SimObject {
  const annotations = {
    ...set.metadata.annotations,
    [templateGenerationAnnotation]: String(generation),
  };
  return { ...set, metadata: { ...set.metadata, annotations } };
}
