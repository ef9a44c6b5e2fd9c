import { tmpdir } from "node:os";

import { revisionOf } from "@bowline/manifests";
import { afterAll, describe, expect, test } from "vitest";

import { renderFiles, type Rendered, type RenderRequest } from "./render-files.ts";
import { defaultRenderLimits } from "./render-limits.ts";
import { sourceFiles } from "./testing/fake-tool.ts";
import { RenderTools } from "./tools/render-tools.ts";
import { describeRenderProblem } from "./worker/read-manifests.ts";
import { RenderPool } from "./worker/render-pool.ts";

const pool = new RenderPool({ concurrency: 1 });
afterAll(() => pool[Symbol.asyncDispose]());

const tools = new RenderTools({ searchPath: "", allow: [], temporaryFolder: tmpdir() });
const { signal } = new AbortController();

function render(
  texts: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<RenderRequest> = {},
): Promise<Rendered> {
  return renderFiles({ files: sourceFiles(texts), tools, pool, signal, ...options });
}

async function namesOf(rendered: Promise<Rendered>): Promise<string[]> {
  const result = await rendered;
  if (!result.ok) throw new Error(result.problems.map(describeRenderProblem).join("; "));
  return result.objects.map(({ metadata }) => metadata.name);
}

async function problemsOf(rendered: Promise<Rendered>): Promise<string[]> {
  const result = await rendered;
  return result.ok ? [] : result.problems.map(describeRenderProblem);
}

const configMap = (name: string, rest = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n${rest}`;

describe("YAML and JSON", () => {
  test("are read below the folder, in the order of their paths, whatever order they come in", async () => {
    const texts = {
      "b/z.yml": configMap("z"),
      "a.json": JSON.stringify(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "j" } },
        undefined,
        "\t",
      ),
      "a/c.yaml": `\uFEFF${configMap("c1")}---\r\n${configMap("c2")}`,
      "readme.md": "no",
      ".github/workflows/ci.yaml": "on: push",
    };
    expect(await namesOf(render(texts))).toEqual(["j", "c1", "c2", "z"]);
    const turned = Object.fromEntries(Object.entries(texts).toReversed());
    expect(await namesOf(render(turned))).toEqual(["j", "c1", "c2", "z"]);
    expect(await namesOf(render(texts, { folder: "a" }))).toEqual(["c1", "c2"]);
  });

  test("are chosen by globs", async () => {
    const texts = { "a.yaml": configMap("a"), "x/b.yaml": configMap("b"), "x/y/c.yaml": configMap("c") };
    const chosen = (render_: NonNullable<RenderRequest["render"]>): Promise<string[]> =>
      namesOf(render(texts, { render: render_ }));
    expect(await chosen({ include: ["x/**"] })).toEqual(["b", "c"]);
    expect(await chosen({ exclude: ["**/c.*", "a.yaml"] })).toEqual(["b"]);
    expect(await chosen({ include: ["*.yaml"] })).toEqual(["a"]);
    await expect(chosen({ include: ["none/*"] })).rejects.toMatchObject({ code: "RenderFailed" });
    await expect(chosen({ include: ["/a"] })).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  test("that are wrong are problems with file and line, all of them", async () => {
    const problems = await problemsOf(
      render({
        "a.yaml": `${configMap("a")}---\n${configMap("b", "data: {x: 1, x: 2}\n")}`,
        "b.yaml": configMap("a"),
        "c.yaml": "apiVersion: v1\nkind: Job\nmetadata: { generateName: run- }\n",
        "d.yaml": Uint8Array.of(0x61, 0xe9),
      }),
    );
    expect(problems).toEqual([
      "a.yaml: document 2, line 8: the key x is written twice",
      "b.yaml: ConfigMap a: the same object is in a.yaml already",
      "c.yaml: document 1, line 1: Job: metadata.generateName would make another object each time; give it a name",
      "d.yaml: this is not text in UTF-8",
    ]);
  });

  test("have Lists as their items, and anchors as what they stand for", async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n  - &a\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: { name: a }\n    data: { k: v }\n  - { <<: *a, metadata: { name: b } }\n`;
    const result = await render({ "list.yaml": list });
    expect(result).toMatchObject({
      ok: true,
      count: 2,
      objects: [
        { metadata: { name: "a" }, data: { k: "v" } },
        { metadata: { name: "b" }, data: { k: "v" } },
      ],
    });
  });

  test("give the same content and the same revision id wherever they are rendered", async () => {
    const texts = { "a.yaml": configMap("a", "data: { b: '2', a: '1' }\n"), "b.yaml": configMap("b") };
    const result = await render(texts);
    if (!result.ok) throw new Error("These are right.");
    // The id is written down here: another machine, another locale or another Node must come to the same.
    expect(revisionOf({ objects: result.objects, parameters: [] }).id).toBe(
      "sha256:cc4d77db0752cd454d920e7173cf557da5d137f67b909f083f9f92fae850e9b3",
    );
    expect(result.content).toBe(
      '[{"apiVersion":"v1","data":{"a":"1","b":"2"},"kind":"ConfigMap","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}]',
    );
  });
});

