import { asRecord, isRecord } from "@bowline/core";
import * as fc from "fast-check";

type Place = readonly string[];

/** Values that are seldom meant and often forgotten. */
const oddTexts: readonly string[] = [
  "",
  " ",
  "NaN",
  "null",
  "-0",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00a",
  "\u{1d54f}".repeat(64),
  "\u{202e}abc",
  "a\nb",
  "../../etc/passwd",
  "a".repeat(64),
  "x".repeat(5_000),
  "x".repeat(70_000),
  "__proto__",
  "constructor",
  "' or 1=1 --",
  "2026-02-30T00:00:00Z",
  "2026-01-31T12:00:00Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T24:00:00Z",
  "2016-12-31T23:59:60Z",
  "0000-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59.999999999-23:59",
  "999999999-01-01T00:00:00Z",
  "100000000000000h",
  "https://user:password@git.example.com/x",
  "file:///etc/passwd",
  "${jndi:ldap://x}",
];

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[]],
  [null],
  { "": "" },
  Array.from({ length: 1_001 }, (_, index) => `a${index}`),
  nested(33),
  nested(500),
];

const oddKeys: readonly string[] = [
  "nonsense",
  "",
  "\0",
  "\ud800",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "$ref",
  "x".repeat(70_000),
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: "binary", maxLength: 100 }),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...oddValues),
  oddText,
  fc.double(),
  fc.jsonValue(),
);

/** The value with something about it changed: a value replaced, a field dropped or added. */
export function mutatedValue(value: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(value, []);
  const objects = places.filter((place) => isRecord(valueAt(value, place)));
  return fc.oneof(
    fc.tuple(fc.constantFrom(...places), oddValue).map(([place, odd]) => replaced(value, place, () => odd)),
    fc.constantFrom(...places).map((place) => without(value, place)),
    ...(objects.length === 0
      ? []
      : [
          fc
            .tuple(fc.constantFrom(...objects), fc.oneof(fc.constantFrom(...oddKeys), fc.string()), oddValue)
            .map(([place, key, odd]) =>
              replaced(value, place, (object) =>
                Object.fromEntries([...Object.entries(asRecord(object)), [key, odd]]),
              ),
            ),
        ]),
    // A list for an object, and the other way round.
    fc
      .constantFrom(...places)
      .map((place) =>
        replaced(value, place, (found) => (Array.isArray(found) ? Object.assign({}, found) : [found])),
      ),
  );
}

/** A JSON text that is broken, or that one reader takes for something else than the next. */
export function mutatedText(text: string): fc.Arbitrary<Buffer> {
  const at = fc.nat(text.length);
  return fc.oneof(
    at.map((end) => Buffer.from(text.slice(0, end))),
    fc
      .tuple(at, fc.constantFrom(",", "}", "]", '"', "\\", "x", "\u{feff}", "/* */", "\0", "'"))
      .map(([place, odd]) => Buffer.from(text.slice(0, place) + odd + text.slice(place))),
    fc
      .tuple(at, fc.integer({ min: 0x80, max: 0xff }))
      .map(([place, byte]) =>
        Buffer.concat([
          Buffer.from(text.slice(0, place)),
          Buffer.from([byte]),
          Buffer.from(text.slice(place)),
        ]),
      ),
    fc
      .constantFrom('"spec":{},', '"metadata":{"name":"b"},', '"kind":"Cluster","kind":"User",')
      .map((twice) => Buffer.from(text.replace("{", `{${twice}`))),
    fc
      .constantFrom("NaN", "Infinity", "1e400", "-1e400", "01", "0x1", "1_000", "undefined", "9".repeat(400))
      .map((number) => Buffer.from(text.replace(/:("[^"]*"|[0-9]+|true|false|\{\})/u, `:${number}`))),
    fc.constantFrom(
      Buffer.from(`\u{feff}${text}`),
      Buffer.from(text, "utf16le"),
      Buffer.from(`${text}\n${text}`),
      Buffer.from(`${text}\0`),
      Buffer.from("[".repeat(200_000)),
      Buffer.from(`${'{"spec":'.repeat(20_000)}1${"}".repeat(20_000)}`),
      Buffer.alloc(0),
      Buffer.alloc(1_000, " "),
    ),
  );
}

function placesIn(value: unknown, at: Place): Place[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...at, key]))];
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (found, key) => (Array.isArray(found) ? found[Number(key)] : asRecord(found)[key]),
    value,
  );
}

function replaced(value: unknown, [key, ...rest]: Place, change: (found: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, change) : item));
  }
  const entries = new Map(Object.entries(asRecord(value)));
  return Object.fromEntries(entries.set(key, replaced(entries.get(key), rest, change)));
}

function without(value: unknown, place: Place): unknown {
  const key = place.at(-1);
  return replaced(value, place.slice(0, -1), (parent) =>
    Array.isArray(parent)
      ? parent.filter((_, index) => String(index) !== key)
      : Object.fromEntries(Object.entries(asRecord(parent)).filter(([name]) => name !== key)),
  );
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}
