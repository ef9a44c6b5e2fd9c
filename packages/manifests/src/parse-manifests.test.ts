import { canonicalJson } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { maxExpandedLength, maxManifestObjects } from "./limits.ts";
import { parseManifests } from "./parse-manifests.ts";
import { describeProblem, maxManifestProblems } from "./problem.ts";

const problemsOf = (text: string): string[] => parseManifests(text).problems.map(describeProblem);
const named = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

describe("reads", () => {
  test("several documents, without the empty ones", () => {
    const text = `---\n# first\n${named("a")}---\n---\n# nothing\n--- # b\n${named("b")}...\n${named("c")}\n---\n`;
    const { objects, problems } = parseManifests(text);
    expect(problems).toEqual([]);
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
  });

  test.each(["", "\n\n", "# nothing\n", "---\n---\n", "null", "\uFEFF"])("nothing in %j", (text) => {
    expect(parseManifests(text)).toEqual({ objects: [], problems: [] });
  });

  test("lists as their items, lists in lists too", () => {
    const text = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- apiVersion: v1
  kind: ConfigMapList
  items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
---
{apiVersion: v1, kind: List, items: null}
---
{apiVersion: net.example/v1, kind: AllowList, metadata: {name: c}, spec: {}}
`;
    const { objects, problems } = parseManifests(text);
    expect(problems).toEqual([]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ConfigMap a",
      "ConfigMap b",
      "AllowList c",
    ]);
  });

  test("JSON, CRLF, block scalars with dashes, anchors and merges", () => {
    const json = JSON.stringify(
      { apiVersion: "v1", kind: "A", metadata: { name: "json" }, a: [1, null] },
      null,
      2,
    );
    const text = [
      json,
      "---",
      named("b").replaceAll("\n", "\r\n"),
      "data:",
      "  text: |",
      "    ---",
      "    a: b",
      "base: &base {a: 1, b: 2}",
      "other: &other {b: 3, c: 4}",
      "same: *base",
      "merged: {<<: [*base, *other], a: 5}",
    ].join("\n");
    const { objects, problems } = parseManifests(text);
    expect(problems).toEqual([]);
    expect(objects[0]).toEqual(JSON.parse(json));
    expect(objects[1]).toMatchObject({
      data: { text: "---\na: b\n" },
      same: { a: 1, b: 2 },
      merged: { a: 5, b: 2, c: 4 },
    });
  });

  test("keys that are numbers or true as text, as kubectl does", () => {
    const [object] = parseManifests(
      named("a", 'data: {8080: a, 1.5: b, true: c, "y": d, ? e : f}\n'),
    ).objects;
    expect(object).toMatchObject({ data: { 8080: "a", 1.5: "b", true: "c", y: "d", e: "f" } });
  });

  test("objects without what the cluster wrote into them", () => {
    const text = `
apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: shop
  uid: u
  resourceVersion: "7"
  generation: 3
  selfLink: /x
  creationTimestamp: 2026-01-31T12:00:00Z
  managedFields: [{manager: kubectl}]
  labels: {app: a}
spec: {status: kept, uid: kept}
status: {phase: Running}
`;
    expect(parseManifests(text)).toEqual({
      problems: [],
      objects: [
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "a", namespace: "shop", labels: { app: "a" } },
          spec: { status: "kept", uid: "kept" },
        },
      ],
    });
  });
});

describe("refuses, with the place", () => {
  test.each([
    ["a: [", "document 1, line 1: this is not YAML: "],
    [`${named("a")}---\n\tb: c\n`, "document 2, line 6: this is not YAML: "],
    [named("a", "data: {a: 1, a: 2}"), "document 1, line 5: the key a is written twice"],
    [
      named("a", "data:\n  y: 1\n"),
      "document 1, line 6: the key y would be read as something else than text",
    ],
    [named("a", "data:\n  010: 1\n"), 'document 1, line 6: the key ["010"] would be read as something else'],
    [named("a", "data:\n  ~: 1\n"), 'document 1, line 6: the key ["~"] would be read as something else'],
    [named("a", "data: {? [a] : 1}\n"), "document 1, line 5: a key must be text"],
    [named("a", "data: {__proto__: {a: 1}}\n"), "document 1, line 5: the key __proto__ is not allowed"],
    [named("a", 'data: {"__proto__": 1}\n'), "document 1, line 5: the key __proto__ is not allowed"],
    [named("a", "data: !secret x\n"), "document 1, line 5: tags of one's own are not allowed"],
    [named("a", "data: !!set {a, b}\n"), "document 1, line 5: tags of one's own are not allowed"],
    [named("a", "data: !!omap [a: 1]\n"), "document 1, line 5: tags of one's own are not allowed"],
    [named("a", "data: !!binary aGk=\n"), "document 1, line 5: the tag !!binary is not allowed"],
    [
      `%YAML 1.2
---
${named("a")}`,
      "document 1, line 1: directives such as %YAML and %TAG are not allowed",
    ],
    [
      `%TAG ! tag:a.example,2000:
---
${named("a")}`,
      "document 1, line 1: directives such as %YAML and %TAG",
    ],
    [named("a", "data: .inf\n"), "document 1, line 5: infinity and not-a-number"],
    [named("a", "data: *b\n"), "document 1, line 5: the alias b has no anchor before it"],
    [named("a", "data: &b [*b]\n"), "document 1, line 5: the alias b stands for something that contains it"],
    [named("a", "data: {<<: 1}\n"), "document 1, line 5: << takes an object or a list of objects"],
    ["text", "document 1, line 1: this is not an object with apiVersion, kind and metadata"],
    ["[1]", "document 1, line 1: this is not an object with apiVersion, kind and metadata"],
    ["{apiVersion: v1, kind: List}", "document 1, line 1: List: a List needs a list of items"],
    ["{apiVersion: v1, kind: A}", "document 1, line 1: A: metadata.name is missing"],
    ["{apiVersion: v1, kind: A, metadata: []}", "document 1, line 1: A: metadata must be an object"],
    [
      "{apiVersion: v1, kind: A, metadata: {name: 1}}",
      "document 1, line 1: A: metadata.name must be text; quote it",
    ],
    [
      "{apiVersion: v1, kind: A, metadata: {name: a/b}}",
      "document 1, line 1: A a/b: metadata.name must be a name",
    ],
    [
      "{apiVersion: v1, kind: A, metadata: {name: ..}}",
      "document 1, line 1: A ..: metadata.name must be a name",
    ],
    [
      "{apiVersion: v1, kind: A, metadata: {generateName: a-}}",
      "document 1, line 1: A: metadata.generateName would",
    ],
    [
      named("a", "  namespace: A_B\n"),
      "document 1, line 1: ConfigMap A_B/a: metadata.namespace must be a namespace",
    ],
    [named("a", "  namespace: 5\n"), "document 1, line 1: ConfigMap a: metadata.namespace must be text"],
    [
      named("a", "  labels: {a: 5}\n"),
      "document 1, line 1: ConfigMap a: metadata.labels.a must be text; quote it",
    ],
    [
      named("a", "  annotations: [5]\n"),
      "document 1, line 1: ConfigMap a: metadata.annotations must be an object",
    ],
    ["{kind: A, metadata: {name: a}}", "document 1, line 1: A a: apiVersion is missing"],
    [
      "{apiVersion: 1, kind: A, metadata: {name: a}}",
      "document 1, line 1: A a: apiVersion must be text; quote it",
    ],
    [
      "{apiVersion: a/b/c, kind: A, metadata: {name: a}}",
      "document 1, line 1: A a: apiVersion must be a version",
    ],
    ["{apiVersion: v1, kind: A-B, metadata: {name: a}}", "document 1, line 1: A-B a: kind must be a kind"],
    ["{apiVersion: v1, metadata: {name: a}}", "document 1, line 1: a: kind is missing"],
    [
      `${named("a")}---\n${named("a")}`,
      "document 2, line 6: ConfigMap a: the same object is on line 1 already",
    ],
  ])("%j", (text, expected) => {
    const [first, ...others] = problemsOf(text);
    expect(first?.slice(0, expected.length)).toBe(expected);
    expect(others).toEqual([]);
  });

  test("the same object in another version of its group, but not in another group or namespace", () => {
    const job = (apiVersion: string, namespace: string): string =>
      `{apiVersion: ${apiVersion}, kind: Job, metadata: {name: a, namespace: ${namespace}}}`;
    const texts = [
      job("batch/v1", "x"),
      job("batch/v1", "z"),
      job("volcano.sh/v1", "x"),
      job("batch/v1beta1", "x"),
    ];
    expect(problemsOf(texts.join("\n---\n"))).toEqual([
      "document 4, line 7: Job x/a: the same object is on line 1 already",
    ]);
  });

  test("all problems in one answer, and still reads the rest", () => {
    const text = [
      named("a"),
      "b: [",
      "{apiVersion: v1}",
      named("c", "data: {a: 1, a: 2, b: !x 1, b: .nan}\n"),
      named("d"),
    ].join("\n---\n");
    expect(problemsOf(text).map((problem) => problem.slice(0, 60))).toEqual([
      expect.stringMatching(/^document 2, line \d+: this is not YAML/),
      "document 3, line 9: kind is missing",
      "document 3, line 9: metadata.name is missing",
      "document 4, line 15: the key a is written twice",
      expect.stringMatching(/^document 4, line 15: tags of one's own/),
      expect.stringMatching(/^document 4, line 15: infinity/),
      "document 4, line 15: the key b is written twice",
    ]);
    expect(parseManifests(text).objects.map(({ metadata }) => metadata.name)).toEqual(["a", "d"]);
  });

  test("values are never repeated: they may be secrets", () => {
    const secret = "hunter2";
    const texts = [
      `password: ${secret}\n  bad: indentation`,
      named("a", `data: {a: ${secret}, a: ${secret}}`),
      named("a", `data: !x ${secret}`),
      `- ${secret}`,
      `"${secret}`,
    ];
    for (const text of texts) {
      expect(problemsOf(text)).not.toEqual([]);
      expect(problemsOf(text).join()).not.toContain(secret);
    }
  });
});

