import { canonicalJson, contentId } from "@bowline/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { JsonValue } from "./json.ts";
import type { DeclaredParameter } from "./parameters.ts";
import { parseManifests } from "./parse-manifests.ts";
import { readRevision, revisionOf } from "./revision.ts";

const revision = (text: string): string =>
  revisionOf({ objects: parseManifests(text).objects, parameters: [] }).id;

const web = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {b: "\${{ b }}", a: ä}
`;

test("the same content has the same id, on any machine", () => {
  // The hash is that of sha256sum.
  expect(revision(web)).toBe("sha256:1c4f4ec45b58f9db6a22e8c95b51becfdfc2bbd33fabe65f8471d0cfa4962c0a");
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

test("declared parameters count, in whatever order, and their descriptions do not", () => {
  const { objects } = parseManifests(web);
  const port: DeclaredParameter = { name: "port", type: "integer", default: "80", required: false };
  const host: DeclaredParameter = { name: "host", type: "string", required: true };
  const id = (...parameters: DeclaredParameter[]): string => revisionOf({ objects, parameters }).id;
  const described = { ...port, description: "where it listens" };
  expect(id(host, described)).toBe(id(port, host));
  const others = [
    id(),
    id(port),
    id({ ...port, default: "81" }),
    id({ ...port, type: "string" }),
    id(port, host),
  ];
  expect(new Set(others).size).toBe(others.length);
});

test("the stored content becomes what it was again, unless it is damaged", () => {
  const { objects } = parseManifests(web);
  const parameters: DeclaredParameter[] = [{ name: "b", type: "string", required: true }];
  const stored = revisionOf({ objects, parameters });
  expect(readRevision(stored)).toEqual({ objects, parameters });
  for (const content of [stored.content.replace("web", "wet"), "[]", ""]) {
    expect(() => readRevision({ id: stored.id, content })).toThrow(/is damaged/);
  }
  for (const content of [[], {}, { objects: [] }, { objects: [{ a: 1 }], parameters: [] }].map(
    canonicalJson,
  )) {
    expect(() => readRevision({ id: contentId(content), content })).toThrow(/is damaged/);
  }
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
