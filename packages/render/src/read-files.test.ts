import { afterAll, expect, test } from "vitest";

import { readFiles, type ReadFiles } from "./read-files.ts";
import { defaultRenderLimits } from "./render-limits.ts";
import { sourceFiles } from "./testing/fake-tool.ts";
import { describeRenderProblem } from "./worker/read-manifests.ts";
import { RenderPool } from "./worker/render-pool.ts";

const pool = new RenderPool({ concurrency: 1 });
afterAll(() => pool[Symbol.asyncDispose]());

const { signal } = new AbortController();

function read(
  texts: Readonly<Record<string, string | Uint8Array>>,
  limits = defaultRenderLimits,
): Promise<ReadFiles> {
  return readFiles({ files: sourceFiles(texts), pool, limits, signal });
}

test("documents come with their file, number and line, and lists as their items", async () => {
  const { documents } = await read({
    "b.json": '{"kind": "ThingList",\n"items": [\n{"a": 1},\n{"a": 2}]}',
    "a.yaml": "# first\na: 1\n---\n---\nb: 2\n",
    ".hidden/c.yaml": "c: 3\n",
    "readme.md": "no",
  });
  expect(documents).toEqual([
    { file: "a.yaml", document: 1, line: 2, value: { a: 1 }, fields: { a: 2 } },
    { file: "a.yaml", document: 3, line: 5, value: { b: 2 }, fields: { b: 5 } },
    { file: "b.json", document: 1, line: 3, value: { a: 1 }, fields: { a: 3 } },
    { file: "b.json", document: 1, line: 4, value: { a: 2 }, fields: { a: 4 } },
  ]);
  expect(await read({ "readme.md": "no" })).toEqual({ documents: [], problems: [] });
});

test("the fields of a document have their lines, by the paths that problems have", async () => {
  const text =
    "base: &base\n  far: 1\nlist:\n- one: 1\n  two: {three: 3,\n    four: 4}\n- 5\nsame: *base\n'a.b/c': 6\n";
  const { documents } = await read({ "a.yaml": text });
  expect(documents[0]?.fields).toEqual({
    base: 1,
    "base.far": 2,
    list: 3,
    "list[0]": 4,
    "list[0].one": 4,
    "list[0].two": 5,
    "list[0].two.three": 5,
    "list[0].two.four": 6,
    "list[1]": 7,
    same: 8,
    '["a.b/c"]': 9,
  });
});

test("all that cannot be read is told, with its place", async () => {
  const { documents, problems } = await read({
    "a.yaml": "a: 1\na: 2\n",
    "b.yaml": Uint8Array.from([0xff, 0xfe, 0x00]),
    "c.yaml": "c: 3\n",
  });
  expect(documents).toEqual([]);
  expect(problems.map((problem) => describeRenderProblem(problem))).toEqual([
    "a.yaml: document 1, line 2: the key a is written twice",
    "b.yaml: this is not text in UTF-8",
  ]);
});

test("a text that would become far longer, and too many documents, are refused", async () => {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const of = level === 0 ? "lol" : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array.from({ length: 10 }, () => of).join(", ")}]`;
  });
  await expect(read({ "bomb.yaml": levels.join("\n") })).rejects.toMatchObject({
    code: "TooLarge",
    details: { path: "bomb.yaml", exceeded: "expansion" },
  });
  await expect(
    read({ "a.yaml": "a: 1\n---\nb: 2\n" }, { ...defaultRenderLimits, objects: 1 }),
  ).rejects.toMatchObject({
    code: "TooLarge",
    details: { path: "a.yaml", actual: 2, limit: 1 },
  });
});
