import type { NewObject, SimObject } from "../../store/sim-api.ts";
import type { PodSpec, PodTemplate } from "../kinds/pod.ts";
import { controllerReference } from "../owner-references.ts";

/** The letters Kubernetes makes names and hashes of: no vowels, so that no words appear. */
const safeLetters = "bcdfghjklmnpqrstvwxz2456789";

export const podTemplateHashLabel = "pod-template-hash";

/** Templates do not change, and each is compared many times while its pods start. */
const contents = new WeakMap<PodTemplate, string>();

export interface PodOverrides {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: PodSpec;
}

/** A pod as its owner asks for it. The spec is shared with the template: the store never changes what it holds. */
export function podFromTemplate(
  owner: SimObject,
  template: PodTemplate,
  overrides: PodOverrides = {},
): NewObject {
  const labels = { ...template.metadata?.labels, ...overrides.labels };
  const annotations = template.metadata?.annotations;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${owner.metadata.name}-`,
      ...(overrides.name === undefined ? {} : { name: overrides.name }),
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(template.metadata?.finalizers === undefined ? {} : { finalizers: template.metadata.finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: overrides.spec ?? template.spec,
  };
}

/** A short word for the content of a template, the same whatever the order of its fields. */
export function templateHash(template: PodTemplate, collisions = 0): string {
  return safeWord(fnv1a(contentOf(template) + (collisions === 0 ? "" : String(collisions))));
}

/** Whether two templates ask for the same pods, whatever hash label they carry. */
export function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return a === b || contentOf(a) === contentOf(b);
}

/** What a template asks for, without the hash that is computed from it. */
function contentOf(template: PodTemplate): string {
  const known = contents.get(template);
  if (known !== undefined) return known;
  const { [podTemplateHashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  const content = canonical({ ...template, metadata: { ...template.metadata, labels } });
  contents.set(template, content);
  return content;
}

/** JSON with sorted keys and without what says nothing: absent values, nulls and empty objects. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => !saysNothing(field))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}

function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** A number spelled in safe letters, digit by digit, as hashes in names are. */
function safeWord(hash: number): string {
  return String(hash).replaceAll(
    /./g,
    (digit) => safeLetters[digit.charCodeAt(0) % safeLetters.length] ?? "",
  );
}
