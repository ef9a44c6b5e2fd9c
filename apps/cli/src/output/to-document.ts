import { escapeUnprintable } from "./terminal-text.ts";

export type DocumentFormat = "json" | "yaml";

/** A value as one document of JSON or YAML that is safe to show in a terminal and reads back as the same value. */
export async function toDocument(value: unknown, format: DocumentFormat): Promise<string> {
  if (format === "json") return `${escapeUnprintable(JSON.stringify(value, undefined, 2))}\n`;
  // The library takes longer to load than most commands take to run.
  const { toYaml } = await import("./to-yaml.ts");
  return toYaml(value);
}

/** One of many documents that follow each other as they come: a line of JSON, or a document of YAML. */
export async function toStreamedDocument(value: unknown, format: DocumentFormat): Promise<string> {
  if (format === "json") return `${escapeUnprintable(JSON.stringify(value))}\n`;
  return `---\n${await toDocument(value, format)}`;
}
