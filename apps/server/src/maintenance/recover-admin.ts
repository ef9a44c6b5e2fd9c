import { randomBytes } from "node:crypto";

import { Token, User } from "@bowline/api";
import { systemClock } from "@bowline/core";

import { newTokenSecret, tokenWrite } from "@bowline/auth";
import type { ObjectStore, NewAuditRecord } from "@bowline/store";
import { openMaintainedStore, type MaintenanceOptions } from "./maintained-database.ts";

export interface RecoveredAdmin {
  readonly user: string;
  /** Name of the Token. */
  readonly token: string;
  /** To be shown once. */
  readonly secret: string;
  readonly expiresAt: string;
}

const user = "admin";
const lifetimeMs = 24 * 3_600_000;

/**
 * For when nobody can sign in any more: makes sure that the User `admin` is there, may do everything and is not
 * disabled, and gives it a Token for a day. Whoever can open the database and its keys could do the same by hand.
 */
export async function recoverAdmin(options: MaintenanceOptions): Promise<RecoveredAdmin> {
  const store = await openMaintainedStore(options);
  try {
    await enableAdmin(store.objects);
    return await createToken(store.objects);
  } finally {
    await store.close();
  }
}

async function enableAdmin(objects: ObjectStore): Promise<void> {
  await objects.write(
    User,
    user,
    (current) => {
      const { labels = {}, annotations = {} } = current?.metadata ?? {};
      const { groups = [], ...spec } = current?.spec ?? {};
      return {
        metadata: { name: user, labels, annotations },
        spec: { ...spec, groups, role: "admin" as const, disabled: false },
      };
    },
    { audit: () => audited("update", User.kind, user) },
  );
}

async function createToken(objects: ObjectStore): Promise<RecoveredAdmin> {
  const secret = newTokenSecret(randomBytes);
  const token = `recovery-${randomBytes(4).toString("hex")}`;
  const expiresAt = new Date(systemClock.now() + lifetimeMs).toISOString();
  const desired = {
    metadata: { name: token, labels: {}, annotations: {} },
    spec: { user, description: "Made by `bowline server recover`.", expiresAt },
  };
  await objects.create(Token, tokenWrite(Token, desired, secret), {
    audit: () => audited("create", Token.kind, token),
  });
  return { user, token, secret, expiresAt };
}

/** No User can have a colon in its name. */
function audited(verb: "create" | "update", kind: string, name: string): NewAuditRecord {
  const actor = { user: "system:recovery" };
  return { actor, verb, outcome: "allowed", httpStatus: 200, kind, name, requestId: "recovery" };
}
