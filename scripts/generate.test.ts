import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { fieldTable } from "./field-table.ts";
import { staleFiles } from "./generate.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

describe("staleFiles", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bowline-generate-"));
    cpSync(join(repository, "package.json"), join(root, "package.json"));
    for (const folder of ["docs/reference", "deploy/crds"]) {
      cpSync(join(repository, folder), join(root, folder), { recursive: true });
    }
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function edit(path: string, change: (content: string) => string): void {
    writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));
  }

  test("finds nothing in what is committed", () => {
    expect(staleFiles(root).map(({ path }) => path)).toEqual([]);
  });

  test("finds a document and a table that somebody changed, and puts them right", () => {
    edit("docs/reference/openapi.json", (content) => content.replace("listCluster", "listClusters"));
    edit("docs/reference/kinds/cluster.md", (content) => content.replace("| `provider`", "| `provder`"));
    const stale = staleFiles(root);
    expect(stale.map(({ path }) => path)).toEqual([
      "docs/reference/openapi.json",
      "docs/reference/kinds/cluster.md",
    ]);
    for (const { path, content } of stale) {
      expect(content).toBe(readFileSync(join(repository, path), "utf8"));
    }
  });

  test("finds a definition of a custom resource that somebody changed", () => {
    const path = "deploy/crds/monitoring.bowline.dev_metricsagents.yaml";
    edit(path, (content) => content.replace("maximum: 100\n", "maximum: 101\n"));
    expect(staleFiles(root).map((stale) => stale.path)).toEqual([path]);
  });

  test("leaves alone what people write around the tables", () => {
    edit("docs/reference/kinds/cluster.md", (content) =>
      content.replace("## Working with it\n", "## Working with it\n\nMore.\n"),
    );
    expect(staleFiles(root)).toEqual([]);
  });

  test("says which page has no place for its table", () => {
    edit("docs/reference/kinds/token.md", (content) => content.replace("<!-- fields: status -->", ""));
    expect(() => staleFiles(root)).toThrow("docs/reference/kinds/token.md cannot be generated:");
  });

  test("says which page is missing", () => {
    rmSync(join(root, "docs/reference/kinds/token.md"));
    expect(() => staleFiles(root)).toThrow("docs/reference/kinds/token.md cannot be generated:");
  });
});

test("fieldTable escapes what would end a cell", () => {
  const field = { path: "a", type: "string", description: "One | two.", required: true, limits: ["a | b"] };
  expect(fieldTable([field]).split("\n")[2]).toBe(
    String.raw`| ${"`a`"} | string | required | One \| two. A \| b. |`,
  );
});
