import { readFileSync } from "node:fs";

import {
  Cluster,
  ConfigSource,
  kinds,
  roles,
  Token,
  User,
  WorkloadInstance,
  type ApiObject,
  type Kind,
  type Role,
} from "@bowline/api";
import { hasCode } from "@bowline/core";
import { describe, expect, test } from "vitest";

import type { Access } from "../access.ts";
import type { Identity } from "../authentication/identity.ts";
import { identity, openTestAccess } from "../testing/access-harness.ts";
import type { ObjectChange } from "./authorize.ts";
import { permissionOf, rules, type Verb } from "./rules.ts";

const reads: readonly Verb[] = ["get", "list", "watch"];
const writes: readonly Verb[] = ["create", "update", "patch", "delete"];
const workKinds = new Set([
  "Cluster",
  "WorkloadDefinition",
  "WorkloadInstance",
  "Gateway",
  "ConfigSource",
  "Credential",
]);

/** Said once more, in other words than the rules. */
function mayDo(role: Role, verb: Verb, kind: string): boolean {
  if (role === "admin") return true;
  if (kind === "GraphQuestion") return false;
  if (reads.includes(verb)) return true;
  if (verb === "update-status") return false;
  return ["Token", "Session"].includes(kind) || (role === "editor" && workKinds.has(kind));
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (hasCode(error, "Forbidden")) return true;
    throw error;
  }
}

function token(user: string, spec: object = {}): ApiObject & Pick<ObjectChange, "desired"> {
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
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Token",
    metadata,
    spec: { user, ...spec },
    status: { conditions: [] },
  };
}

function canCreate(
  access: Access,
  who: Identity,
  spec: { readonly user: string; readonly role?: Role; readonly expiresAt?: string },
): boolean {
  return !isRefused(() => access.allowObject(who, "create", Token, { desired: token(spec.user, spec) }));
}

describe("roles", () => {
  test("every kind has a line in the table, and no line is left over", () => {
    expect(Object.keys(rules).toSorted()).toEqual(kinds.map(({ kind }) => kind).toSorted());
  });

  test.each(roles.flatMap((role) => kinds.map((kind): [Role, Kind] => [role, kind])))(
    "a %s and %o",
    async (role, kind) => {
      const { access } = await openTestAccess();
      for (const verb of [...reads, ...writes, "update-status" as const]) {
        expect([verb, isRefused(() => access.allow(identity("somebody", role), verb, kind))]).toEqual([
          verb,
          !mayDo(role, verb, kind.kind),
        ]);
      }
    },
  );

  test("a kind that nobody thought of is for admins only", async () => {
    const { access } = await openTestAccess();
    const unknown = { ...Cluster, kind: "Unknown", plural: "unknowns" };
    expect(isRefused(() => access.allow(identity("editor", "editor"), "get", unknown))).toBe(true);
    expect(isRefused(() => access.allow(identity("admin", "admin"), "get", unknown))).toBe(false);
    expect(Object.keys(permissionOf)).toHaveLength(8);
  });

  test("a refusal says who one is and what it takes", async () => {
    const { access } = await openTestAccess();
    expect(() => access.allow(identity("viewer", "viewer"), "delete", Cluster)).toThrow(
      'You may not delete clusters: you are "viewer" with the role viewer, and it takes the role editor.',
    );
  });
});

