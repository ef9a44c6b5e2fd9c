import { GenerationTable } from "./value-interner.ts";

/**
 * The fields of an object that are decoded at all. A field is kept whole (`true`), in part (a mask of its own) or not
 * at all; one that is not named is dropped, unless `"*": true` asks for the rest as well. Lists are looked through: a
 * mask on `status.conditions` speaks of every condition.
 */
export interface FieldMask {
  readonly [field: string]: boolean | FieldMask;
}

/** Everything but what only other clients need: half of a typical object's bytes. */
export const defaultFields: FieldMask = {
  "*": true,
  metadata: {
    "*": true,
    managedFields: false,
    annotations: { "*": true, "kubectl.kubernetes.io/last-applied-configuration": false },
  },
};

export interface CompiledMask {
  readonly keepRest: boolean;
  /** By the length of the name in bytes: most names are told apart without looking at them. */
  readonly fieldsByLength: readonly (readonly MaskedField[] | undefined)[];
}

interface MaskedField {
  /** A character for each byte: a Buffer for each name was megabytes with the masks of thirty kinds. */
  readonly name: string;
  readonly keep: boolean | CompiledMask;
}

/** Most kinds have the same parts: every kind that makes pods has the fields of a pod. */
const compiled = new GenerationTable<CompiledMask>(2_048);

/** Masks of the same content are one. */
export function compileMask(mask: FieldMask): CompiledMask {
  const key = JSON.stringify(mask);
  return compiled.get(key) ?? compiled.getOrAdd(key, newMask(mask));
}

function newMask(mask: FieldMask): CompiledMask {
  const fieldsByLength: MaskedField[][] = [];
  for (const [name, keep] of Object.entries(mask)) {
    if (name === "*") continue;
    // As the name stands in the text, between its quotes.
    const bytes = Buffer.from(JSON.stringify(name).slice(1, -1)).toString("latin1");
    const field = { name: bytes, keep: typeof keep === "boolean" ? keep : compileMask(keep) };
    (fieldsByLength[bytes.length] ??= []).push(field);
  }
  return { keepRest: mask["*"] === true, fieldsByLength };
}

/** Both masks at once: a field that either keeps is kept. */
export function unionMask(a: FieldMask, b: FieldMask): FieldMask {
  const union: Record<string, boolean | FieldMask> = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    union[name] = unionField(fieldOf(a, name), fieldOf(b, name));
  }
  return union;
}

function fieldOf(mask: FieldMask, name: string): boolean | FieldMask {
  return mask[name] ?? mask["*"] === true;
}

function unionField(a: boolean | FieldMask, b: boolean | FieldMask): boolean | FieldMask {
  if (a === true || b === true) return true;
  if (a === false) return b;
  return b === false ? a : unionMask(a, b);
}
