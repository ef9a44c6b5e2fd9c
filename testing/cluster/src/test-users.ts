import { randomBytes } from "node:crypto";
import { BowlineError } from "@bowline/core";

export interface TestUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** A user and the bearer token it proves itself with. */
export interface TestUserToken extends TestUser {
  readonly token: string;
}

/** `admin` may do everything; `guest` is known to the API server and may do nothing beyond discovery. */
const defaultUsers: readonly TestUser[] = [{ name: "admin", groups: ["system:masters"] }, { name: "guest" }];

export function createTestUsers(extra: readonly TestUser[] = []): TestUserToken[] {
  return [...defaultUsers, ...extra].map((user) => ({ ...user, token: randomBytes(16).toString("hex") }));
}

/** The CSV that `--token-auth-file` reads: token, user name, user id, groups. */
export function tokenFileText(users: readonly TestUserToken[]): string {
  return users
    .map(({ token, name, groups = [] }) => `${token},${name},${name},"${groups.join(",")}"\n`)
    .join("");
}

export function tokenOf(users: readonly TestUserToken[], name: string): string {
  const user = users.find((each) => each.name === name);
  if (user) return user.token;
  const known = users.map((each) => each.name).join(", ");
  throw new BowlineError("InvalidArgument", `There is no test user ${name}; there are ${known}.`);
}
