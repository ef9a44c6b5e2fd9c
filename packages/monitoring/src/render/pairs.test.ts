import { existsSync, readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import {
  isRoot,
  render,
  resolveFromObjects,
  type KubeObject,
  type RenderOptions,
  type RenderResult,
} from "../index.ts";
import { promtoolName, promtoolProblem, promtoolVersion, understoodConfig } from "../testing/promtool.ts";

/**
 * Inputs and expected outputs of another generator, which are not part of the project: they are read from beside it
 * where they are.
 */
const folder = new URL("../../../../../shared/fixtures/prometheus-operator/pairs/", import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).sort() : [];

interface Meta {
  readonly mode: "server" | "agent";
  readonly options: Partial<RenderOptions>;
}

interface Config {
  readonly scrape_configs: unknown;
  readonly remote_write?: unknown;
  readonly global: { readonly external_labels: unknown };
}

function readPair(name: string, file: string): string {
  return readFileSync(new URL(`${name}/${file}`, folder), "utf8");
}

function readObjects(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document): KubeObject[] => {
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

function renderPair(name: string, version?: string): RenderResult {
  const objects = readObjects(readPair(name, "input.yaml"));
  const { mode, options } = parse(readPair(name, "meta.yaml")) as Meta;
  const root = objects.find(isRoot);
  if (root === undefined) throw new Error("the pair has no root");
  const resolve = resolveFromObjects(objects);
  return render(
    { root, objects },
    { ...options, mode, version, selection: "all", checks: "values", resolve },
  );
}

/** A regex that is only digits is printed as a number there. */
function comparable(config: Config): unknown {
  const { scrape_configs, remote_write, global } = config;
  const compared = { scrape_configs, remote_write, external_labels: global.external_labels };
  return JSON.parse(JSON.stringify(compared), (key, value: unknown) =>
    key === "regex" ? String(value) : value,
  );
}

const where = names.length === 0 ? ` (absent: ${folder.pathname} does not exist)` : "";

describe.skipIf(names.length === 0)(`the pairs of prometheus-operator${where}`, () => {
  test.each(names.length === 0 ? ["none"] : names)("%s", (name) => {
    const result = renderPair(name);
    const expected = parse(readPair(name, "expected.yaml")) as Config;
    expect(result.rejected).toEqual([]);
    expect(comparable(parse(result.config) as Config)).toEqual(comparable(expected));
  });

  test.skipIf(promtoolVersion === undefined)(`${promtoolName} accepts them all`, () => {
    const results = names.map((name) => renderPair(name, `v${promtoolVersion}`));
    expect(promtoolProblem(results.map(understoodConfig))).toBeUndefined();
  });
});
