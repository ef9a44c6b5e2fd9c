import { exactlyOneOf, flag, object, optional, text } from "@bowline/api";

import { dataKey, objectName } from "./text-rules.ts";

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
