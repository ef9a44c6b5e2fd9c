import { Document, isScalar, visit } from "yaml";

import { escapeUnprintable, isPrintable } from "./terminal-text.ts";

/**
 * A value as YAML that reads back as the same value, by parsers of YAML 1.1 too: what such a parser would take for a
 * number or a boolean is quoted.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    compat: "yaml-1.1",
    keepUndefined: false,
  });
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === "string" && needsQuotes(node.value)) {
        node.type = "QUOTE_DOUBLE";
      }
    },
  });
  return escapeUnprintable(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

/** Only inside of double quotes can everything be spelled out; and a block of nothing but white space loses some of it. */
function needsQuotes(text: string): boolean {
  return !isPrintable(text) || (text.includes("\n") && text.trim() === "");
}
