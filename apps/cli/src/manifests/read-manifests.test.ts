import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { apiVersion } from "@bowline/api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { toYaml } from "../output/to-yaml.ts";
import { parseManifests, readManifests } from "./read-manifests.ts";

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

function parse(text: string): ReturnType<typeof parseManifests> {
  return parseManifests({ source: "a.yaml", text });
}

describe("parseManifests", () => {
  test("reads several documents, and leaves empty ones out", () => {
    const found = parse(
      "---\nkind: Cluster\nmetadata: {name: a}\n---\n# nothing\n---\nkind: User\nmetadata: {name: b}\n",
    );
    expect(found.map(({ kind, name, origin }) => [kind.kind, name, origin.document])).toEqual([
      ["Cluster", "a", 1],
      ["User", "b", 3],
    ]);
  });

  test("reads JSON, with tabs and escapes too", () => {
    const body = {
      apiVersion,
      kind: "Cluster",
      metadata: { name: "a", annotations: { note: "é \u{1F980}/\t" } },
    };
    const [manifest] = parse(JSON.stringify(body, null, "\t").replace("\u{1F980}", String.raw`\ud83e\udd80`));
    expect(manifest?.body).toEqual(body);
  });

  test.each(["List", "ClusterList"])("takes the items out of a %s", (kind) => {
    const items = [
      { kind: "Cluster", metadata: { name: "a" } },
      { kind: "Cluster", metadata: { name: "b" } },
    ];
    const found = parse(toYaml({ apiVersion, kind, items }));
    expect(found.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(found.map(({ lineOf }) => lineOf("metadata.name"))).toEqual([6, 9]);
  });

  test("knows the line of each field, and of the nearest one above a field that is missing", () => {
    const [manifest] = parse(
      [
        "# a",
        "kind: Cluster",
        "metadata:",
        "  name: a",
        "  labels:",
        "    a/b: c",
        "spec:",
        "  - x",
        "  - y: 1",
        "    z: 2",
        "",
      ].join("\n"),
    );
    const lines = ['metadata.labels["a/b"]', "spec[1].z", "spec[1]", "spec[7]", "spec[1].q.r", "status", ""];
    expect(lines.map((path) => manifest?.lineOf(path))).toEqual([6, 10, 9, 7, 9, 2, 2]);
  });

  test.each([
    ["broken YAML", "a: [", /^a\.yaml, line 1: this is not YAML: .+\.$/],
    ["a key twice", "kind: Cluster\nkind: User\n", /^a\.yaml, line 2: this is not YAML: .*unique/],
    [
      "a second document",
      "kind: Cluster\nmetadata: {name: a}\n---\nx",
      /^a\.yaml, document 2, line 4: there is no object here/,
    ],
    ["no kind", "metadata: {name: a}", /^a\.yaml, line 1: kind is missing\.$/],
    [
      "a mistyped kind",
      "kind: Clutser",
      /^a\.yaml, line 1: kind is «Clutser», which there is none of; did you mean «Cluster»\?$/,
    ],
    ["a kind of something else", "kind: Pod", /the kinds are Cluster, WorkloadDefinition,/],
    ["a kind that would write to the terminal", 'kind: "\\e[31m"', /«\\u001b\[31m»/],
    [
      "a manifest of Kubernetes",
      "apiVersion: apps/v1\nkind: Deployment",
      /^a\.yaml, line 1: apiVersion must be bowline\.dev\/v1; manifests of Kubernetes go into/,
    ],
    ["no name", "kind: Cluster\nmetadata:\n  labels: {}\n", /^a\.yaml, line 2: metadata\.name is missing\.$/],
    [
      "a number for a name",
      "kind: Cluster\nmetadata:\n  name: 7\n",
      /^a\.yaml, line 3: metadata\.name must be a string; put it in quotes\.$/,
    ],
    [
      "a name that leaves its place in the address",
      "kind: Cluster\nmetadata: {name: ..}",
      /metadata\.name must be lower-case/,
    ],
    [
      "a mistake in a list",
      "kind: List\nitems:\n  - kind: Cluster\n    metadata: {name: a}\n  - kind: Custer\n",
      /^a\.yaml, line 5: kind is «Custer»/,
    ],
    [
      "too much nesting",
      `kind: Cluster\nmetadata: {name: a}\nspec: ${"[".repeat(40)}${"]".repeat(40)}`,
      /nested deeper than 32 levels/,
    ],
  ])("refuses %s and says where it is", (_, text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: "Invalid", message: expect.stringMatching(message) }),
    );
  });

  test("refuses a small file that unfolds into a huge one", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const value = level === 0 ? "x" : Array.from({ length: 10 }, () => `*l${level - 1}`).join(",");
      return `l${level}: &l${level} [${value}]`;
    });
    expect(() => parse(`kind: Cluster\nmetadata: {name: a}\n${levels.join("\n")}`)).toThrow(
      "refers to its anchors more often",
    );
  });

  test("takes an anchor or two", () => {
    const [manifest] = parse("kind: User\nmetadata: {name: a, labels: &l {a: b}, annotations: *l}");
    expect(manifest?.body).toEqual({
      kind: "User",
      metadata: { name: "a", labels: { a: "b" }, annotations: { a: "b" } },
    });
  });
});
