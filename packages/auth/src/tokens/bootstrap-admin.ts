import { randomBytes as systemRandomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { Token, User } from "@bowline/api";
import { BowlineError, makeFolder, type RandomBytes } from "@bowline/core";
import type { NewAuditRecord, ObjectStore } from "@bowline/store";

import { keepSecret } from "./secret-file.ts";
import { isSecret, tokenHash, tokenScheme, tokenWrite } from "./token-secret.ts";

type Objects = Pick<ObjectStore, "get" | "list" | "create" | "write" | "findByLookupKey">;

export interface BootstrapOptions {
  readonly store: { readonly objects: Objects };
  /** The data folder. */
  readonly folder: string;
  /** The token to use in place of a new one. Whoever gave it has it already: it is neither written nor returned. */
  readonly givenToken?: string | undefined;
  readonly randomBytes?: RandomBytes;
}

export interface FirstAdmin {
  readonly user: string;
  /** To be shown once. */
  readonly secret: string;
  /** Where it can be read as well. */
  readonly file: string;
}

const name = "admin";
/** On the User while it is not certain that there is a Token. */
const mark = "bowline.dev/first-token";

/**
 * When there is no User at all: makes one that is admin, with a Token, and returns the token. Otherwise undefined.
 *
 * A crash at any point is made good by the next start, and of several replicas one wins:
 * 1. the token goes into the file, so that whatever token gets into the database, its secret is on disk;
 * 2. the User is created, with a mark that its Token is missing; from now on there is a User, but it is marked;
 * 3. the Token is created; there is one name, so there can be one only;
 * 4. the mark is taken off.
 * With a token that was given there is no file: whoever gave it has it, and gives it again at the next start.
 * A replica that finds another Token in the database than the one of its file did not make it, and removes the file.
 */
export async function bootstrapAdmin(options: BootstrapOptions): Promise<FirstAdmin | undefined> {
  const { folder, randomBytes = systemRandomBytes } = options;
  const { objects } = options.store;
  if ((await stateOf(objects)) === "done") return undefined;
  if (options.givenToken !== undefined) {
    await createAdmin(objects, requireForm(options.givenToken));
    return undefined;
  }
  makeFolder(folder);
  const file = join(folder, `${name}.token`);
  const secret = await keepSecret(file, randomBytes);
  await createAdmin(objects, secret);
  if ((await objects.findByLookupKey(Token, tokenHash(secret))) !== undefined)
    return { user: name, secret, file };
  await rm(file, { force: true });
  return undefined;
}

async function createAdmin(objects: Objects, secret: string): Promise<void> {
  await createUser(objects);
  if ((await stateOf(objects)) !== "marked") return;
  await createToken(objects, secret);
  await removeMark(objects);
}

function requireForm(token: string): string {
  if (isSecret(token, tokenScheme)) return token;
  throw new BowlineError(
    "InvalidArgument",
    "The token that was given for the first admin is not one of Bowline's: `bowline up` makes one, or leave admin.token out and the server does.",
  );
}

/**
 * - `empty`: there is no User
 * - `marked`: the first one is there, its Token perhaps not
 * - `done`
 */
async function stateOf(objects: Objects): Promise<"empty" | "marked" | "done"> {
  const user = await objects.get(User, name);
  if (user !== undefined) return Object.hasOwn(user.metadata.annotations, mark) ? "marked" : "done";
  return (await objects.list(User, { limit: 1 })).items.length === 0 ? "empty" : "done";
}

async function createUser(objects: Objects): Promise<void> {
  const desired = {
    metadata: { name, labels: {}, annotations: { [mark]: "pending" } },
    spec: { role: "admin" as const, groups: [], disabled: false },
  };
  await unlessThere(objects.create(User, desired, { audit: () => audited("create", User.kind) }));
}

async function createToken(objects: Objects, secret: string): Promise<void> {
  const desired = {
    metadata: { name, labels: {}, annotations: {} },
    spec: { user: name, description: "Made when the server was first started." },
  };
  await unlessThere(
    objects.create(Token, tokenWrite(Token, desired, secret), { audit: () => audited("create", Token.kind) }),
  );
}

async function removeMark(objects: Objects): Promise<void> {
  await objects.write(User, name, (current) => {
    if (current === undefined)
      throw new BowlineError("NotFound", `The User "${name}" was deleted meanwhile.`);
    const { [mark]: _, ...annotations } = current.metadata.annotations;
    const { labels } = current.metadata;
    return { metadata: { name, labels, annotations }, spec: current.spec };
  });
}

async function unlessThere(create: Promise<unknown>): Promise<void> {
  try {
    await create;
  } catch (error) {
    if (!(error instanceof BowlineError) || error.code !== "AlreadyExists") throw error;
  }
}

/** No User can have a colon in its name. */
function audited(verb: "create", kind: string): NewAuditRecord {
  const actor = { user: "system:bootstrap" };
  return { actor, verb, outcome: "allowed", httpStatus: 201, kind, name, requestId: "bootstrap" };
}
