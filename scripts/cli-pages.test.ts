import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { staleCliPages } from "./cli-pages.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const folder = "docs/reference/cli";

describe("staleCliPages", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bowline-cli-pages-test-"));
    cpSync(join(repository, folder), join(root, folder), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test("finds nothing in what is committed", async () => {
    expect(await staleCliPages(root)).toEqual([]);
  });

  test("finds a page that somebody changed, one that is missing, and one of a command that is no more", async () => {
    appendFileSync(join(root, folder, "get.md"), "More.");
    rmSync(join(root, folder, "login.md"));
    writeFileSync(join(root, folder, "old.md"), "");
    const committed = (name: string): string => readFileSync(join(repository, folder, name), "utf8");
    expect(await staleCliPages(root)).toEqual([
      { path: `${folder}/get.md`, content: committed("get.md") },
      { path: `${folder}/login.md`, content: committed("login.md") },
      { path: `${folder}/old.md`, content: undefined },
    ]);
  });

  test("leaves alone what people write around the lists of the overview", async () => {
    const overview = join(root, folder, "README.md");
    writeFileSync(overview, readFileSync(overview, "utf8").replace("## Output\n", "## Output\n\nMore.\n"));
    expect(await staleCliPages(root)).toEqual([]);
  });
});
