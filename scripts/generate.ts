/**
 * Writes the files that follow from the sources: the OpenAPI document, the definitions of custom resources, the tables
 * of fields and conditions in the page of each kind, those of the programs' settings and of the values of an
 * installation, the pages of the command line, the Helm chart, and the code of the protocol's messages. With `--check`
 * it writes nothing, names each file that is stale and exits 1.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { agentSettings } from "@bowline/agent/settings";
import { fieldsOf, kinds, openApiDocument, type FieldDescription, type Kind } from "@bowline/api";
import { valuesSchema } from "@bowline/install";
import { operatorSettings } from "@bowline/operator/settings";
import { serverSettings } from "@bowline/server/settings";

import { staleChartFiles } from "./chart-files.ts";
import { staleCliPages } from "./cli-pages.ts";
import { customResources, definitionFiles } from "./custom-resources.ts";
import { fieldTable } from "./field-table.ts";
import { formattedFiles } from "./formatted-files.ts";
import { markdownTable } from "./markdown-table.ts";
import { withBlock } from "./page-block.ts";
import { staleProtocolCode } from "./protocol-code.ts";
import { settingBlocks } from "./settings-table.ts";

interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** `WorkloadInstance` has its page in `workload-instance.md`. */
function pageName(kind: string): string {
  return `${kind.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.md`;
}

function blocksOf({
  spec,
  status,
  conditions,
}: Pick<Kind, "spec" | "status" | "conditions">): Record<string, string> {
  const rows = Object.entries(conditions).map(([type, meaning]) => [`\`${type}\``, meaning]);
  return {
    "fields: spec": fieldTable(fieldsOf(spec)),
    "fields: status": fieldTable(fieldsOf(status)),
    ...(rows.length === 0 ? {} : { conditions: markdownTable(["Condition", "True when"], rows) }),
  };
}

function kindPage(root: string, kind: Kind): GeneratedFile {
  return generatedPage(root, `docs/reference/kinds/${pageName(kind.kind)}`, {
    ...blocksOf(kind),
    filters: kind.filterable.map(({ text }) => `- \`${text}\``).join("\n"),
  });
}

function generatedPage(root: string, path: string, blocksByName: Record<string, string>): GeneratedFile {
  try {
    const page = readFileSync(join(root, path), "utf8");
    const blocks = Object.entries(blocksByName);
    return { path, content: blocks.reduce((text, [name, block]) => withBlock(text, name, block), page) };
  } catch (error) {
    throw new Error(`${path} cannot be generated: a page needs its text and the markers of its tables.`, {
      cause: error,
    });
  }
}

function generatedDocument(root: string): GeneratedFile {
  return {
    path: "docs/reference/openapi.json",
    content: JSON.stringify(openApiDocument({ version: versionOf(root) }), undefined, 2),
  };
}

function versionOf(root: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return version;
}

/** The values of an installation: its own, and the settings of the server among them. */
function valueBlocks(): Record<string, string> {
  // An empty default stands for what is not given.
  const fields = fieldsOf(valuesSchema(serverSettings)).map(({ default: preset, ...field }) =>
    ['""', "{}", "[]"].includes(JSON.stringify(preset)) ? field : { ...field, default: preset },
  );
  const isSetting = ({ path }: FieldDescription): boolean => path.startsWith("settings.");
  return {
    values: fieldTable(fields.filter((field) => !isSetting(field))),
    settings: fieldTable(fields.filter(isSetting)),
  };
}

function currentContent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A file that cannot be read is stale, whatever the reason; writing it will say what is wrong.
    return undefined;
  }
}

/** The generated files under `root` that are not what they should be, with what they should be. */
export function staleFiles(root: string): GeneratedFile[] {
  const files = [
    generatedDocument(root),
    ...definitionFiles(),
    ...kinds.map((kind) => kindPage(root, kind)),
    ...customResources.map((resource) => generatedPage(root, resource.page, blocksOf(resource))),
    generatedPage(root, "docs/reference/configuration.md", settingBlocks(serverSettings)),
    generatedPage(root, "docs/reference/installation.md", valueBlocks()),
    generatedPage(root, "docs/reference/agent.md", settingBlocks(agentSettings)),
    generatedPage(root, "docs/reference/operator.md", settingBlocks(operatorSettings)),
  ];
  const contents = formattedFiles(new Map(files.map(({ path, content }) => [path, content])));
  return [...contents]
    .map(([path, content]) => ({ path, content }))
    .filter(({ path, content }) => currentContent(join(root, path)) !== content);
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const check = process.argv.includes("--check");
  const stale = [
    ...staleFiles(root),
    ...(await staleCliPages(root)),
    ...staleChartFiles(root, versionOf(root)),
    ...staleProtocolCode(root),
  ];
  for (const { path, content } of stale) {
    if (check) {
      console.error(`${path} is stale; run npm run generate`);
      process.exitCode = 1;
    } else if (content === undefined) {
      rmSync(join(root, path));
      console.log(`removed ${path}`);
    } else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
      console.log(`wrote ${path}`);
    }
  }
}
