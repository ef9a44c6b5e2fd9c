import type { RandomBytes } from "@bowline/core";

import type { Installation } from "@bowline/store";

const installationName = "replica-secret";
const secretBytes = 32;

/** What replicas recognise each other by. The first one makes it up; it is kept in the database, encrypted. */
export async function replicaSecret(
  installation: Installation,
  randomBytes: RandomBytes,
): Promise<Uint8Array> {
  const kept =
    (await installation.recall(installationName)) ??
    (await installation.remember(
      installationName,
      Buffer.from(randomBytes(secretBytes)).toString("base64url"),
    ));
  return Buffer.from(kept, "base64url");
}
