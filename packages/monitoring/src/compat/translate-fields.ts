import { isRecord } from "@bowline/core";

/** A field that is set and means nothing here. */
export interface UnusedField {
  readonly path: string;
  /** A sentence. */
  readonly reason: string;
}

/** Rules for the fields of an object; a field that is not named is unknown. */
export interface FieldRules {
  readonly same: readonly string[];
  /** Fields that are called differently here, or mean something in another form. */
  readonly changed?: Readonly<Record<string, (value: unknown, translation: Translation) => void>>;
  /** Fields without a counterpart, and why. */
  readonly none: Readonly<Record<string, string>>;
}

/** The fields of an object in the making, and the unused ones that were found on the way. */
export class Translation {
  readonly fields: Record<string, unknown> = {};
  readonly unusedFields: UnusedField[] = [];
  /** Where in the object that is read. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Translates a part that is read at `name` and has rules of its own; its fields are the caller's to place. */
  part(value: unknown, name: string, rules: FieldRules): Record<string, unknown> {
    const part = translateFields(value, `${this.path}.${name}`, rules);
    this.unusedFields.push(...part.unusedFields);
    return part.fields;
  }

  leaveOut(name: string, reason: string): void {
    this.unusedFields.push({ path: `${this.path}.${name}`, reason });
  }
}

/** Goes through every field that is set: each one is taken over, changed or named as unused. */
export function translateFields(value: unknown, path: string, rules: FieldRules): Translation {
  const translation = new Translation(path);
  if (value === undefined || value === null) return translation;
  if (!isRecord(value)) {
    translation.unusedFields.push({ path, reason: "It is no object." });
    return translation;
  }
  for (const [name, field] of Object.entries(value)) {
    const change = ownValue(rules.changed ?? {}, name);
    if (rules.same.includes(name)) translation.fields[name] = field;
    else if (change !== undefined) change(field, translation);
    else if (saysSomething(field)) translation.leaveOut(name, ownValue(rules.none, name) ?? unknown);
  }
  return translation;
}

const unknown = "It is no field that is known here.";

/** A name that comes from an object must not find what every object inherits. */
function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Left out, empty and switched off are the same. */
function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
