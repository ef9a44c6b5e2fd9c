import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bowlineImage, type Program } from "@bowline/packaging";
import type { Cluster } from "@bowline/test-cluster";

import { startServicePods } from "./service-pods.ts";

export const namespace = "bowline-system";
/** Two names of one image: going from one to the other replaces every pod. */
const images = { before: "docker.io/library/bowline:before", after: "docker.io/library/bowline:after" };

export interface ControlPlaneOptions {
  readonly cluster: Cluster;
  /** Runs a command to its end, which must be a good one. */
  readonly run: (...args: string[]) => Promise<string>;
  readonly folder: string;
  readonly url: string;
}

/** Two replicas of the server on PostgreSQL and NATS, all of them pods, as docs/guides/install.md says. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
  }

  /** Brings the image, PostgreSQL and NATS, and Secrets with their addresses. */
  async prepare(program: Program): Promise<void> {
    const { cluster } = this.#options;
    await cluster.importImage(await bowlineImage(program, images.before));
    await cluster.tagImage(images.before, images.after);
    const { databaseUrl, natsUrl } = await startServicePods(cluster);
    await cluster.kubectl(["create", "namespace", namespace]);
    for (const [name, url] of Object.entries({ postgres: databaseUrl, nats: natsUrl })) {
      const secret = ["create", "secret", "generic", name, `--from-literal=url=${url}`];
      await cluster.kubectl(["--namespace", namespace, ...secret]);
    }
  }

  async up(): Promise<void> {
    const { cluster, folder, run, url } = this.#options;
    const values = {
      replicas: 2,
      url,
      image: { pullPolicy: "Never" },
      database: { postgres: { existingSecret: "postgres" } },
      nats: { existingSecret: "nats" },
    };
    const file = join(folder, "values.yaml");
    await writeFile(file, JSON.stringify(values));
    const place = ["--kubeconfig", cluster.kubeconfigPath, "--cluster", "home"];
    await run("up", ...place, "--values", file, "--image", images.before);
  }

  upgrade(): Promise<string> {
    return this.#options.run("upgrade", "bowline", "--image", images.after);
  }

  async down(): Promise<string> {
    return this.#options.run("down", "bowline", "--yes", "--delete-data");
  }
}