describe("tokens of others", () => {
  test("are neither seen nor written, except by admins", async () => {
    const { access } = await openTestAccess();
    const editor = identity("editor", "editor");
    for (const verb of ["get", "update", "patch", "delete"] as const) {
      expect(isRefused(() => access.allowObject(editor, verb, Token, { current: token("editor") }))).toBe(
        false,
      );
      expect(isRefused(() => access.allowObject(editor, verb, Token, { current: token("viewer") }))).toBe(
        true,
      );
      const admin = identity("admin", "admin");
      expect(isRefused(() => access.allowObject(admin, verb, Token, { current: token("viewer") }))).toBe(
        false,
      );
    }
    expect(canCreate(access, editor, { user: "editor" })).toBe(true);
    expect(canCreate(access, editor, { user: "admin", role: "viewer" })).toBe(false);
    const change = { current: token("editor"), desired: token("admin") };
    expect(isRefused(() => access.allowObject(editor, "update", Token, change))).toBe(true);
  });

  test("are left out of lists and watches", async () => {
    const { access, store, createUser, createToken } = await openTestAccess();
    for (const name of ["editor", "viewer"]) {
      await createUser(name);
      await createToken(`${name}-1`, { user: name });
    }
    const seenBy = async (who: Identity): Promise<string[]> => {
      const { items } = await store.objects.list(Token, { fields: access.visible(who, Token) });
      return items.map(({ metadata }) => metadata.name);
    };
    expect(await seenBy(identity("editor", "editor"))).toEqual(["editor-1"]);
    expect(await seenBy(identity("admin", "admin"))).toEqual(["editor-1", "viewer-1"]);
    expect(await seenBy(identity("oidc-somebody@example.com", "editor"))).toEqual([]);
    expect(access.visible(identity("editor", "editor"), User)).toEqual([]);
  });
});

describe("a token that is made with another", () => {
  test("never has a wider role", async () => {
    const { access } = await openTestAccess();
    for (const [index, role] of roles.entries()) {
      for (const [wantedIndex, wanted] of roles.entries()) {
        const who = identity("somebody", role);
        expect(canCreate(access, who, { user: "somebody", role: wanted })).toBe(wantedIndex <= index);
      }
    }
  });

  test("needs a role when the other is limited, so that it stays limited when the user gets more", async () => {
    const { access } = await openTestAccess();
    const limited = identity("somebody", "viewer", { tokenRole: "viewer" });
    expect(canCreate(access, limited, { user: "somebody" })).toBe(false);
    expect(canCreate(access, limited, { user: "somebody", role: "viewer" })).toBe(true);
    // The user was made an editor, the token was not.
    const editorOnPaper = identity("somebody", "editor", { tokenRole: "editor" });
    expect(canCreate(access, editorOnPaper, { user: "somebody", role: "editor" })).toBe(true);
    expect(canCreate(access, editorOnPaper, { user: "somebody" })).toBe(false);
    expect(canCreate(access, identity("admin", "admin", { tokenRole: "admin" }), { user: "viewer" })).toBe(
      true,
    );
  });

  test("does not last longer, and cannot be made to", async () => {
    const { access } = await openTestAccess();
    const expiresAtMs = Date.parse("2026-06-01T00:00:00Z");
    const short = identity("somebody", "editor", { expiresAtMs });
    expect(canCreate(access, short, { user: "somebody" })).toBe(false);
    expect(canCreate(access, short, { user: "somebody", expiresAt: "2026-06-01T00:00:01Z" })).toBe(false);
    expect(canCreate(access, short, { user: "somebody", expiresAt: "2026-06-01T00:00:00Z" })).toBe(true);
    const extend = {
      current: token("somebody", { expiresAt: "2026-06-01T00:00:00Z" }),
      desired: token("somebody"),
    };
    expect(isRefused(() => access.allowObject(short, "update", Token, extend))).toBe(true);
    const rename = {
      current: token("somebody"),
      desired: token("somebody", { description: "for tests" }),
    };
    expect(isRefused(() => access.allowObject(short, "update", Token, rename))).toBe(false);
    // A user who signed in at the issuer makes a token that lasts: that is what tokens are for.
    expect(
      canCreate(access, identity("somebody", "editor", { method: "oidc", expiresAtMs }), {
        user: "somebody",
      }),
    ).toBe(true);
  });
});

