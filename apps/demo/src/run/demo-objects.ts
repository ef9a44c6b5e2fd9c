import { AccessGrant, Cluster, Token, User } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { demoGroups, sitePlans } from "../site/site-plan.ts";

/** The user that the screen looks as. */
export const screenUser = "demo-screen";
/** Somebody who deploys, with the rights of an editor in the clusters. */
export const editorUser = "editor";
/** Somebody who may only look. */
export const viewerUser = "viewer";
/** The user that the server starts with: whoever tries the demo. */
const adminUser = "admin";

/** A user of the server with a token. Returns the token. */
export async function makeUser(
  client: Client,
  name: string,
  role: "admin" | "editor" | "viewer",
): Promise<string> {
  await client.apply(User, name, { metadata: { name }, spec: { role } });
  const { status } = await client.create(Token, { metadata: { name }, spec: { user: name } });
  if ("secret" in status && typeof status.secret === "string") return status.secret;
  throw new BowlineError("Internal", "The server made a token and does not show it.");
}

/** The clusters, and who may do what in them. */
export async function makeClusters(client: Client): Promise<void> {
  for (const { name, labels, region } of sitePlans) {
    await client.apply(Cluster, name, { metadata: { name, labels }, spec: { region } });
  }
  const ours = { names: sitePlans.map(({ name }) => name) };
  await makeGrant(client, "demo-admins", {
    users: [adminUser],
    clusters: ours,
    group: demoGroups.admins,
  });
  await makeGrant(client, "demo-editors", {
    users: [editorUser],
    clusters: ours,
    group: demoGroups.editors,
  });
  await makeGrant(client, "demo-viewers", {
    users: [viewerUser, screenUser],
    clusters: ours,
    group: demoGroups.viewers,
  });
  // A cluster that somebody adds knows none of the groups above. Of several grants the first by name is taken.
  await makeGrant(client, "demo-yours", {
    users: [adminUser],
    clusters: { selector: {} },
    group: "system:masters",
  });
}

interface Grant {
  readonly users: readonly string[];
  readonly clusters: { readonly names: string[] } | { readonly selector: object };
  readonly group: string;
}

async function makeGrant(client: Client, name: string, { users, clusters, group }: Grant): Promise<void> {
  const subjects = users.map((user) => ({ user }));
  const spec = { subjects, clusters, kubernetes: { groups: [group] } };
  await client.apply(AccessGrant, name, { metadata: { name }, spec });
}

/** Something to apply. */
export const helloManifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: hello
  namespace: default
spec:
  replicas: 3
  selector:
    matchLabels:
      app: hello
  template:
    metadata:
      labels:
        app: hello
    spec:
      containers:
        - name: hello
          image: example.test/hello:1.0
`;
