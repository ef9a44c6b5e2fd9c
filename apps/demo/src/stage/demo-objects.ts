import { AccessGrant, Cluster, Token, User } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { demoGroups, sitePlans } from "../site/site-plan.ts";

/** The user that the screen looks as. */
export const screenUser = "demo-screen";
/** Somebody who may only look. */
export const viewerUser = "viewer";
/** The user that the server starts with: whoever tries the demo. */
const adminUser = "admin";

/** A user of the server with a token. Returns the token. */
export async function makeUser(client: Client, name: string, role: "admin" | "viewer"): Promise<string> {
  await client.apply(User, name, { metadata: { name }, spec: { role } });
  const { status } = await client.create(Token, { metadata: { name }, spec: { user: name } });
  if ("secret" in status && typeof status.secret === "string") return status.secret;
  throw new BowlineError("Internal", "The server made a token and does not show it.");
}

/** The clusters, and who may do what in them. */
export async function makeClusters(client: Client): Promise<void> {
  const names = sitePlans.map(({ name }) => name);
  for (const { name, labels, region } of sitePlans) {
    await client.apply(Cluster, name, { metadata: { name, labels }, spec: { region } });
  }
  await makeGrant(client, "demo-admins", { users: [adminUser], names, group: demoGroups.admins });
  await makeGrant(client, "demo-viewers", {
    users: [viewerUser, screenUser],
    names,
    group: demoGroups.viewers,
  });
}

interface Grant {
  readonly users: readonly string[];
  readonly names: string[];
  readonly group: string;
}

async function makeGrant(client: Client, name: string, { users, names, group }: Grant): Promise<void> {
  const subjects = users.map((user) => ({ user }));
  const spec = { subjects, clusters: { names }, kubernetes: { groups: [group] } };
  await client.apply(AccessGrant, name, { metadata: { name }, spec });
}
