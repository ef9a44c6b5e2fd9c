import type { Mask } from "./field-mask.ts";
import { anySpec, hookAnnotations, annotatedConditionsName } from "./health-facts.ts";
import { kindMasks } from "./masks.ts";

/** Fields of an object as a tree: whole, in part, or (what is not named) not at all. */
export interface FactFields {
  readonly [field: string]: true | FactFields;
}

/**
 * The fields that `healthFacts` looks at, for readers that decode no others. The facts of an object that was cut down
 * to them are those of the whole object.
 */
export function factFields({ group, kind }: { readonly group: string; readonly kind: string }): FactFields {
  const mask = kindMasks.get(`${group}/${kind}`);
  const annotations = [
    ...hookAnnotations,
    ...(kind === "HorizontalPodAutoscaler" ? [annotatedConditionsName] : []),
  ];
  return {
    metadata: {
      generation: true,
      deletionTimestamp: true,
      finalizers: true,
      ownerReferences: { kind: true, controller: true },
      annotations: Object.fromEntries(annotations.map((name) => [name, true] as const)),
    },
    spec: fieldsOf(mask?.spec ?? anySpec),
    // Of a kind that nobody has listed, all of it is searched for signals.
    status: mask === undefined ? true : fieldsOf(mask.status),
  };
}

function fieldsOf(mask: Mask): true | FactFields {
  if (mask.keeps === "scalar") return true;
  if (mask.keeps === "list") return fieldsOf(mask.item);
  // That there is an object: which it is even without its fields.
  if (mask.keeps === "presence") return {};
  return Object.fromEntries(Object.entries(mask.fields).map(([name, part]) => [name, fieldsOf(part)]));
}
