import { choice, integer, list, object, optional, text } from "@bowline/api";

import { labelName, longText } from "./field-schemas.ts";

/** prometheus-operator takes both spellings, so people have both. */
const actions = [
  "replace",
  "Replace",
  "keep",
  "Keep",
  "drop",
  "Drop",
  "hashmod",
  "HashMod",
  "labelmap",
  "LabelMap",
  "labeldrop",
  "LabelDrop",
  "labelkeep",
  "LabelKeep",
  "lowercase",
  "Lowercase",
  "uppercase",
  "Uppercase",
  "keepequal",
  "KeepEqual",
  "dropequal",
  "DropEqual",
] as const;

export const relabeling = object("A rule that changes labels.", {
  sourceLabels: optional(
    list("The labels whose values are joined.", text("A label.", labelName), { maxItems: 64 }),
  ),
  separator: optional(text("What stands between the values; «;» without it.", longText)),
  targetLabel: optional(text("The label to write to.", labelName)),
  regex: optional(text("What the joined values must match, in RE2 syntax.", longText)),
  modulus: optional(integer("What hashes are divided by.", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  replacement: optional(text("What is written; «$1» without it.", longText)),
  action: optional(choice("What the rule does; replace without it.", actions)),
});

/** How many rules a list may have. */
export const relabelingLimits = { maxItems: 256 };
