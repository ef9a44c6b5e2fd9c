import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resources } from "../client/resources.ts";
import { compileMask, defaultFields, unionMask, type FieldMask } from "./field-mask.ts";
import { MaskedCopy } from "./masked-copy.ts";
import { ObjectDecoder } from "./object-decoder.ts";

function masked(value: unknown, mask: FieldMask, space?: number): unknown {
  const bytes = new MaskedCopy().copy(Buffer.from(JSON.stringify(value, null, space)), compileMask(mask));
  return JSON.parse(bytes.toString("utf8"));
}

/** The meaning of a mask, said in the plainest way. */
function expected(value: unknown, mask: FieldMask): unknown {
  if (Array.isArray(value)) return value.map((element) => expected(element, mask));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const keep = Object.hasOwn(mask, name) && name !== "*" ? mask[name] : mask["*"];
    if (keep === undefined || keep === false) return [];
    return [[name, keep === true ? field : expected(field, keep)]];
  });
  return Object.fromEntries(kept);
}

const name = fc.constantFrom("a", "b", "name", 'quo"te', "ž", "metadata");
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ stringUnit: "binary" }), tie("object"), tie("list")),
  object: fc.dictionary(name, tie("any"), { maxKeys: 5 }),
  list: fc.array(tie("any"), { maxLength: 4 }),
})).any;
const mask = fc
  .letrec<{ mask: FieldMask }>((tie) => ({
    mask: fc.dictionary(
      fc.oneof(name, fc.constant("*")),
      fc.oneof({ maxDepth: 3 }, fc.boolean(), tie("mask")),
      { maxKeys: 4 },
    ) as fc.Arbitrary<FieldMask>,
  }))
  .mask.map((tree) => (typeof tree["*"] === "object" ? { ...tree, "*": true } : tree));

describe("MaskedCopy", () => {
  it("keeps exactly what the mask names, whatever the value", () => {
    fc.assert(
      fc.property(value, mask, fc.constantFrom(undefined, 2), (any, tree, space) => {
        const plain: unknown = JSON.parse(JSON.stringify(any));
        expect(masked(plain, tree, space)).toEqual(expected(plain, normal(tree)));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(["", "{", '{"a"', '{"a":', '{"a":{"b":1}', '{"a":"x', "[1,", '{"a":[}'])(
    "refuses the torn %s",
    (text) => {
      const whole: FieldMask = { a: true, b: true };
      const copy = (): unknown =>
        JSON.parse(new MaskedCopy().copy(Buffer.from(text), compileMask(whole)).toString("utf8"));
      expect(copy).toThrow(/JSON/);
    },
  );
});

/** `"*"` counts only when it is `true`. */
function normal(tree: FieldMask): FieldMask {
  return Object.fromEntries(
    Object.entries(tree).map(([key, keep]) => [
      key,
      key === "*" ? keep === true : typeof keep === "boolean" ? keep : normal(keep),
    ]),
  );
}

describe("unionMask", () => {
  it("keeps what either mask keeps", () => {
    const union = unionMask({ metadata: { name: true }, kind: true }, defaultFields);
    const object = { kind: "Pod", spec: { a: 1 }, metadata: { name: "x", uid: "u", managedFields: [1] } };
    expect(masked(object, union)).toEqual({ kind: "Pod", spec: { a: 1 }, metadata: { name: "x", uid: "u" } });
  });
});

describe("ObjectDecoder", () => {
  const bytes = Buffer.from(
    JSON.stringify({
      metadata: {
        name: "web-0",
        namespace: "shop",
        uid: "u1",
        resourceVersion: "5",
        annotations: { a: "1", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        managedFields: [{ manager: "kubelet" }],
      },
      spec: { nodeName: "n1", containers: [{ name: "app", image: "x" }] },
    }),
  );

  it("leaves out managedFields and the last-applied annotation by default, and says what the object is", () => {
    const object = new ObjectDecoder(resources.pods, defaultFields).decodeItem(bytes);
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "web-0",
        namespace: "shop",
        uid: "u1",
        resourceVersion: "5",
        annotations: { a: "1" },
      },
      spec: { nodeName: "n1", containers: [{ name: "app", image: "x" }] },
    });
  });

  it("keeps the identity whatever the caller asks for", () => {
    const object = new ObjectDecoder(resources.pods, { spec: { containers: { image: true } } }).decodeItem(
      bytes,
    );
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web-0", namespace: "shop", uid: "u1", resourceVersion: "5" },
      spec: { containers: [{ image: "x" }] },
    });
  });

  it.each([
    "null",
    "[]",
    "{}",
    '{"metadata":{}}',
    '{"metadata":{"name":1,"resourceVersion":"1"}}',
    "{broken",
  ])("refuses %s as an object", (text) => {
    const decoder = new ObjectDecoder(resources.pods, defaultFields);
    expect(() => decoder.decodeItem(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "ResponseInvalid" }),
    );
  });
});
