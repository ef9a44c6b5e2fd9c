import { canonicalJson } from "@bowline/core";
import type { SimEvent, SimObject } from "@bowline/kubesim";

import type { FleetCluster } from "./fleet.ts";

/** Kinds of which the workloads of a test are made. */
export const resources: Readonly<Record<string, string>> = {
  Namespace: "namespaces",
  ConfigMap: "configmaps",
  Secret: "secrets",
  Service: "services",
  Deployment: "deployments.apps",
};

const instanceLabel = "bowline.dev/instance";
/** Every object of a test has the number of its definition's version in it. */
export const versionLabel = "example.com/version";

/** An object as it was stored last. */
interface Story {
  readonly version: number;
  readonly content: string;
  readonly isGone: boolean;
}

/**
 * Follows everything that the API servers of the clusters accept, and knows where an object went back to an older
 * version, became another one in the same version, or was made twice.
 */
export class AcceptedWrites {
  readonly problems: string[] = [];
  readonly #stories = new Map<string, Story>();
  #count = 0;
  #progress = Promise.withResolvers<void>();

  constructor(clusters: readonly FleetCluster[]) {
    for (const { name, sim } of clusters) {
      for (const resource of Object.values(resources))
        sim.api.subscribe(resource, (event) => this.#take(name, event));
    }
  }

  /** How many changes of what workloads are made of. */
  get count(): number {
    return this.#count;
  }

  /** Resolves when so many more were accepted. */
  async more(count: number): Promise<void> {
    const target = this.#count + count;
    while (this.#count < target) await this.#progress.promise;
  }

  #take(cluster: string, { type, object, previous }: SimEvent): void {
    const { metadata, kind } = object;
    if (labelsOf(object)[instanceLabel] === undefined && labelsOf(previous)[instanceLabel] === undefined)
      return;
    const key = `${cluster}: ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
    const before = this.#stories.get(key);
    const story = { version: versionOf(object), content: contentOf(object), isGone: type === "DELETED" };
    this.#stories.set(key, story);
    if (type === "ADDED" && before !== undefined) this.problems.push(`${key} was made twice`);
    // Whatever is being deleted is changed by others.
    if (
      before === undefined ||
      type === "ADDED" ||
      metadata.deletionTimestamp !== undefined ||
      story.isGone
    ) {
      this.#tell();
      return;
    }
    const versions = `from ${before.version} to ${story.version}`;
    if (story.version < before.version) this.problems.push(`${key} went back ${versions}`);
    if (before.content === story.content) return;
    if (story.version === before.version) this.problems.push(`${key} was changed ${versions}`);
    this.#tell();
  }

  #tell(): void {
    this.#count += 1;
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }
}

/** `kind namespace/name version uid` of what Bowline has in a cluster. */
export function ownedObjects({ sim }: FleetCluster): string[] {
  return Object.values(resources).flatMap((resource) =>
    [...sim.api.list(resource)]
      .filter((object) => labelsOf(object)[instanceLabel] !== undefined)
      .map((object) => {
        const { namespace = "", name, uid } = object.metadata;
        return `${object.kind} ${namespace}/${name} ${versionOf(object)} ${uid}`;
      }),
  );
}

function labelsOf(object: SimObject | undefined): Readonly<Record<string, string>> {
  return object?.metadata.labels ?? {};
}

function versionOf(object: SimObject): number {
  return Number(labelsOf(object)[versionLabel] ?? Number.NaN);
}

/** Everything that a manifest says; the status and who wrote what is the cluster's. */
function contentOf({ metadata: { labels = {} }, spec = null, data = null }: SimObject): string {
  return canonicalJson({ labels, spec, data });
}