describe("holds its limits", () => {
  test("a text of 1 MiB, counted in bytes", () => {
    const comment = (length: number, letter: string): string => `${named("a")}#${letter.repeat(length)}`;
    expect(problemsOf(comment(1_000_000, "a"))).toEqual([]);
    const tooLong = ["the text is longer than 1048576 bytes in UTF-8"];
    expect(problemsOf(comment(1024 * 1024, "a"))).toEqual(tooLong);
    expect(problemsOf(comment(600_000, "ä"))).toEqual(tooLong);
  });

  test("a number of objects", () => {
    const texts = Array.from({ length: maxManifestObjects + 7 }, (_, index) => named(`a-${index}`));
    expect(problemsOf(texts.slice(0, maxManifestObjects).join("---\n"))).toEqual([]);
    expect(problemsOf(texts.join("---\n"))).toEqual([
      "these are 5007 objects; at most 5000 can be in one definition",
    ]);
  });

  test("a depth, with aliases and without", () => {
    const nested = (depth: number, inner: string): string => "[".repeat(depth) + inner + "]".repeat(depth);
    expect(problemsOf(named("a", `data: ${nested(98, "")}`))).toEqual([]);
    expect(problemsOf(named("a", `data: ${nested(100_000, "")}`))).toEqual([
      "document 1, line 5: this is more than 100 levels deep",
    ]);
    expect(problemsOf(named("a", `data: [&a ${nested(60, "")}, ${nested(38, "*a")}]`))).toEqual([]);
    expect(problemsOf(named("a", `data: [&a ${nested(60, "")}, ${nested(60, "*a")}]`))).toEqual([
      "document 1, line 5: with its aliases, this is more than 100 levels deep",
    ]);
  });

  const twenty = (name: string): string => Array.from({ length: 20 }, () => `*${name}`).join(", ");

  test.each([
    ["of lists", "[]", (name: string) => `[${twenty(name)}]`],
    ["of texts", "x", (name: string) => `[${twenty(name)}]`],
    [
      "of objects",
      "{a: 1}",
      (name: string) => `{${Array.from({ length: 20 }, (_, i) => `k${i}: *${name}`).join(", ")}}`,
    ],
    ["of merges", "{a: 1}", (name: string) => `{<<: [${twenty(name)}]}`],
  ])("an alias bomb %s", (_, seed, repeat) => {
    const levels = Array.from(
      { length: 20 },
      (_unused, level) => `  l${level + 1}: &l${level + 1} ${repeat(`l${level}`)}`,
    );
    const text = named("a", `data:\n  l0: &l0 ${seed}\n${levels.join("\n")}\n`);
    // Whoever expands it all never comes to an end.
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      `with its aliases, the text becomes longer than ${maxExpandedLength} characters`,
    );
  });

  test("a number of problems", () => {
    const { problems } = parseManifests(named("a", `data: {a: 1${", a: 1".repeat(1000)}}`));
    expect(problems).toHaveLength(maxManifestProblems);
  });

  test.each<[string, (part: number) => string, number]>([
    ["separators", (part) => "---\n".repeat(250_000 * part), 0],
    ["broken documents", (part) => "---\n[\n".repeat(170_000 * part), maxManifestProblems],
    ["merges", (part) => `a: &a {b: 1}\nc: {<<: [*a${", *a".repeat(250_000 * part)}]}`, 3],
    [
      "keys",
      (part) => `{${Array.from({ length: 80_000 * part }, (_, index) => `a${index}: 1`).join(", ")}}`,
      3,
    ],
    ["digits", (part) => `a: ${"9".repeat(1_000_000 * part)}`, 1],
    ["open quotes", (part) => `"${"'".repeat(1_000_000 * part)}`, 1],
    [
      "dollars",
      (part) => `{apiVersion: v1, kind: A, metadata: {name: "${"${{".repeat(300_000 * part)}"}}`,
      0,
    ],
  ])("the time for a text full of %s, which grows with its length and no faster", (_, textOf, count) => {
    const [whole, piece] = [textOf(1), textOf(1 / 25)];
    const pieces = cpuMs(() => {
      for (let at = 0; at < 25; at++) parseManifests(piece);
    });
    // Were it the square of the length, this would be 25 times as much.
    const wholes = [1, 2].map(() => cpuMs(() => expect(parseManifests(whole).problems).toHaveLength(count)));
    expect(Math.min(...wholes)).toBeLessThan(8 * pieces);
  });
});

