import { asRecord } from "@bowline/core";

import type { FactsWriter, ReadProperties } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { describePodSpec, podSpecFields } from "./pod.ts";
import { booleanOf, listOf, numberOf, textOf, type FactFields } from "../model/read-fields.ts";
import { matchLabelsOf } from "../model/selector.ts";
import { wholeObject } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const templateFields: FactFields = { spec: podSpecFields };

interface WorkloadDefinition {
  readonly group: string;
  readonly kind: string;
  /** Fields of the spec beside the template. */
  readonly fields: FactFields;
  readonly properties: (spec: Fields, writer: FactsWriter) => ReadProperties;
  /** Whether pods may come of it. */
  readonly isInUse?: (object: Fields) => boolean;
}

/**
 * A kind that makes pods of a template. It uses what its pods will use, also while it has none: a Secret that only a
 * Deployment of no replicas reads is still needed.
 */
function defineWorkload({ group, kind, fields, properties, isInUse }: WorkloadDefinition): KindFacts {
  return defineKind({
    group,
    kind,
    namespaced: true,
    fields: { spec: { ...fields, template: templateFields } },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      writer.describe(properties(spec, writer));
      if (isInUse?.(object) !== false) describeTemplate(writer, spec, "/spec");
    },
  });
}

function describeTemplate(writer: FactsWriter, spec: Fields, at: string): void {
  const template = asRecord(spec["template"]);
  describePodSpec({ ...wholeObject(writer, `${at}/template/spec`), isPod: false }, template["spec"]);
}

/** A Deployment keeps ReplicaSets of earlier times to go back to: nothing runs of them. */
function isNotRetired({ metadata, spec }: Fields): boolean {
  const isOwned = listOf(asRecord(metadata)["ownerReferences"]).length > 0;
  return !isOwned || asRecord(spec)["replicas"] !== 0;
}

/** Claims of a StatefulSet stay when its pods are gone; they have the labels by which it finds its pods. */
function selectClaims(writer: FactsWriter, { selector, volumeClaimTemplates }: Fields): void {
  const { matchLabels } = asRecord(selector);
  if (listOf(volumeClaimTemplates).length === 0 || Object.keys(asRecord(matchLabels)).length === 0) return;
  const labels = matchLabelsOf(matchLabels);
  const claims = labels === undefined ? undefined : { matchLabels: labels };
  writer.select("BACKED_BY", "PersistentVolumeClaim", claims, "/spec/volumeClaimTemplates");
}

const replicas = { replicas: true } as const;

export const workloadKinds: readonly KindFacts[] = [
  defineWorkload({
    group: "apps",
    kind: "Deployment",
    fields: { ...replicas, paused: true },
    properties: (spec) => ({ replicas: numberOf(spec["replicas"]), paused: booleanOf(spec["paused"]) }),
  }),
  defineWorkload({
    group: "apps",
    kind: "ReplicaSet",
    fields: replicas,
    properties: (spec) => ({ replicas: numberOf(spec["replicas"]) }),
    isInUse: isNotRetired,
  }),
  defineWorkload({
    group: "apps",
    kind: "StatefulSet",
    fields: {
      ...replicas,
      serviceName: true,
      selector: { matchLabels: true },
      volumeClaimTemplates: { metadata: { name: true } },
    },
    properties: (spec, writer) => {
      selectClaims(writer, spec);
      const claims = listOf(spec["volumeClaimTemplates"]).map(
        (claim) => asRecord(asRecord(claim)["metadata"])["name"],
      );
      return {
        replicas: numberOf(spec["replicas"]),
        serviceName: textOf(spec["serviceName"]),
        claimTemplates: writer.texts(claims, "claimTemplates"),
      };
    },
  }),
  defineWorkload({ group: "apps", kind: "DaemonSet", fields: {}, properties: () => ({}) }),
  defineWorkload({
    group: "batch",
    kind: "Job",
    fields: { suspend: true, parallelism: true, completions: true },
    properties: (spec) => ({
      suspend: booleanOf(spec["suspend"]),
      parallelism: numberOf(spec["parallelism"]),
      completions: numberOf(spec["completions"]),
    }),
  }),
  defineKind({
    group: "batch",
    kind: "CronJob",
    namespaced: true,
    fields: {
      spec: {
        schedule: true,
        timeZone: true,
        suspend: true,
        jobTemplate: { spec: { template: templateFields } },
      },
    },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      writer.describe({
        schedule: textOf(spec["schedule"]),
        timeZone: textOf(spec["timeZone"]),
        suspend: booleanOf(spec["suspend"]),
      });
      const jobSpec = asRecord(asRecord(spec["jobTemplate"])["spec"]);
      describeTemplate(writer, jobSpec, "/spec/jobTemplate/spec");
    },
  }),
];
