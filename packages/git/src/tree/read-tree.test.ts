import type { TestFiles } from "@bowline/test-services/git";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { GitCache, type GitTree, type PathProblem, type TreeLimits } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";

let stage: Stage;
let cache: GitCache;
beforeAll(async () => {
  stage = await createStage();
  cache = new GitCache({ folder: stage.workFolder, protocols: ["file"] });
});
afterAll(() => stage[Symbol.asyncDispose]());

let branches = 0;
interface Reading {
  readonly path?: string;
  readonly limits?: Partial<TreeLimits>;
  readonly select?: (path: string) => boolean;
}

/** Reads a commit that has these files and no others. */
async function read(files: TestFiles, { path = "app", ...rest }: Reading = {}): Promise<GitTree> {
  const commit = await stage.repository.commit({ branch: `tree-${branches++}`, files, orphan: true });
  const url = `file://${stage.repository.folder}`;
  await cache.fetchCommit({ url, commit });
  return cache.readTree({ url, commit, path, ...rest });
}

const textsOf = ({ files }: GitTree): Record<string, string> =>
  Object.fromEntries(files.map(({ path, bytes }) => [path, bytes.toString("utf8")]));

const problem = (code: string, path: string, kind: PathProblem): object => ({
  code,
  details: { path, problem: kind },
});

describe("files of a commit", () => {
  it("are those below the path, sorted, as bytes, with what can be run marked", async () => {
    const { files, treeId } = await read({
      "app/b.yaml": "b\n",
      "app/a/x.yaml": "x\n",
      "app/run.sh": { executable: "#!/bin/sh\n" },
      "elsewhere.yaml": "no\n",
    });
    expect(files.map(({ path, executable }) => [path, executable])).toEqual([
      ["a/x.yaml", false],
      ["b.yaml", false],
      ["run.sh", true],
    ]);
    expect(treeId).toMatch(/^[0-9a-f]{40}$/u);
  });

  it("have the same tree id whatever happened elsewhere in the repository", async () => {
    const one = await read({ "app/a.yaml": "a\n", other: "1" });
    const two = await read({ "app/a.yaml": "a\n", other: "2" });
    const three = await read({ "app/a.yaml": "b\n", other: "2" });
    expect(two.treeId).toBe(one.treeId);
    expect(three.treeId).not.toBe(one.treeId);
  });

  it("can be all, or one", async () => {
    const files = { "app/a.yaml": "a\n", "b.yaml": "b\n" };
    expect(textsOf(await read(files, { path: "." }))).toEqual(files);
    expect(textsOf(await read(files, { path: "./app/a.yaml" }))).toEqual({ "a.yaml": "a\n" });
  });

  it("keep line ends and byte order marks as they are, and strange names", async () => {
    const files = { "app/crlf.yaml": "a: 1\r\n", "app/bom.yaml": "\uFEFFa: 1\n", 'app/[x] *"é.yaml': "z\n" };
    expect(textsOf(await read(files))).toEqual({
      "crlf.yaml": "a: 1\r\n",
      "bom.yaml": "\uFEFFa: 1\n",
      '[x] *"é.yaml': "z\n",
    });
  });

  it("that nobody selects are not looked at", async () => {
    const select = (path: string): boolean => path.endsWith(".yaml");
    const files = {
      "app/a.yaml": "a\n",
      "app/big.bin": Buffer.alloc(2_000_000),
      "app/A.txt": "",
      "app/a.txt": "",
    };
    expect(textsOf(await read(files, { select, limits: { maxFiles: 4 } }))).toEqual({ "a.yaml": "a\n" });
  });

  it("of a path that is not there, or leads out, are refused", async () => {
    await expect(read({ "app/a": "" }, { path: "ap" })).rejects.toMatchObject({ code: "PathNotFound" });
    await expect(read({ "app/a": "" }, { path: ":(top)app" })).rejects.toMatchObject({
      code: "PathNotFound",
    });
    await expect(read({ "app/a": "" }, { path: "app/../.." })).rejects.toMatchObject({
      code: "InvalidArgument",
    });
    await expect(read({ "app/a": "", l: { symlink: "app" } }, { path: "l" })).rejects.toMatchObject(
      problem("UnsafePath", "l", "linkOutside"),
    );
  });
});

