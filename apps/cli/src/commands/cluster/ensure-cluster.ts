import { Cluster } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { isNotFound } from "../../resources/find-objects.ts";

interface WantedCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly region: string | undefined;
  /** Id of the Cluster that the agent of this machine has joined; that one may have an agent already. */
  readonly joinedId?: string | undefined;
}

interface EnsuredCluster {
  readonly id: string;
  /** What was done, in words. */
  readonly outcome: string;
}

type StoredCluster = ReadObject<typeof Cluster>;

/** Makes the Cluster, or goes on with the one that is there; `AlreadyExists` when that has an agent of its own. */
export async function ensureCluster(
  client: Client,
  wanted: WantedCluster,
  signal: AbortSignal,
): Promise<EnsuredCluster> {
  const { name, labels, region, joinedId } = wanted;
  const spec = region === undefined ? {} : { region };
  const existing = await find(client, name, signal);
  if (existing === undefined) {
    const body = { metadata: { name, labels }, spec };
    const { object } = await client.apply(Cluster, name, body, { ifNoneMatch: "*", signal });
    return { id: object.metadata.id, outcome: "created" };
  }
  const { id } = existing.metadata;
  const hasAgent = existing.status.agent !== undefined;
  if (hasAgent && id !== joinedId) {
    throw new BowlineError(
      "AlreadyExists",
      `The cluster "${name}" has an agent already; \`bowline cluster rotate ${name}\` lets it join again.`,
    );
  }
  if (region === undefined && Object.keys(labels).length === 0) {
    return { id, outcome: hasAgent ? "exists" : "exists, and waits for its agent" };
  }
  // A patch, as the Cluster may hold more than this command knows of.
  await client.patch(Cluster, name, { metadata: { labels }, spec }, { signal });
  return { id, outcome: "configured" };
}

async function find(client: Client, name: string, signal: AbortSignal): Promise<StoredCluster | undefined> {
  try {
    return await client.get(Cluster, name, { signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}
