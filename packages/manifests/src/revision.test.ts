import { canonicalJson } from "@bowline/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { JsonValue } from "./json.ts";
import { parseManifests } from "./parse-manifests.ts";
import { objectsOf, revisionOf } from "./revision.ts";

const revision = (text: string): string => revisionOf(parseManifests(text).objects).id;

const web = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {b: "\${{ b }}", a: ä}
`;

test("the same content has the same id, on any machine", () => {
  // The hash is that of sha256sum.
  expect(revision(web)).toBe("sha256:f342cd5371cce41e7d650b53d2c727a03cb688bdbaa2b4c3f4f170200372b868");
});

test("formatting, comments, the order of keys and fields of the cluster do not count", () => {
  const same = [
    '{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "web"}, "data": {"a": "\\u00e4", "b": "${{ b }}"}}',
    `# a comment\n${web.replaceAll("\n", "\r\n")}---\n# nothing\n`,
    `${web}status: {ready: true}\n`,
    web.replace("{name: web}", "{uid: u, name: web}"),
    `{apiVersion: v1, kind: List, items: [${JSON.stringify(parseManifests(web).objects[0])}]}`,
  ];
  expect(new Set(same.map(revision))).toEqual(new Set([revision(web)]));
});

test("values and the order of documents count", () => {
  const other = web.replace("web", "other");
  const ids = [web, web.replace("ä", "a"), other, `${web}---${other}`, `${other}---${web}`, ""].map(revision);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the stored content becomes the objects again, unless it is damaged", () => {
  const { objects } = parseManifests(web);
  const stored = revisionOf(objects);
  expect(objectsOf(stored)).toEqual(objects);
  for (const content of [stored.content.replace("web", "wet"), "[]", ""]) {
    expect(() => objectsOf({ id: stored.id, content })).toThrow(/is damaged/);
  }
  const none = canonicalJson([{ a: 1 }]);
  expect(() => objectsOf({ ...stored, content: none })).toThrow(/is damaged/);
});

test("canonical JSON sorts keys at every level, and of equal values is the same", () => {
  expect(canonicalJson({ b: [{ d: null, c: 1 }], a: "é", "10": true, "9": -0.5 })).toBe(
    '{"10":true,"9":-0.5,"a":"é","b":[{"c":1,"d":null}]}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const value: JsonValue = JSON.parse(JSON.stringify(data));
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
    }),
  );
});

/** The same value with its keys in the opposite order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}