describe("symbolic links", () => {
  it("inside of the path are what they lead to, through folders and other links", async () => {
    const tree = await read({
      "app/base/a.yaml": "a\n",
      "app/base/deep/b.yaml": "b\n",
      "app/file.yaml": { symlink: "base/a.yaml" },
      "app/again.yaml": { symlink: "./file.yaml" },
      "app/folder": { symlink: "base" },
      "app/sub/up.yaml": { symlink: "../folder/deep/../a.yaml" },
    });
    expect(textsOf(tree)).toEqual({
      "base/a.yaml": "a\n",
      "base/deep/b.yaml": "b\n",
      "file.yaml": "a\n",
      "again.yaml": "a\n",
      "folder/a.yaml": "a\n",
      "folder/deep/b.yaml": "b\n",
      "sub/up.yaml": "a\n",
    });
  });

  it.each<[string, TestFiles, string, PathProblem]>([
    ["out of the path", { "app/l": { symlink: "../secret" }, secret: "s" }, "l", "linkOutside"],
    ["to a file of the machine", { "app/l": { symlink: "/etc/passwd" } }, "l", "linkOutside"],
    ["out through another", { "app/l": { symlink: "m/x" }, "app/m": { symlink: ".." } }, "l", "linkOutside"],
    ["to itself", { "app/l": { symlink: "l" } }, "l", "linkLoop"],
    ["in a circle", { "app/l": { symlink: "m" }, "app/m": { symlink: "l" } }, "l", "linkLoop"],
    ["to the folder that it is in", { "app/d/l": { symlink: "." }, "app/d/x": "" }, "d/l", "linkLoop"],
    ["to the folder above", { "app/d/l": { symlink: ".." }, "app/x": "" }, "d/l", "linkLoop"],
    ["to nothing", { "app/l": { symlink: "gone" } }, "l", "danglingLink"],
    ["through a file", { "app/l": { symlink: "f/x" }, "app/f": "" }, "l", "danglingLink"],
  ])("that lead %s are refused", async (_, files, path, kind) => {
    await expect(read(files)).rejects.toMatchObject(problem("UnsafePath", path, kind));
  });

  it("through eight others are refused, through seven not", async () => {
    const chain = (length: number): TestFiles =>
      Object.fromEntries([
        ["app/end", "e"],
        ...Array.from({ length }, (_, at): [string, { symlink: string }] => [
          `app/l${at}`,
          { symlink: at === 0 ? "end" : `l${at - 1}` },
        ]),
      ]);
    expect((await read(chain(8))).files).toHaveLength(9);
    await expect(read(chain(9))).rejects.toMatchObject({
      code: "UnsafePath",
      details: { problem: "linkLoop" },
    });
  });

  it("to folders full of links do not multiply without end", async () => {
    const files: Record<string, string | { symlink: string }> = { "app/d0/x": "" };
    for (let level = 1; level < 8; level++) {
      for (let link = 0; link < 10; link++) files[`app/d${level}/l${link}`] = { symlink: `../d${level - 1}` };
    }
    await expect(read(files)).rejects.toMatchObject({ code: "TooLarge", details: { limit: 2_000 } });
  });
});

describe("what is not a plain file", () => {
  it.each<[string, TestFiles, string, PathProblem]>([
    ["a submodule", { "app/m": { submodule: "1".repeat(40) } }, "m", "submodule"],
    [
      "a pointer of Git LFS",
      { "app/x.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n" },
      "x.bin",
      "lfsPointer",
    ],
    ["YAML that is not UTF-8", { "app/x.yml": Buffer.from("a: \xE9\n", "latin1") }, "x.yml", "notUtf8"],
    ["YAML in UTF-16", { "app/x.yaml": Buffer.from("\uFEFFa: 1", "utf16le") }, "x.yaml", "notUtf8"],
    ["two names that differ in case", { "app/A.yaml": "", "app/a.yaml": "" }, "a.yaml", "caseCollision"],
    ["two folders that differ in case", { "app/D/x": "", "app/d/y": "" }, "d", "caseCollision"],
    ["a name with a backslash", { "app/a\\b": "" }, '"a\\\\b"', "name"],
    ["a name with a line's end", { "app/a\nb": "" }, '"a\\nb"', "name"],
  ])("is refused: %s", async (_, files, path, kind) => {
    const code = kind === "lfsPointer" || kind === "notUtf8" ? "UnreadableFile" : "UnsafePath";
    await expect(read(files)).rejects.toMatchObject(problem(code, path, kind));
  });
});

describe("limits", () => {
  const three = { "app/a.yaml": "1234", "app/b.yaml": "12345", "app/c.yaml": "123" };

  it("are named with the path, the number and the limit", async () => {
    await expect(read(three, { limits: { maxFiles: 2 } })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "app", actual: 3, limit: 2 },
    });
    await expect(read(three, { limits: { maxFileBytes: 4 } })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "b.yaml", actual: 5, limit: 4 },
    });
    await expect(read(three, { limits: { maxTotalBytes: 11 } })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "app", actual: 12, limit: 11 },
    });
    const atLimit = { maxFiles: 3, maxFileBytes: 5, maxTotalBytes: 12 };
    expect((await read(three, { limits: atLimit })).files).toHaveLength(3);
  });

  it("let a file of exactly the limit through the filter of the fetch", async () => {
    const files = { "app/exact": Buffer.alloc(1_048_576), "app/x": "1" };
    expect((await read(files)).files.map(({ bytes }) => bytes.length)).toEqual([1_048_576, 1]);
    await expect(read({ "app/over": Buffer.alloc(1_048_577) })).rejects.toMatchObject({
      code: "TooLarge",
      details: { path: "over", limit: 1_048_576 },
    });
  });
});
