import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";

import { readConfigFile } from "./config-file.ts";
import { resolveSettings, sourceOf, withShown } from "./resolve-settings.ts";
import type { SettingSources } from "./setting-sources.ts";
import { settingTable } from "./setting-table.ts";
import { duration, integer, text, urlList } from "./setting-types.ts";

const table = settingTable(
  {
    name: { type: text, default: "a", variable: "NAME", description: "How it is called." },
    limits: {
      wait: { type: duration("0s", "1h"), description: "How long to wait." },
      count: { type: integer(1, 9), flag: "most", default: "3", description: "How many." },
    },
    token: { type: text, secret: "whole", fileMayBeGone: true, description: "Needed once." },
    brokers: { type: urlList(["nats:"], "nats://a"), secret: "password", description: "The brokers." },
  },
  { page: "docs/page.md", configFile: { flag: "--config", variable: "CONFIG", description: "A file." } },
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bowline-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

function load(flags: SettingSources["flags"], environment: SettingSources["environment"] = {}) {
  return resolveSettings(table, {
    flags,
    environment,
    file: readConfigFile(table, { flags, environment }),
  });
}

describe("a table of settings", () => {
  test("gives each its names", () => {
    expect(table.named.map(({ name, flag, variable }) => [name, flag, variable])).toEqual([
      ["name", "--name", "NAME"],
      ["limits.wait", "--limits-wait", "BOWLINE_LIMITS_WAIT"],
      ["limits.count", "--most", "BOWLINE_MOST"],
      ["token", undefined, "BOWLINE_TOKEN"],
      ["brokers", "--brokers", "BOWLINE_BROKERS"],
    ]);
    expect(table.named[3]?.fromFile).toEqual({
      name: "tokenFile",
      flag: "--token-file",
      variable: "BOWLINE_TOKEN_FILE",
    });
  });

  test("gives the values their types: those without a default may be missing", () => {
    const { values } = load({ "--limits-wait": "1m" });
    expectTypeOf(values.name).toEqualTypeOf<string>();
    expectTypeOf(values.limits.count).toEqualTypeOf<number>();
    expectTypeOf(values.limits.wait).toEqualTypeOf<number | undefined>();
    expectTypeOf(values.brokers).toEqualTypeOf<readonly string[] | undefined>();
    expect(values).toEqual({
      name: "a",
      limits: { wait: 60_000, count: 3 },
      token: undefined,
      brokers: undefined,
    });
  });
});

describe("where a value is from", () => {
  test("is known, in the words of the user", () => {
    const config = file("limits: {wait: 5s}");
    const report = load({ "--config": config, "--most": "4" }, { NAME: "b" });
    expect(sourceOf(report, "limits.count")).toBe("--most");
    expect(sourceOf(report, "name")).toBe("NAME");
    expect(sourceOf(report, "limits.wait")).toBe(`${config}: limits.wait`);
    expect(sourceOf(report, "token")).toBe("default");
    expect(sourceOf(report, "no setting")).toBe("no setting");
  });

  test("stays when the program shows a value of its own", () => {
    const { origins } = load({}, { NAME: "b" });
    expect(withShown(origins, "name", "/b").get("name")).toMatchObject({ shown: "/b", source: "NAME" });
    expect(withShown(origins, "none", "/b")).toBe(origins);
  });
});

describe("a secret that is needed once", () => {
  test("is taken from its file, and else from where it is given directly", () => {
    expect(load({ "--token-file": file("t1\n") }).values.token).toBe("t1");
    const environment = { BOWLINE_TOKEN: "t2", BOWLINE_TOKEN_FILE: file("t1") };
    expect(load({}, environment).values.token).toBe("t1");
    expect(load({}, { ...environment, BOWLINE_TOKEN_FILE: "/gone" }).values.token).toBe("t2");
    expect(load({ "--token-file": "/gone" }).values.token).toBeUndefined();
    expect(load({ "--token-file": file(" ") }).values.token).toBeUndefined();
    expect(() => load({ "--token-file": folder })).toThrow(
      `--token-file names ${folder}, which cannot be read (EISDIR).`,
    );
  });
});

describe("several addresses with passwords", () => {
  test("are shown without them, also as a list of the file", () => {
    const shown = "nats://x:[Redacted]@a,nats://x:[Redacted]@b";
    const flags = { "--brokers": "nats://u:s3cret@a,nats://u:s3cret@b" };
    expect(load(flags).origins.get("brokers")?.shown).toBe(shown);
    const listed = load({ "--config": file("brokers: ['nats://u:s3cret@a', 'nats://u:s3cret@b']") });
    expect(listed.values.brokers).toEqual(["nats://u:s3cret@a", "nats://u:s3cret@b"]);
    expect(listed.origins.get("brokers")?.shown).toBe(shown);
  });
});

test("a program without a config file reads none", () => {
  const { configFile: _, ...options } = table;
  const without = settingTable(table.settings, options);
  expect(readConfigFile(without, { flags: { "--config": "/gone" }, environment: {} })).toBeUndefined();
});

test("a key of the config file that is like none leads to the page that lists them", () => {
  const config = file("colour: blue");
  expect(() => load({ "--config": config })).toThrow(
    `${config}: colour is no setting; docs/page.md lists all of them.`,
  );
});
