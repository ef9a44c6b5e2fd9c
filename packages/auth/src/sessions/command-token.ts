import { Token, type CommandCredential, type CommandRequest, type SpecOf } from "@bowline/api";
import type { RandomBytes } from "@bowline/core";
import type { DesiredWrite, NewAuditRecord, ObjectStore } from "@bowline/store";

import type { Identity } from "../authentication/identity.ts";
import { requireWithinLimits } from "../authorization/authorize.ts";
import { newTokenSecret, tokenWrite } from "../tokens/token-secret.ts";

export interface CommandTokenOptions {
  readonly objects: Pick<ObjectStore, "create">;
  readonly randomBytes: RandomBytes;
  /** Whoever agreed, with the token that they signed in with. */
  readonly identity: Identity;
  readonly command: CommandRequest;
  readonly audit: (made: CommandCredential) => NewAuditRecord;
}

const nameBytes = 4;

/** Makes the Token of a command line that somebody agreed to. `Forbidden` when they may not give so much. */
export async function createCommandToken(options: CommandTokenOptions): Promise<CommandCredential> {
  const { objects, randomBytes, identity, command } = options;
  const name = `cli-${Buffer.from(randomBytes(nameBytes)).toString("hex")}`;
  const desired = commandToken(identity, command, name);
  const secret = newTokenSecret(randomBytes);
  const { expiresAt } = desired.spec;
  const made: CommandCredential = {
    token: secret,
    kind: "Token",
    name,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  await objects.create(Token, tokenWrite(Token, desired, secret), { audit: () => options.audit(made) });
  return made;
}

/** The Token as it would be: never wider, and never longer, than the one behind the session of whoever agrees. */
export function commandToken(
  identity: Identity,
  { description, role = identity.tokenRole, expiresAt }: CommandRequest,
  name: string,
): DesiredWrite<typeof Token> {
  const endMs = identity.session === undefined ? identity.expiresAtMs : identity.tokenExpiresAtMs;
  const ends = [
    ...(expiresAt === undefined ? [] : [Date.parse(expiresAt)]),
    ...(endMs === undefined ? [] : [endMs]),
  ];
  const spec: SpecOf<typeof Token> = {
    user: identity.user,
    description: `bowline login: ${description}`,
    ...(role === undefined ? {} : { role }),
    ...(ends.length === 0 ? {} : { expiresAt: new Date(Math.min(...ends)).toISOString() }),
  };
  const desired = { metadata: { name, labels: {}, annotations: {} }, spec };
  requireWithinLimits(identity, { desired });
  return desired;
}
