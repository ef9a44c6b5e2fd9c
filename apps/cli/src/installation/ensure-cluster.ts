import { Cluster } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";
import { isNotFound } from "../resources/find-objects.ts";

interface WantedCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly region: string | undefined;
  /** Id of the Cluster that the agent of this machine has joined; that one may have an agent already. */
  readonly joinedId?: string | undefined;
}

interface EnsuredCluster {
  readonly id: string;
  /** The outcome in words. */
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

/** `env=prod`, once for each label or several with commas between them. The server checks keys and values. */
export function parseLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const label of texts.flatMap((text) => text.split(","))) {
    const equals = label.indexOf("=");
    const key = label.slice(0, Math.max(equals, 0));
    if (key === "" || labels.has(key)) {
      const problem = key === "" ? "is not KEY=VALUE" : "sets a label that is set already";
      throw new BowlineError("InvalidArgument", `«${printableLine(label.slice(0, 64))}» ${problem}.`);
    }
    labels.set(key, label.slice(equals + 1));
  }
  return Object.fromEntries(labels);
}