describe("issue", () => {
  test("makes a secret for a Token, of which the database gets the hash and the beginning", async () => {
    const { access, store, createUser } = await openTestAccess();
    await createUser("editor");
    const desired = { metadata: { name: "ci", labels: {}, annotations: {} }, spec: { user: "editor" } };
    const issued = access.issue(identity("editor", "editor"), Token, desired);
    const secret = String(issued.onlyInAnswer?.["secret"]);
    const { object } = await store.objects.create(Token, issued.desired);
    expect(object.status.prefix).toBe(secret.slice(0, 12));
    expect(JSON.stringify([object, issued.desired])).not.toContain(secret);
    expect(await access.authenticate(`Bearer ${secret}`)).toMatchObject({ user: "editor", token: "ci" });
  });

  test("adds nothing to other kinds", async () => {
    const { access } = await openTestAccess();
    const desired = {
      metadata: { name: "a", labels: {}, annotations: {} },
      spec: { provider: "existing" as const },
    };
    expect(access.issue(identity("editor", "editor"), Cluster, desired)).toEqual({ desired });
  });
});

describe("instances that act as somebody", () => {
  const instance = (actingUser?: string, namespace = "default") => ({
    ...token("nobody"),
    kind: "WorkloadInstance",
    spec: { definition: "web", namespace, ...(actingUser === undefined ? {} : { actingUser }) },
  });

  test.each([
    ["as whoever wrote it", { desired: instance() }, false],
    ["as oneself", { desired: instance("editor") }, false],
    ["as somebody else", { desired: instance("viewer") }, true],
    ["still as somebody else", { current: instance("viewer"), desired: instance("viewer", "other") }, true],
    [
      "as somebody else, but not in the spec",
      { current: instance("viewer"), desired: instance("viewer") },
      false,
    ],
    ["no longer as somebody else", { current: instance("viewer"), desired: instance() }, false],
    [
      "as before, after a cascade",
      { current: instance("viewer"), desired: instance("viewer", "b"), isCascade: true },
      false,
    ],
    ["and are deleted", { current: instance("viewer") }, false],
  ])("%s", async (_, change, refused) => {
    const { access } = await openTestAccess();
    const editor = identity("editor", "editor");
    const admin = identity("admin", "admin");
    expect(isRefused(() => access.allowObject(editor, "update", WorkloadInstance, change))).toBe(refused);
    expect(isRefused(() => access.allowObject(admin, "update", WorkloadInstance, change))).toBe(false);
  });
});

describe("sources of configuration that act as somebody", () => {
  const source = (actsAs: string, ref = "main") => ({
    ...token("nobody"),
    kind: "ConfigSource",
    spec: { git: { url: "https://git.example.com/a.git", ref }, actsAs },
  });

  test.each([
    ["as oneself", { desired: source("editor") }, false],
    ["as somebody else", { desired: source("admin") }, true],
    [
      "from somewhere else, still as somebody else",
      { current: source("admin"), desired: source("admin", "b") },
      true,
    ],
    ["unchanged as somebody else", { current: source("admin"), desired: source("admin") }, false],
    ["and are deleted", { current: source("admin") }, false],
  ])("%s", async (_, change, refused) => {
    const { access } = await openTestAccess();
    const admin = identity("root", "admin");
    expect(
      isRefused(() => access.allowObject(identity("editor", "editor"), "update", ConfigSource, change)),
    ).toBe(refused);
    expect(isRefused(() => access.allowObject(admin, "update", ConfigSource, change))).toBe(false);
  });
});

test("docs/reference/access.md has the same table", () => {
  const page = readFileSync(new URL("../../../../docs/reference/access.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## Roles");
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
    .map(([, kind, read, write, writeStatus, own]) => ({
      kind,
      read,
      write,
      writeStatus,
      own: own === "yes",
    }));
  const expected = Object.entries(rules).map(([kind, { own, ...rest }]) => ({
    kind,
    ...rest,
    own: own !== undefined,
  }));
  expect(rows.slice(0, expected.length)).toEqual(expected);
});
