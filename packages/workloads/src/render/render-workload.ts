import { asRecord, canonicalJson, contentId, type BowlineError, shortened } from "@bowline/core";
import type { Discovery, KubeObject } from "@bowline/kube";
import {
  describeProblem,
  fillParameters,
  objectKey,
  patchObjects,
  stageOf,
  type ManifestObject,
  type RefusedManifest,
} from "@bowline/manifests";
import { objectText, type ClusterObject } from "@bowline/store";

import type { ObjectProblem } from "../object-result.ts";
import { hookOfRevision } from "../order/hook-name.ts";
import { orderOf, saysOrder, type ObjectOrder } from "../order/order-annotations.ts";
import { instanceLabel, type IgnoreRule, type Workload } from "../workload.ts";
import { hpaTargets, isTarget, type ScaleTarget } from "./autoscalers.ts";
import { KindTable, type KnownKind } from "./kind-table.ts";
import { settingProblem } from "./settings.ts";

/** An object as it is sent to the cluster. */
export interface RenderedObject extends ClusterObject, ObjectOrder {
  readonly version: string;
  readonly kindInCluster: KnownKind;
  readonly object: KubeObject;
  /** Paths of fields that are left to others. */
  readonly leftOut: readonly string[];
  /** The hash of all that decides about what is sent. */
  readonly content: string;
  readonly stage: number;
}

export interface RefusedObject extends ClusterObject {
  readonly version: string;
  readonly problem: ObjectProblem;
}

/** An object about whose kind nobody can say anything for now. */
export interface UnreadableObject extends ClusterObject {
  readonly version: string;
  readonly error: BowlineError;
}

/** Each object of the revision is in exactly one of the lists. */
export interface RenderedWorkload {
  readonly objects: readonly RenderedObject[];
  readonly refused: readonly RefusedObject[];
  readonly unreadable: readonly UnreadableObject[];
  /** Every object that says something about its place in the order could be rendered. */
  readonly isOrderKnown: boolean;
}

interface RenderOptions {
  readonly discovery: Discovery;
  readonly instance: string;
}

/** The objects of a revision for one cluster. One that cannot be rendered is refused with its reason; the others proceed. */
export async function renderWorkload(
  workload: Workload,
  { discovery, instance }: RenderOptions,
): Promise<RenderedWorkload> {
  const { parameters, cluster, namespace, policy } = workload;
  const withValues = fillParameters(workload.objects, { parameters, cluster });
  const patched = patchObjects(withValues.objects, workload.patches ?? []);
  const filled = { objects: patched.objects, refused: [...withValues.refused, ...patched.refused] };
  const kinds = new KindTable(discovery, filled.objects);
  const objects: RenderedObject[] = [];
  const refused: RefusedObject[] = filled.refused.map(refusedManifest);
  const unreadable: UnreadableObject[] = [];
  const seen = new Set<string>();
  let isOrderKnown = !filled.refused.some(({ object }) => hasOrder(object));
  const scaled = filled.objects.flatMap((object) => hpaTargets(object, namespace));
  for (const object of filled.objects) {
    const identity = { ...objectKey(object), version: versionOf(object) };
    const lookup = await kinds.find(identity);
    if (lookup.outcome === "unreadable") unreadable.push({ ...identity, error: lookup.error });
    if (lookup.outcome === "unknown") refused.push({ ...identity, problem: lookup.problem });
    if (lookup.outcome !== "known") {
      isOrderKnown &&= !hasOrder(object);
      continue;
    }
    const placed = placedObject(object, lookup.kind, namespace);
    const key = { ...identity, namespace: placed.metadata.namespace ?? "" };
    const text = objectText(key);
    const problem = settingProblem(placed) ?? (seen.has(text) ? `${again} ${key.namespace}` : undefined);
    seen.add(text);
    if (problem !== undefined) {
      isOrderKnown &&= !saysOrder(placed.metadata.annotations);
      refused.push({ ...key, problem: { reason: "RenderFailed", message: sentence(problem) } });
      continue;
    }
    const isHook = orderOf(placed).hook !== undefined;
    const named = isHook ? hookOfRevision(placed, workload.revision) : placed;
    const { name = key.name } = named.metadata;
    const how = { kind: lookup.kind, instance, scaled, ignore: policy.ignore };
    objects.push(finished({ ...key, name }, named, how));
  }
  return { objects, refused, unreadable, isOrderKnown };
}

function hasOrder({ metadata }: ManifestObject): boolean {
  return saysOrder(asRecord(metadata["annotations"]));
}

const again = "another object of the revision is the same one, once both are in the namespace";

interface Finish {
  readonly kind: KnownKind;
  readonly instance: string;
  readonly scaled: readonly ScaleTarget[];
  readonly ignore: readonly IgnoreRule[];
}

function finished(
  key: ClusterObject & { readonly version: string },
  placed: KubeObject,
  { kind, instance, scaled, ignore }: Finish,
): RenderedObject {
  const labels = { ...placed.metadata.labels, [instanceLabel]: instance };
  const object = withDataOnly({ ...placed, metadata: { ...placed.metadata, labels } });
  const isScaled = scaled.some((target) => isTarget(target, key));
  const leftOut = [...ignoredPaths(ignore, key), ...(isScaled ? ["spec.replicas"] : [])];
  const content = contentId(canonicalJson({ object, leftOut }));
  return { ...key, kindInCluster: kind, object, leftOut, content, stage: stageOf(key), ...orderOf(object) };
}

function ignoredPaths(rules: readonly IgnoreRule[], { group, kind, name }: ClusterObject): string[] {
  return rules
    .filter((rule) => rule.kind === kind && (rule.group ?? group) === group && (rule.name ?? name) === name)
    .flatMap(({ paths }) => paths);
}

/** In its namespace where its kind has them, and in none where it does not, as kubectl would send it. */
function placedObject(object: ManifestObject, { namespaced }: KnownKind, namespace: string): KubeObject {
  // Values of labels and annotations are text: `readObject` has refused everything else.
  const { namespace: own, ...metadata } = object.metadata as KubeObject["metadata"];
  const place = own === undefined || own === "" ? namespace : own;
  return { ...object, metadata: { ...metadata, ...(namespaced ? { namespace: place } : {}) } };
}

/**
 * A key that goes from `stringData` stays in the Secret, because the cluster has moved it to `data`, where it is nobody's.
 * So what is sent is what will be there.
 */
function withDataOnly(object: KubeObject): KubeObject {
  if (object.kind !== "Secret" || object.apiVersion !== "v1") return object;
  const { stringData, ...rest } = object;
  if (typeof stringData !== "object" || stringData === null) return object;
  const texts = Object.entries(stringData);
  if (!texts.every(([, text]) => typeof text === "string")) return object;
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString("base64")]);
  const data = typeof rest["data"] === "object" ? rest["data"] : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}

function refusedManifest({ object, problems }: RefusedManifest): RefusedObject {
  const told = problems.map(({ path, message }) =>
    describeProblem({ ...(path === undefined ? {} : { path }), message }),
  );
  const problem: ObjectProblem = { reason: "RenderFailed", message: sentence(told.join("; ")) };
  return { ...objectKey(object), version: versionOf(object), problem };
}

function versionOf({ apiVersion }: ManifestObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${shortened(text.slice(1), 990)}.`;
}
