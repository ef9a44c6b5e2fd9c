import { expect, test } from "vitest";

import type { ManagedFieldsEntry } from "../object.ts";
import { appliedDigest } from "./applied-digest.ts";

const entry: ManagedFieldsEntry = {
  manager: "bowline",
  operation: "Apply",
  apiVersion: "apps/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {}, "f:paused": {} } },
};

const digestOf = (...managedFields: ManagedFieldsEntry[]): string =>
  appliedDigest({ metadata: { name: "web", managedFields } }, "bowline");

test("is the same for the same fields, in whatever order they come and whoever else has written", () => {
  const reordered = { "f:spec": { "f:paused": {}, "f:replicas": {} } };
  const other: ManagedFieldsEntry = { ...entry, manager: "kubectl-edit", operation: "Update" };
  expect(digestOf(entry)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(digestOf(other, { ...entry, fieldsV1: reordered })).toBe(digestOf(entry));
});

test("changes with the fields, the version, and when the manager changed one of them", () => {
  expect(digestOf({ ...entry, time: "2027-01-01T00:00:00Z" })).not.toBe(digestOf(entry));
  expect(digestOf({ ...entry, fieldsV1: { "f:spec": { "f:paused": {} } } })).not.toBe(digestOf(entry));
  expect(digestOf({ ...entry, apiVersion: "apps/v1beta1" })).not.toBe(digestOf(entry));
});

test("is empty for an object that the manager has applied nothing to", () => {
  expect(digestOf()).toBe("");
  expect(digestOf({ ...entry, operation: "Update" })).toBe("");
  expect(digestOf({ ...entry, subresource: "status" })).toBe("");
  expect(appliedDigest({ metadata: {} }, "bowline")).toBe("");
});
