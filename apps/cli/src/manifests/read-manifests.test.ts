import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { readManifests } from "./read-manifests.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bowline-manifests-"));
});
afterEach(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();
const cluster = (name: string): string => `kind: Cluster\nmetadata:\n  name: ${name}\n`;

async function read(
  paths: readonly string[],
  options: { recursive?: boolean; stdin?: string } = {},
): Promise<string[]> {
  const { stdin = "", recursive = false } = options;
  const found = await readManifests(paths, { recursive, signal, readStdin: async () => stdin });
  return found.map(({ name, origin }) => `${name} in ${origin.source.replace(`${folder}/`, "")}`);
}

async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

describe("readManifests", () => {
  test("reads the manifests of a folder by name, and of its folders when asked", async () => {
    await mkdir(join(folder, "deep"));
    await write({
      "b.yml": cluster("b"),
      "a.json": '{"kind":"User","metadata":{"name":"a"}}',
      "notes.txt": "no",
    });
    await write({ "deep/c.yaml": cluster("c") });
    await symlink(folder, join(folder, "circle"));
    expect(await read([folder])).toEqual(["a in a.json", "b in b.yml"]);
    expect(await read([folder], { recursive: true })).toEqual([
      "a in a.json",
      "b in b.yml",
      "c in deep/c.yaml",
    ]);
  });

  test("reads standard input and files, in the order given", async () => {
    await write({ "a.txt": cluster("a") });
    expect(await read(["-", join(folder, "a.txt")], { stdin: cluster("z") })).toEqual([
      "z in standard input",
      "a in a.txt",
    ]);
  });

  test("refuses an object that is there twice, and names both places", async () => {
    await write({ "a.yaml": cluster("a"), "b.yaml": `${cluster("c")}---\n${cluster("a")}` });
    await expect(read([folder])).rejects.toThrow(
      /^cluster\/a is there twice: in \S*a\.yaml, line 1 and in \S*b\.yaml, document 2, line 5\.$/,
    );
  });

  test.each([
    ["a file that is not there", "missing.yaml", /missing\.yaml does not exist\.$/],
    ["a folder without manifests", "empty", /empty has no \.yaml, \.yml or \.json files; -R looks/],
    ["what is not UTF-8", "latin1.yaml", /latin1\.yaml is not text in UTF-8\.$/],
    ["a file without an object", "comment.yaml", /^There are no objects in \S*comment\.yaml\.$/],
    ["a huge file", "huge.yaml", /huge\.yaml is longer than 16 MiB; split it\.$/],
  ])("refuses %s", async (_, path, message) => {
    await mkdir(join(folder, "empty"));
    await write({ "latin1.yaml": Uint8Array.of(0x61, 0xe9), "comment.yaml": "# nothing\n" });
    if (path === "huge.yaml") await write({ "huge.yaml": Buffer.alloc(16 * 1024 * 1024 + 1, "#") });
    await expect(read([join(folder, path)])).rejects.toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringMatching(message) }),
    );
  });

  test("refuses to read standard input twice", async () => {
    await expect(read(["-", "-"])).rejects.toThrow("only once");
  });
});
