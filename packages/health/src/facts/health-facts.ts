import { isRecord } from "@bowline/core";

import { fields, keepScalar, list, project, word, type Cut, type Mask } from "./field-mask.ts";
import { conditions, kindMasks } from "./masks.ts";
import { numberAt, textAt, valueAt } from "./read-facts.ts";
import { statusSignals } from "./status-signals.ts";

/**
 * The part of a Kubernetes object that its verdict needs, as JSON: what an agent sends, and what `judge` reads. Field
 * names are those of Kubernetes. Readers ignore fields they do not know, so that facts can grow.
 */
export interface HealthFacts {
  /** The version of this form. */
  readonly facts: 1;
  /** There is no such object. */
  readonly missing?: true;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly generation?: number;
  readonly deletion?: { readonly at: string; readonly finalizers: readonly string[] };
  /** The kind of its controller, such as `Job`. */
  readonly owner?: string;
  /** It is there to do something once, for a tool that deploys. */
  readonly hook?: true;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** How many fields the status had: one that is empty differs from one that tells nothing about health. */
  readonly statusFields?: number;
  /** How many items lists had that are shorter here, by path. */
  readonly cut?: Readonly<Record<string, number>>;
}

/** Fields by which people put objects of any kind to rest, and the number of copies they want. */
export const anySpec: Mask = fields({
  suspend: word,
  suspended: word,
  paused: word,
  pause: word,
  disabled: word,
  unschedulable: word,
  replicas: word,
  hibernation: fields({ enabled: word }),
});

/**
 * The facts of an object, whatever is in it: never more than some tens of kilobytes, and never data of a Secret, the
 * value of an environment variable or an annotation. Without an object they say that it is missing.
 */
export function healthFacts(object: unknown): HealthFacts {
  if (object === undefined || object === null) return { facts: 1, missing: true };
  const cut: Cut = {};
  const [apiVersion, kind] = [wordAt(object, "apiVersion"), wordAt(object, "kind")];
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const mask = kindMasks.get(`${group}/${kind}`);
  return {
    facts: 1,
    ...(apiVersion === "" ? {} : { apiVersion }),
    ...(kind === "" ? {} : { kind }),
    ...metadataFacts(valueAt(object, "metadata"), cut),
    ...specFacts(project(valueAt(object, "spec"), mask?.spec ?? anySpec, "spec", cut)),
    ...statusFacts(object, mask?.status, cut),
    ...(Object.keys(cut).length > 0 ? { cut } : {}),
  };
}

const wordAt = (object: unknown, name: string): string => textAt(object, name).slice(0, 128).toWellFormed();

const specFacts = (spec: unknown): Partial<HealthFacts> => (isRecord(spec) ? { spec } : {});

function statusFacts(object: unknown, mask: Mask | undefined, cut: Cut): Partial<HealthFacts> {
  const status = valueAt(object, "status");
  const kept = mask === undefined ? statusSignals(status, cut) : project(status, mask, "status", cut);
  const annotated = valueAt(status, "conditions") === undefined ? annotatedConditions(object) : undefined;
  if (!isRecord(status) || !isRecord(kept)) {
    return annotated === undefined ? {} : { status: { conditions: annotated } };
  }
  return {
    status: annotated === undefined ? kept : { ...kept, conditions: annotated },
    statusFields: Math.min(Object.keys(status).length, 1000),
  };
}

/** Longer than this is not what Kubernetes writes there. */
const maxAnnotationChars = 64 * 1024;

export const annotatedConditionsName = "autoscaling.alpha.kubernetes.io/conditions";

/** The first version of autoscalers has its conditions in an annotation, as JSON. */
function annotatedConditions(object: unknown): unknown {
  if (textAt(object, "kind") !== "HorizontalPodAutoscaler") return undefined;
  const json = textAt(object, "metadata", "annotations", annotatedConditionsName);
  if (json === "" || json.length > maxAnnotationChars) return undefined;
  try {
    return project(JSON.parse(json), conditions, "status.conditions", {});
  } catch {
    return undefined;
  }
}

/** Annotations that tools put on what they run once, before or after they deploy. */
export const hookAnnotations = ["argocd.argoproj.io/hook", "helm.sh/hook", "bowline.dev/hook"];

function metadataFacts(metadata: unknown, cut: Cut): Partial<HealthFacts> {
  const generation = numberAt(metadata, "generation");
  const deletedAt = deletionTime(valueAt(metadata, "deletionTimestamp"));
  const finalizers = project(valueAt(metadata, "finalizers"), list(word), "metadata.finalizers", cut);
  const annotations = valueAt(metadata, "annotations");
  const owner = ownerKind(valueAt(metadata, "ownerReferences"));
  return {
    ...(generation === undefined ? {} : { generation }),
    ...(deletedAt === undefined ? {} : { deletion: { at: deletedAt, finalizers: texts(finalizers) } }),
    ...(owner === undefined ? {} : { owner }),
    ...(hookAnnotations.some((name) => valueAt(annotations, name) !== undefined) ? { hook: true } : {}),
  };
}

/** YAML readers may have made a date of it. */
function deletionTime(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return typeof value === "string" && value !== "" ? value.slice(0, 64).toWellFormed() : undefined;
}

function ownerKind(references: unknown): string | undefined {
  if (!Array.isArray(references)) return undefined;
  const owners: readonly unknown[] = references.slice(0, 32);
  const controller = owners.find((owner) => valueAt(owner, "controller") === true) ?? owners[0];
  const kind = keepScalar(valueAt(controller, "kind"), 128);
  return typeof kind === "string" ? kind : undefined;
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
