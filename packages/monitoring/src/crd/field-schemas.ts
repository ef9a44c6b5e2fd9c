/** The forms of text that fields of custom resources have; what Prometheus itself reads is checked again when rendered. */
import { exactlyOneOf, flag, LabelSelector, object, optional, text, type TextRule } from "@bowline/api";

export const prometheusDuration: TextRule = {
  pattern:
    "^(0|([0-9]{1,9}y)?([0-9]{1,9}w)?([0-9]{1,9}d)?([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?)$",
  expects: "a duration such as 30s, 5m or 1h30m",
  minLength: 1,
  maxLength: 64,
};

export const byteSize: TextRule = {
  pattern: "^[0-9]{1,15}(B|KB|KiB|MB|MiB|GB|GiB|TB|TiB|PB|PiB|EB|EiB)?$",
  expects: "a size such as 500KB, 10MB or 1GiB",
  maxLength: 20,
};

export const httpUrl: TextRule = {
  pattern: "^https?://[^\\s]+$",
  expects: "a URL that begins with http:// or https://",
  maxLength: 2048,
};

/** The name of an object in Kubernetes. */
export const objectName: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
  expects: "lower-case letters, digits, '-' and '.', with a letter or digit first and last",
  minLength: 1,
  maxLength: 253,
};

/** A key of a Secret or a ConfigMap. */
const dataKey: TextRule = {
  pattern: "^[-._a-zA-Z0-9]+$",
  expects: "letters, digits, '-', '_' and '.'",
  minLength: 1,
  maxLength: 253,
};

export const collectorVersion: TextRule = {
  pattern: "^v?[0-9]{1,4}\\.[0-9]{1,4}(\\.[0-9]{1,4})?([-+][-+.0-9A-Za-z]{1,64})?$",
  expects: "a version of Prometheus such as v3.13.2",
  maxLength: 80,
};

/** Since version 3 Prometheus takes any text as the name of a label. */
export const labelName: TextRule = {
  pattern: "^[^\\p{Cc}]*$",
  expects: "a single line without control characters",
  maxLength: 1024,
};

/** The keys of a map that Kubernetes or Prometheus checks itself. */
export const anyKey: TextRule = {
  pattern: "^[^\\p{Cc}]*$",
  expects: "a single line without control characters",
  maxLength: 253,
};

/** Words, paths and names. */
export const shortText = { maxLength: 1024 };
/** Regular expressions and values of labels. */
export const longText = { maxLength: 65_536 };

const keySelector = (description: string, of: "Secret" | "ConfigMap") =>
  object(description, {
    name: text(`The name of the ${of}, in the namespace of the object that names it.`, objectName),
    key: text(`The key in the ${of}.`, dataKey),
    optional: optional(flag("Whether it may be missing.")),
  });

const eitherKeySelector = (description: string) =>
  exactlyOneOf(description, {
    secret: optional(keySelector("A key of a Secret.", "Secret")),
    configMap: optional(keySelector("A key of a ConfigMap.", "ConfigMap")),
  });

/** One key of a Secret. */
export function secretKey(description: string): ReturnType<typeof keySelector> {
  return keySelector(description, "Secret");
}

/** One key of a Secret or of a ConfigMap. */
export function secretOrConfigMapKey(description: string): ReturnType<typeof eitherKeySelector> {
  return eitherKeySelector(description);
}

const described = (description: string) => object(description, LabelSelector.properties);

/** A LabelSelector that says what it is for. */
export function labelSelector(description: string): ReturnType<typeof described> {
  return described(description);
}
