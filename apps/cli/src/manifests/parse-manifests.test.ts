import { apiVersion } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { toYaml } from "../output/to-yaml.ts";
import { parseManifests } from "./parse-manifests.ts";

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
      const value =
        level === 0
          ? "x"
          : Array(10)
              .fill(`*l${level - 1}`)
              .join(",");
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
