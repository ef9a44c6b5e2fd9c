import {
  anything,
  list,
  map,
  object,
  qualifiedName,
  singleLine,
  text,
  withDefault,
  type TextRule,
} from "@bowline/api";
import type { TObject, TProperties } from "typebox";

/**
 * The parts that the schema of the values is made of. Every field has a default, as Helm wants it: an empty text, list
 * or map stands for what is not given.
 */

export type Group<Properties extends TProperties> = TObject<Properties> & { readonly default: object };

/** Fields that belong together. */
export function group<Properties extends TProperties>(
  description: string,
  properties: Properties,
): Group<Properties> {
  return Object.assign(object(description, properties), { default: {} });
}

/** A text that may be empty. */
export function maybe(description: string, rule: TextRule): TextWithDefault {
  return textOr(description, { ...rule, minLength: 0, pattern: `^$|${rule.pattern}` }, "");
}

type TextWithDefault = ReturnType<typeof textOr>;

export function textOr(
  description: string,
  rule: TextRule,
  otherwise: string,
): ReturnType<typeof withDefault<ReturnType<typeof text>>> {
  return withDefault(text(description, rule), otherwise);
}

/** The name of an object of Kubernetes. */
export const objectName: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
  expects: "the name of an object: lower-case letters, digits, '-' and '.'",
  minLength: 1,
  maxLength: 253,
};

export const hostName: TextRule = {
  pattern: "^([*][.])?[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
  expects: "a host name such as bowline.example.com",
  minLength: 1,
  maxLength: 253,
};

export const ipAddress: TextRule = {
  pattern: "^([0-9]{1,3}([.][0-9]{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$",
  expects: "an IP address",
  minLength: 2,
  maxLength: 45,
};

export const dataKey: TextRule = {
  pattern: "^[-._a-zA-Z0-9]+$",
  expects: "a key of a Secret: letters, digits, '-', '_' and '.'",
  minLength: 1,
  maxLength: 253,
};

/** A size with a unit that memory is counted in, because the heap is made to fit. */
export const memorySize: TextRule = {
  pattern: "^[1-9][0-9]{0,6}[MG]i$",
  expects: "a size such as 512Mi or 2Gi",
  maxLength: 9,
};

export const quantity: TextRule = {
  pattern: "^[0-9]{1,9}([.][0-9]{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$",
  expects: "a quantity such as 500m, 2 or 10Gi",
  minLength: 1,
  maxLength: 16,
};

export const anyLine: TextRule = { ...singleLine, maxLength: 1_024 };

/** A key of a Secret that is there already: nothing secret is ever a value. */
export function secretKey(description: string, key: string): Group<SecretKeyFields> {
  return group(description, secretKeyFields(key));
}

type SecretKeyFields = ReturnType<typeof secretKeyFields>;

function secretKeyFields(key: string): { existingSecret: TextWithDefault; key: TextWithDefault } {
  return {
    existingSecret: maybe("The name of the Secret.", objectName),
    key: textOr("Its key.", dataKey, key),
  };
}

type TextMap = ReturnType<typeof map<ReturnType<typeof text>>>;

/** Labels or annotations. */
export function textMap(
  description: string,
  values: TextRule = { pattern: "", expects: "a text", maxLength: 65_536 },
  preset: Readonly<Record<string, string>> = {},
): ReturnType<typeof withDefault<TextMap>> {
  const { pattern, ...rule } = values;
  const schema = text("Its value.", pattern === "" ? rule : values);
  return withDefault(map(description, schema, { keys: qualifiedName, maxProperties: 100 }), { ...preset });
}

type AnyMap = ReturnType<typeof map<ReturnType<typeof anything>>>;

const fieldName: TextRule = { ...singleLine, minLength: 1 };

/** A part of an object of Kubernetes, which its API server checks. */
export function part(description: string): ReturnType<typeof withDefault<AnyMap>> {
  return withDefault(map(description, anything("Its value."), { keys: fieldName, maxProperties: 100 }), {});
}

/** A list of parts of Kubernetes objects. */
export function parts(description: string): ReturnType<typeof withDefault<ReturnType<typeof list<AnyMap>>>> {
  const { default: _, ...items } = part("One of them.");
  return withDefault(list(description, items, { maxItems: 100 }), []);
}
