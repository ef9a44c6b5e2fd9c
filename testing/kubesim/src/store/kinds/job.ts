import { readPath, readRecord, type JsonRecord } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";
import { mapSpec, withDefaults } from "./defaulting.ts";
import type { KindRules } from "./kind-rules.ts";
import { withLabelsOfTemplate } from "./template-labels.ts";

export const jobRules: KindRules = {
  onCreate: (job, { minorVersion }) => {
    const complete = mapSpec(job, (spec) => withDefaults(spec, newerDefaults(minorVersion)));
    return { ...withLabelsOfTemplate(withJobSelector(complete, minorVersion)), status: {} };
  },
  onUpdate: (next) => withLabelsOfTemplate(next),
};

/** What later versions came to say of every job. */
function newerDefaults(minorVersion: number): JsonRecord {
  return {
    ...(minorVersion >= 22 ? { completionMode: "NonIndexed", suspend: false } : {}),
    ...(minorVersion >= 29 ? { podReplacementPolicy: "TerminatingOrFailed" } : {}),
  };
}

/** A job finds its pods by its own uid, so that two jobs with equal labels never mix. */
function withJobSelector(job: SimObject, minorVersion: number): SimObject {
  if (readPath(job, "spec.manualSelector") === true) return job;
  const { uid, name } = job.metadata;
  const current = { "batch.kubernetes.io/controller-uid": uid };
  const legacy = { "controller-uid": uid, "job-name": name };
  const labels =
    minorVersion >= 27 ? { ...current, "batch.kubernetes.io/job-name": name, ...legacy } : legacy;
  return mapSpec(job, (spec) => ({
    ...spec,
    selector: { matchLabels: minorVersion >= 27 ? current : { "controller-uid": uid } },
    template: {
      ...readRecord({ spec }, "spec.template"),
      metadata: {
        ...readRecord({ spec }, "spec.template.metadata"),
        labels: { ...readRecord({ spec }, "spec.template.metadata.labels"), ...labels },
      },
    },
  }));
}
