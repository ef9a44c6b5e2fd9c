import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { runBowline } from "../../testing/run-bowline.ts";

/**
 * Inputs and expected outputs of another generator, which are not part of the project: they are read from beside it
 * where they are. The renderer has a test of its own with them; this one goes through the command line.
 */
const folder = new URL("../../../../../../shared/fixtures/prometheus-operator/pairs/", import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).sort() : [];
const where = names.length === 0 ? ` (absent: ${folder.pathname} does not exist)` : "";

interface Meta {
  readonly mode: string;
  readonly options: Readonly<Record<string, boolean>>;
}

interface Config {
  readonly scrape_configs: unknown;
  readonly remote_write?: unknown;
  readonly global: { readonly external_labels: unknown };
}

function read(name: string, file: string): unknown {
  return parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8"));
}

/** A regex that is only digits is printed as a number there. */
function comparable({ scrape_configs, remote_write, global }: Config): unknown {
  const compared = { scrape_configs, remote_write, external_labels: global.external_labels };
  return JSON.parse(JSON.stringify(compared), (key, value: unknown) =>
    key === "regex" ? String(value) : value,
  );
}

/** `endpointSliceSupported: true` as `--endpoint-slice-supported=true` */
function flagsOf({ mode, options }: Meta): string[] {
  const switches = Object.entries(options).map(
    ([name, value]) => `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  );
  return ["--mode", mode, ...switches];
}

describe.skipIf(names.length === 0)(
  `bowline metrics render and the pairs of prometheus-operator${where}`,
  () => {
    test.each(names.length === 0 ? ["none"] : names)("%s", async (name) => {
      const input = fileURLToPath(new URL(`${name}/input.yaml`, folder));
      const flags = flagsOf(read(name, "meta.yaml") as Meta);
      const { code, out } = await runBowline(["metrics", "render", "-f", input, ...flags]);
      expect(code).toBe(0);
      expect(comparable(parse(out) as Config)).toEqual(comparable(read(name, "expected.yaml") as Config));
    });
  },
);
