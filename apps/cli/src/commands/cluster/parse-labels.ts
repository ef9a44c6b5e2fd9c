import { BowlineError } from "@bowline/core";

import { printableLine } from "../../output/terminal-text.ts";

/** `env=prod`, once for each label or several with commas between them. The server checks keys and values. */
export function parseLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const label of texts.flatMap((text) => text.split(","))) {
    const equals = label.indexOf("=");
    const key = label.slice(0, Math.max(equals, 0));
    if (key === "" || labels.has(key)) {
      const problem = key === "" ? "is not KEY=VALUE" : "sets a label that is set already";
      throw new BowlineError("InvalidArgument", `«${printableLine(label.slice(0, 64))}» ${problem}.`);
    }
    labels.set(key, label.slice(equals + 1));
  }
  return Object.fromEntries(labels);
}
