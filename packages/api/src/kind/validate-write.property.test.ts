import { asRecord } from "@bowline/core";
import * as fc from "fast-check";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";

import { kinds } from "../kinds/kinds.ts";
import { arbitraryBody, arbitraryFor } from "../testing/arbitrary-for.ts";
import { minimalBodies, returnedObject } from "../testing/samples.ts";
import { createValidator } from "../validate/validator.ts";
import { validateStatus, validateWrite } from "./validate-write.ts";

const runs = { numRuns: 100 };

describe.each(kinds)("$kind", (kind) => {
  test("what is accepted survives JSON and YAML, and is accepted again unchanged", () => {
    fc.assert(
      fc.property(arbitraryBody(kind), (body) => {
        const result = validateWrite(kind, body);
        // The rules of some kinds accept one in twelve: what is refused is no run.
        fc.pre(result.ok);
        const { object } = result;
        expect(JSON.parse(JSON.stringify(object))).toEqual(object);
        expect(parse(stringify(object))).toEqual(object);
        expect(validateWrite(kind, object)).toEqual({ ok: true, object, resourceVersion: undefined });
      }),
      { numRuns: 50 },
    );
  });

  test("what follows the schema has no problem but those of the rules beside it", () => {
    const read = createValidator(kind.schemas.write);
    fc.assert(
      fc.property(arbitraryBody(kind), (body) => {
        expect(read(body)).toMatchObject({ ok: true });
      }),
      runs,
    );
  });

  test("what TypeBox refuses is refused, and what comes out follows the schema in TypeBox's eyes too", () => {
    const write = Compile(kind.schemas.write);
    const read = createValidator(kind.schemas.write);
    const almost = arbitraryBody(kind).chain((body) => mutated(body));
    fc.assert(
      fc.property(almost, (body) => {
        const result = read(body);
        expect(result.ok ? write.Check(result.value) : !write.Check(body)).toBe(true);
      }),
      runs,
    );
  });

  test("garbage gives problems and nothing else", () => {
    fc.assert(
      fc.property(garbage, (value) => {
        for (const result of [validateWrite(kind, value), validateStatus(kind, value)]) {
          if (result.ok) continue;
          expect(result.problems.length).toBeGreaterThan(0);
          expect(result.problems.length).toBeLessThanOrEqual(20);
          for (const { path, message } of result.problems) {
            expect(typeof path).toBe("string");
            expect(message).toMatch(/^(must|is|has|does|cannot) .+[^.]$/s);
          }
        }
      }),
      runs,
    );
  });

  test("what is returned can be written back", () => {
    const readStatus = arbitraryFor(kind.schemas.read.properties?.["status"] ?? {});
    const [, sample] = minimalBodies.find(([candidate]) => candidate === kind) ?? [];
    const stored = returnedObject(kind, sample);
    const isReadable = createValidator(kind.schemas.read);
    fc.assert(
      fc.property(readStatus, (status) => {
        const returned = { ...stored, status };
        expect(isReadable(returned)).toMatchObject({ ok: true });
        expect(validateWrite(kind, returned)).toMatchObject({ ok: true, resourceVersion: "42" });
        expect(validateStatus(kind, returned)).toMatchObject({ ok: true, status });
      }),
      runs,
    );
  });
});

const garbage = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
  fc.record({ metadata: fc.anything(), spec: fc.anything(), status: fc.anything() }),
  fc.record({ metadata: fc.constant({ name: "x" }), spec: fc.dictionary(fc.string(), fc.anything()) }),
);

/** A body with one value, somewhere in it, replaced by something else. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(body, []);
  return fc
    .tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 1 }))
    .map(([place, replacement]) => replaced(body, place, replacement))
    .filter((value) => !hasNothing(value) && !JSON.stringify(value).includes("__proto__"));
}

function placesIn(value: unknown, at: readonly string[]): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, replacement) : item));
  }
  const entries = new Map(Object.entries(asRecord(value)));
  return Object.fromEntries(entries.set(key, replaced(entries.get(key), rest, replacement)));
}

/** Nothing behind a key is accepted here and is not JSON Schema's idea of a missing field. */
function hasNothing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(hasNothing);
}
