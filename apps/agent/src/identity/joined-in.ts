import { FileIdentityStore } from "./file-identity-store.ts";
import type { JoinedIdentity } from "./identity-record.ts";

/** Who an agent that keeps its identity in this folder has joined as; undefined when it has not. */
export async function joinedIn(
  folder: string,
): Promise<Pick<JoinedIdentity, "agentId" | "clusterId"> | undefined> {
  return (await new FileIdentityStore(folder).read())?.joined;
}
