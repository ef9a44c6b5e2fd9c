import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import { parseAllDocuments } from "yaml";

/** Beside the checkout; they belong to another project and are never copied into this one. */
const besideCheckout = new URL("../../../../../shared/fixtures", import.meta.url);

/** A folder with the files of Gateway API's standard channel, or why there is none. */
export type DefinitionsFolder =
  | { readonly path: string; readonly obstacle?: never }
  | { readonly path?: never; readonly obstacle: string };

/** Looks below the folder that `TEST_FIXTURES` names, and else beside the checkout. */
export function gatewayDefinitionsFolder(env: NodeJS.ProcessEnv = process.env): DefinitionsFolder {
  const fixtures = env["TEST_FIXTURES"] ?? fileURLToPath(besideCheckout);
  const path = join(fixtures, "gateway-api", "standard");
  return existsSync(path)
    ? { path }
    : {
        obstacle: `there are no definitions of Gateway API in ${path}; TEST_FIXTURES can name another folder`,
      };
}

/** Why nothing can be tested that needs Gateway API, told once for each file of tests; undefined when it can. */
export function whyNoGatewayApi(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { obstacle } = gatewayDefinitionsFolder(env);
  if (obstacle !== undefined) process.stderr.write(`Gateways were not tested: ${obstacle}.\n`);
  return obstacle;
}

/**
 * The CustomResourceDefinitions alone, of a folder or of the one file that is released: there is an admission policy beside
 * them, which only newer servers have.
 */
export async function readGatewayDefinitions(path: string): Promise<KubeObject[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => name.endsWith(".yaml")).toSorted() : [""];
  const files = await Promise.all(names.map((name) => readFile(join(path, name), "utf8")));
  return files
    .flatMap((text) => parseAllDocuments(text))
    .map((document): unknown => document.toJS())
    .filter(isDefinition);
}

function isDefinition(value: unknown): value is KubeObject {
  return isRecord(value) && value["kind"] === "CustomResourceDefinition";
}
