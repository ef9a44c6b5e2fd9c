import type { Token, User } from "@bowline/api";
import { expect, test } from "vitest";

import { tokenFingerprint, userFingerprint } from "./identity.ts";

const metadata = {
  id: "01980000-0000-7000-8000-000000000000",
  name: "ci",
  labels: {},
  annotations: {},
  generation: 1,
  resourceVersion: "1",
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};
const later = "2026-06-01T00:00:00Z";
const user: User = {
  apiVersion: "bowline.dev/v1",
  kind: "User",
  metadata,
  spec: { role: "editor", groups: ["developers"], disabled: false },
  status: { conditions: [] },
};
const token: Token = {
  apiVersion: "bowline.dev/v1",
  kind: "Token",
  metadata,
  spec: { user: "editor" },
  status: { conditions: [] },
};

test.each<[string, User]>([
  ["another User of that name", { ...user, metadata: { ...metadata, id: "other" } }],
  ["its deletion", { ...user, metadata: { ...metadata, deletedAt: later } }],
  ["another role", { ...user, spec: { ...user.spec, role: "viewer" } }],
  ["other groups", { ...user, spec: { ...user.spec, groups: [] } }],
  ["being disabled", { ...user, spec: { ...user.spec, disabled: true } }],
])("what somebody may do depends on their User: %s", (_, changed) => {
  expect(userFingerprint(changed)).not.toBe(userFingerprint(user));
});

test.each<[string, Token]>([
  ["another Token of that name", { ...token, metadata: { ...metadata, id: "other" } }],
  ["its deletion", { ...token, metadata: { ...metadata, deletedAt: later } }],
  ["another user", { ...token, spec: { user: "viewer" } }],
  ["another role", { ...token, spec: { ...token.spec, role: "viewer" } }],
  ["another end", { ...token, spec: { ...token.spec, expiresAt: later } }],
  ["being revoked", { ...token, status: { conditions: [], revokedAt: later } }],
])("what somebody may do depends on their Token: %s", (_, changed) => {
  expect(tokenFingerprint(changed)).not.toBe(tokenFingerprint(token));
});

test("and on nothing else", () => {
  const renewed = { ...metadata, generation: 2, resourceVersion: "2", labels: { a: "b" } };
  expect(userFingerprint({ ...user, metadata: renewed, spec: { ...user.spec, displayName: "Editor" } })).toBe(
    userFingerprint(user),
  );
  expect(
    tokenFingerprint({ ...token, metadata: renewed, status: { conditions: [], lastUsedAt: later } }),
  ).toBe(tokenFingerprint(token));
});