describe("limits", () => {
  const limits = {
    ...defaultRenderLimits,
    fileBytes: 2_000,
    files: 3,
    totalBytes: 4_000,
    objects: 3,
    renderedBytes: 1_500,
  };
  const many = (count: number, prefix: string): string =>
    Array.from({ length: count }, (_, n) => configMap(`${prefix}${n}`)).join("---\n");
  const long = (name: string): string => configMap(name, `data: { text: ${"x".repeat(900)} }\n`);

  test.each([
    ["a file", { "a.yaml": " ".repeat(2_001) }, "a.yaml has 2001 bytes; a file may have 2000."],
    ["files", { a: "", b: "", c: "", d: "" }, "These are 4 files; at most 3 are rendered together."],
    [
      "all files",
      { a: " ".repeat(1_900), b: " ".repeat(1_900), "c.yaml": " ".repeat(1_900) },
      "With c.yaml, the files have more than 4000 bytes together.",
    ],
    [
      "objects",
      { "a.yaml": many(2, "a"), "b.yaml": many(2, "b") },
      "With b.yaml, these are 4 objects; at most 3 are rendered.",
    ],
    [
      "what is rendered",
      { "a.yaml": long("a"), "b.yaml": long("b") },
      "With ConfigMap b in b.yaml, the objects have more than 1500 bytes; split them into several definitions.",
    ],
  ])("of %s", async (_, texts, message) => {
    await expect(render(texts, { limits })).rejects.toMatchObject({
      code: "TooLarge",
      message,
      details: { limit: expect.any(Number), actual: expect.any(Number) },
    });
  });

  test("of aliases, found before anything is written out", async () => {
    const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: bomb }\na0: &a0 lol\n${levels.join("\n")}\n`;
    await expect(render({ "fine.yaml": configMap("a"), "x/bomb.yaml": bomb })).rejects.toMatchObject({
      code: "TooLarge",
      message: expect.stringMatching(
        /^x\/bomb\.yaml, line 9: with its aliases, the text becomes longer than 65536 characters\.$/u,
      ),
      details: { path: "x/bomb.yaml", exceeded: "expansion", limit: 65_536 },
    });
  });

  test("of aliases in a longer text is ten times its length", async () => {
    const block = "x".repeat(10_000);
    const text = (times: number): string =>
      configMap("a", `data: { a: &a ${block}, b: [${"*a, ".repeat(times)}] }\n`);
    expect(await namesOf(render({ "a.yaml": text(8) }))).toEqual(["a"]);
    await expect(render({ "a.yaml": text(11) })).rejects.toMatchObject({
      details: { exceeded: "expansion" },
    });
  });

  test("of depth", async () => {
    const deep = configMap("a", `data: ${"[".repeat(101)}${"]".repeat(101)}\n`);
    await expect(render({ "a.yaml": deep })).rejects.toMatchObject({
      code: "TooLarge",
      message: "a.yaml, line 4: this is more than 100 levels deep.",
    });
  });
});

describe("paths", () => {
  test.each(["../a.yaml", "/a.yaml", "a//b.yaml", "./a.yaml", "a/../b.yaml", "a\\b.yaml", "a\nb.yaml", ""])(
    "%j is refused",
    async (path) => {
      await expect(render({ [path]: configMap("a") })).rejects.toMatchObject({ code: "UnsafePath" });
    },
  );

  test.each([
    [0o120000, "a.yaml is a symbolic link"],
    [0o160000, "a.yaml is a submodule"],
    [0o040000, "a.yaml is no regular file"],
  ])("a mode of %o is refused", async (mode, message) => {
    const files = [{ path: "a.yaml", bytes: new Uint8Array(), mode }];
    await expect(renderFiles({ files, tools, pool, signal })).rejects.toMatchObject({
      code: "UnsafePath",
      message: expect.stringContaining(message),
    });
  });

  test("names that are one file on some machines are refused", async () => {
    await expect(render({ "a.yaml": "", "A.yaml": "" })).rejects.toMatchObject({ code: "UnsafePath" });
    await expect(render({ a: "", "a/b.yaml": "" })).rejects.toMatchObject({ code: "UnsafePath" });
  });
});

test("a renderer that is not allowed is missing, with the way out", async () => {
  await expect(render({ "Chart.yaml": "name: a\n" })).rejects.toMatchObject({
    code: "RendererMissing",
    message:
      "These files are rendered by Helm, which is not allowed here. Install or allow it, or commit the rendered manifests and use those.",
  });
  await expect(render({ "kustomization.yml": "" })).rejects.toMatchObject({ code: "RendererMissing" });
});
