import { bowlineImage, type Program } from "@bowline/packaging";
import type { Cluster } from "@bowline/test-cluster";

import type { Bowline } from "../people.ts";
import { startServicePods } from "./service-pods.ts";

export const namespace = "bowline";
/** Two names of one image: going from one to the other replaces every pod. */
export const tags = { before: "1.2.3", after: "1.2.4" } as const;

const inNamespace = ["--namespace", namespace];
const imageName = (tag: string): string => `docker.io/library/bowline:${tag}`;
/** The image has no tools but a shell. */
const printCa = `while IFS= read -r line; do echo "$line"; done < "$BOWLINE_DATA/tls/ca.crt"`;

/** Two replicas of the server on PostgreSQL and NATS, all of them pods, from the manifests that `bowline install` prints. */
export class ControlPlane {
  readonly #cluster: Cluster;
  readonly #bowline: Bowline;
  readonly #url: string;

  constructor(cluster: Cluster, bowline: Bowline, url: string) {
    this.#cluster = cluster;
    this.#bowline = bowline;
    this.#url = url;
  }

  /** Brings the image and everything that the servers need beside it. */
  async prepare(program: Program): Promise<void> {
    await this.#cluster.importImage(await bowlineImage(program, imageName(tags.before)));
    await this.#cluster.tagImage(imageName(tags.before), imageName(tags.after));
    const { databaseUrl, natsUrl } = await startServicePods(this.#cluster);
    const { out: keys } = await this.#bowline(["server", "keys", "new"]);
    await this.#cluster.kubectl(["create", "namespace", namespace]);
    await this.#createSecret("database", "url", databaseUrl);
    await this.#createSecret("nats", "url", natsUrl);
    await this.#createSecret("keys", "encryption.keys", keys);
  }

  /** Resolves when every replica is of that version and ready. */
  async install(tag: string): Promise<void> {
    const values = {
      image: { tag, pullPolicy: "Never" },
      replicas: 2,
      url: this.#url,
      database: { postgres: { existingSecret: "database" } },
      nats: { existingSecret: "nats" },
      encryption: { existingSecret: "keys" },
    };
    const print = ["install", "manifests", ...inNamespace, "--values", "-"];
    const { out: manifests } = await this.#bowline(print, JSON.stringify(values));
    await this.#cluster.kubectl(["apply", "-f", "-"], { input: manifests });
    await this.#kubectl("rollout", "status", "deployment/bowline", "--timeout=120s");
  }

  /** The replica that was the first has printed it, and nobody else has. */
  async adminToken(): Promise<string> {
    const printed = await this.#kubectl("logs", "--selector", "app.kubernetes.io/name=bowline", "--tail=-1");
    const [token] = /bwl_\w+/u.exec(printed) ?? [];
    if (token === undefined) throw new Error("No replica has printed the token of the admin.");
    return token;
  }

  caPem(): Promise<string> {
    return this.#kubectl("exec", "deployment/bowline", "--", "sh", "-c", printCa);
  }

  async #createSecret(name: string, key: string, value: string): Promise<void> {
    await this.#kubectl("create", "secret", "generic", name, `--from-literal=${key}=${value}`);
  }

  #kubectl(...args: string[]): Promise<string> {
    return this.#cluster.kubectl([...inNamespace, ...args]);
  }
}
