import { Document, isMap, isSeq } from "yaml";

import type { DocumentFormat } from "../../output/to-document.ts";
import { wrapText } from "../../output/terminal-text.ts";
import type { ManifestObject } from "./agent-manifest.ts";

const commentWidth = 100;

/** One text for `kubectl apply -f -`: documents of YAML with comments, or a List in JSON, which has no comments. */
export function printManifest(objects: readonly ManifestObject[], format: DocumentFormat): string {
  if (format === "json") {
    const items = objects.map(({ object }) => object);
    return `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2)}\n`;
  }
  return objects.map((each) => `---\n${toCommentedYaml(each)}`).join("");
}

function toCommentedYaml({ object, ruleComments = [] }: ManifestObject): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  const rules = document.get("rules");
  for (const [index, rule] of isSeq(rules) ? rules.items.entries() : []) {
    const comment = ruleComments[index];
    if (isMap(rule) && comment !== undefined) rule.commentBefore = commentLines(comment);
  }
  return document.toString({ lineWidth: 0 });
}

function commentLines(comment: string): string {
  return wrapText(comment, { columns: commentWidth, indent: 1 }).join("\n");
}
