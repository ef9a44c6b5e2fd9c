import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { linesOf, readYaml, yamlText } from "./yaml-text.ts";

describe("YAML", () => {
  test("of any object is read as the same object", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), value), (object) => {
        // JSON has no negative zero.
        const plain: unknown = JSON.parse(JSON.stringify(object));
        expect(readYaml(yamlText(plain))).toEqual({ object: plain, problems: [] });
      }),
    );
  });

  test("has a key of merges as a key, whoever wrote it", () => {
    const object = { data: { "<<": "0" } };
    expect(yamlText(object)).toBe('data:\n  "<<": "0"\n');
    expect(readYaml("data:\n  <<: '0'\n")).toEqual({ object, problems: [] });
  });

  test.each([
    ["yes", true],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    ["0644", 0o644],
    ["!!binary AAAA", "AAAA"],
  ])("reads %s as Kubernetes does, or at least as JSON can", (text, value) => {
    expect(readYaml(`a: ${text}\n`).object).toEqual({ a: value });
  });

  test.each([
    ["a: [1\n", 5],
    ["a: 1\na: 2\n", 5],
    ["\ta: 1\n", 0],
  ])("says where %j is wrong", (text, from) => {
    const { object, problems } = readYaml(text);
    expect(object).toBeUndefined();
    expect(problems[0]?.from).toBeGreaterThanOrEqual(Math.min(from, 1) - 1);
    expect(problems[0]?.message).not.toBe("");
  });

  test.each(["", "just text", "- a list"])("%j is no object", (text) => {
    expect(readYaml(text).problems[0]?.message).toContain("apiVersion");
  });

  test("does not unfold aliases, which make gigabytes of a few lines", () => {
    expect(readYaml("a: &x [1]\nb: [*x, *x]\n").problems[0]?.message).toBe("Aliases are not taken.");
  });
});

test("the line of a field is where it is written, or where its nearest part is that is there", () => {
  const text = yamlText({ spec: { replicas: 3, containers: [{ name: "a", image: "x" }, { name: "b" }] } });
  const lines = linesOf(text, [
    ["spec", "replicas"],
    ["spec", "containers", 0, "image"],
    ["spec", "containers", 1],
    ["spec", "containers", 1, "image"],
    ["status"],
    ["spec", "containers"],
    ["spec", "containers", 0],
  ]);
  const shown = lines.map((range) =>
    range === undefined
      ? undefined
      : text
          .split("\n")
          .slice(range.from - 1, range.to)
          .join("\n"),
  );
  expect(shown).toEqual([
    "  replicas: 3",
    "      image: x",
    "    - name: b",
    "    - name: b",
    undefined,
    text.trimEnd().split("\n").slice(2).join("\n"),
    "    - name: a\n      image: x",
  ]);
});

test("an object begins with what it is, and ends with what only its cluster writes", () => {
  const text = yamlText({
    status: {},
    spec: {},
    metadata: { managedFields: [], uid: "u", namespace: "shop", name: "web" },
    data: {},
    kind: "Pod",
    apiVersion: "v1",
  });
  const names = text.match(/^ *\w+(?=:)/gmu)?.map((name) => name.trim());
  expect(names?.join(" ")).toBe("apiVersion kind metadata name namespace uid managedFields spec data status");
});
