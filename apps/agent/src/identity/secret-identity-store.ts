import { BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";

import { formatRecord, parseRecord, type IdentityRecord, type IdentityStore } from "./identity-record.ts";

export interface SecretIdentityStoreOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const dataKey = "identity.json";

/** Two agents that start at once differ once each; more than a few rounds mean that something else writes. */
const maxRounds = 20;

/**
 * For the agents of a cluster: a Secret in their namespace. Every write names the version it is based on, so that of two
 * agents that start at once one makes the key and the other one takes it.
 */
export class SecretIdentityStore implements IdentityStore {
  readonly place: string;
  readonly #options: SecretIdentityStoreOptions;

  constructor(options: SecretIdentityStoreOptions) {
    this.#options = options;
    this.place = `the Secret ${options.name} in the namespace ${options.namespace}`;
  }

  async read(): Promise<IdentityRecord | undefined> {
    const secret = await this.#get();
    return secret === undefined ? undefined : this.#recordIn(secret);
  }

  async update(change: (current: IdentityRecord) => IdentityRecord): Promise<IdentityRecord> {
    for (let round = 0; round < maxRounds; round++) {
      const secret = await this.#get();
      const current = secret === undefined ? undefined : this.#recordIn(secret);
      const changed = change(current ?? {});
      if (changed === current) return changed;
      if (await this.#write(secret, changed)) return changed;
    }
    throw new BowlineError(
      "Conflict",
      `Something writes to ${this.place} all the time; nothing but agents may.`,
    );
  }

  async #get(): Promise<Secret | undefined> {
    const { client, namespace, name, signal } = this.#options;
    try {
      return await client.get<Secret>(resources.secrets, { namespace, name, signal });
    } catch (error) {
      if (BowlineError.from(error).code === "NotFound") return undefined;
      throw error;
    }
  }

  /** An empty Secret, made so that the agent needs no right to create Secrets, holds none yet. */
  #recordIn({ data }: Secret): IdentityRecord | undefined {
    const encoded = data?.[dataKey];
    if (encoded === undefined || encoded === "") return undefined;
    return parseRecord(Buffer.from(encoded, "base64").toString("utf8"), this.place);
  }

  /** False when somebody else was faster. */
  async #write(secret: Secret | undefined, record: IdentityRecord): Promise<boolean> {
    const { client, namespace, name, signal } = this.#options;
    const data = { [dataKey]: Buffer.from(formatRecord(record)).toString("base64") };
    try {
      if (secret === undefined) {
        await client.create<Secret>(resources.secrets, newSecret({ namespace, name, data }), { signal });
      } else {
        const changed = { ...secret, data: { ...secret.data, ...data } };
        await client.update<Secret>(resources.secrets, changed, { signal });
      }
      return true;
    } catch (error) {
      const { code } = BowlineError.from(error);
      if (code === "Conflict" || code === "AlreadyExists" || code === "NotFound") return false;
      throw error;
    }
  }
}

function newSecret(parts: {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}): Secret {
  const { namespace, name, data } = parts;
  const labels = { "app.kubernetes.io/managed-by": "bowline" };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name, labels },
    type: "Opaque",
    data,
  };
}