/** How long this process has had a processor for, whatever else the machine does. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe("whatever the text is", () => {
  const fragments = fc.array(
    fc.oneof(
      fc.constantFrom(
        ..."---\n|\n|  |- |: |? |[|]|{|}|&a |*a|!x |!!str |'|\"|>\n|<<: |# |%TAG |...\n|\t|\uFEFF|a|1|.nan|__proto__: ".split(
          "|",
        ),
        "apiVersion: v1\n",
        "kind: ConfigMap\n",
        "kind: List\nitems:\n",
        "metadata:\n  name: a\n",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 40 },
  );

  test("it never throws, and objects are plain JSON with a name", () => {
    fc.assert(
      fc.property(fragments, (parts) => {
        const { objects } = parseManifests(parts.join(""));
        for (const object of objects) {
          expect(JSON.parse(JSON.stringify(object))).toEqual(object);
          expect(object.metadata.name).not.toBe("");
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("what is written as JSON is read back", () => {
    const keys = fc.string({ unit: "grapheme", maxLength: 8 }).filter((key) => key !== "__proto__");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constant(null),
        fc.boolean(),
        fc.maxSafeInteger(),
        fc
          .double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
          .map((number) => (number === 0 ? 0 : number)),
        fc.string({ unit: "grapheme" }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (data) => {
        const object = { apiVersion: "v1", kind: "A", metadata: { name: "a" }, data };
        const { objects, problems } = parseManifests(JSON.stringify(object, null, 2));
        expect(problems).toEqual([]);
        expect(objects).toEqual([JSON.parse(JSON.stringify(object))]);
        expect(objects.map(canonicalJson)).toEqual(
          parseManifests(objects.map(canonicalJson).join()).objects.map(canonicalJson),
        );
      }),
    );
  });
});
