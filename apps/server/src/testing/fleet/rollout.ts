import type { Random } from "@bowline/core";

import { resources, versionLabel } from "./accepted-writes.ts";
import type { Fleet } from "./fleet.ts";

interface Instance {
  readonly name: string;
  readonly definition: string;
  clusters: readonly string[];
  isDeleted: boolean;
}

/** One thing that somebody does to the rollout. */
export type Action = () => Promise<void>;

const instancesPerDefinition = 4;

/** As much as a definition has in each version: objects come and go. */
function namesIn(version: number): string[] {
  const changing = version === 1 ? ["ConfigMap first"] : version > 2 ? ["ConfigMap more"] : [];
  return ["ConfigMap settings", "Secret keys", "Service web", "Deployment web", ...changing];
}

/** Definitions of several objects each, instances of them in some of the clusters, and how they change. */
export class Rollout {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #instances: Instance[] = [];
  readonly #versions = new Map<string, number>();

  constructor(fleet: Fleet, random: Random, instances: number) {
    this.#fleet = fleet;
    this.#random = random;
    const clusters = fleet.clusters.map(({ name }) => name);
    for (let index = 0; index < instances; index += 1) {
      const definition = `shop-${Math.floor(index / instancesPerDefinition)}`;
      const chosen = clusters.filter(() => random() < 0.6);
      const first = clusters[index % clusters.length] ?? "";
      const placed = [...new Set([first, ...chosen])];
      this.#instances.push({ name: `web-${index}`, definition, clusters: placed, isDeleted: false });
      this.#versions.set(definition, 0);
    }
  }

  /** Everything is brought into being, changed twice or more, and some of it taken away. */
  actions(): Action[] {
    const definitions = [...this.#versions.keys()];
    const change =
      (definition: string): Action =>
      () =>
        this.#change(definition);
    const place =
      (instance: Instance): Action =>
      () =>
        this.#place(instance);
    const begin = [...definitions.map(change), ...this.#instances.map(place)];
    const [gone, fewer] = [this.#instances.filter((_, index) => index % 5 === 1), this.#leaving()];
    const changes = [
      ...definitions.flatMap((definition) => [change(definition), change(definition)]),
      ...gone.map(
        (instance): Action =>
          () =>
            this.#delete(instance),
      ),
      ...fewer.map(
        (instance): Action =>
          () =>
            this.#leave(instance),
      ),
    ];
    return [...begin, ...this.#shuffled(changes)];
  }

  get instances(): string[] {
    return this.#instances.filter(({ isDeleted }) => !isDeleted).map(({ name }) => name);
  }

  /** `instance cluster` of each placement that there is to be. */
  get placements(): string[] {
    return this.#instances
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap(({ name, clusters }) => clusters.map((cluster) => `${name} ${cluster}`));
  }

  /** `kind namespace/name version` of everything that is to be in a cluster at the end. */
  expectedIn(cluster: string): string[] {
    return this.#instances
      .filter(({ isDeleted, clusters }) => !isDeleted && clusters.includes(cluster))
      .flatMap(({ name: space, definition }) => {
        const version = this.#versions.get(definition) ?? 0;
        const inside = namesIn(version).map((each) => each.replace(" ", ` ${space}/`));
        return [`Namespace /${space}`, ...inside].map((each) => `${each} ${version}`);
      });
  }

  async #change(definition: string): Promise<void> {
    const version = (this.#versions.get(definition) ?? 0) + 1;
    this.#versions.set(definition, version);
    const spec = { source: { inline: { manifests: manifestsOf(version) } }, parameters: [{ name: "space" }] };
    await this.#fleet.put("workloaddefinitions", definition, spec);
  }

  async #place({ name, definition, clusters }: Instance): Promise<void> {
    const spec = { definition, placement: { clusters }, namespace: name, parameters: { space: name } };
    await this.#fleet.put("workloadinstances", name, spec);
  }

  async #delete(instance: Instance): Promise<void> {
    instance.isDeleted = true;
    await this.#fleet.delete("workloadinstances", instance.name);
  }

  /** Those that go from one of their clusters. */
  #leaving(): Instance[] {
    return this.#instances.filter(({ clusters }, index) => index % 5 === 2 && clusters.length > 1);
  }

  async #leave(instance: Instance): Promise<void> {
    instance.clusters = instance.clusters.slice(1);
    await this.#place(instance);
  }

  #shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.#random() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ item }) => item);
  }
}

/** The version is in every object, and more than a label of it changes. */
function manifestsOf(version: number): string {
  const bodies: Readonly<Record<string, object>> = {
    ConfigMap: { data: { text: `This is version ${version}.` } },
    Secret: { stringData: undefined, data: { key: Buffer.from(`key ${version}`).toString("base64") } },
    Service: { spec: { selector: { app: "web" }, ports: [{ port: 8000 + version }] } },
    Deployment: {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: `example.test/web:${version}` }] },
        },
      },
    },
  };
  const labels = { [versionLabel]: String(version) };
  const annotations = { "bowline.dev/prune": "allowed" };
  const space = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "${{ space }}", labels, annotations },
  };
  const objects = namesIn(version).map((each) => {
    const [kind = "", name = ""] = each.split(" ");
    const group = resources[kind]?.split(".")[1];
    const apiVersion = group === undefined ? "v1" : `${group}/v1`;
    return { apiVersion, kind, metadata: { name, labels }, ...bodies[kind] };
  });
  return [space, ...objects].map((object) => JSON.stringify(object)).join("\n---\n");
}
