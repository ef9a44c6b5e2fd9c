import { expect, test } from "vitest";

import { asRecord, isRecord } from "./is-record.ts";

test.each([[{}], [{ a: 1 }], [Object.create(null)]])("%j is a record", (value) => {
  expect(isRecord(value)).toBe(true);
  expect(asRecord(value)).toBe(value);
});

test.each([[null], [undefined], [[]], ["text"], [5], [() => undefined]])("%j is no record", (value) => {
  expect(isRecord(value)).toBe(false);
  expect(asRecord(value)).toEqual({});
});
