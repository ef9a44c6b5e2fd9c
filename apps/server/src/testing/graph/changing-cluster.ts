import { setImmediate as nextTurn } from "node:timers/promises";

import type { Random } from "@bowline/core";
import type { Kubesim, NewObject, SimObject } from "@bowline/kubesim";

import { Choice, randomImage, randomKinds } from "./random-objects.ts";

const crds = "customresourcedefinitions.apiextensions.k8s.io";
const namespaces = ["shop", "pay", "temp"] as const;
/** Of objects that are there, so many of those that are chosen go; the others change. */
const deletedShare = 0.35;
/** With everything in them. */
const namespaceShare = 0.05;

const weighted = Object.entries(randomKinds).flatMap(([resource, { weight }]) =>
  Array.from({ length: weight }, () => resource),
);

/** A cluster in which people and programs do things at random. */
export class ChangingCluster {
  readonly #sim: Kubesim;
  readonly #choice: Choice;
  /** How often something was done, by what it was. */
  readonly counts = { created: 0, updated: 0, deleted: 0, replaced: 0, refused: 0 };

  constructor(sim: Kubesim, random: Random) {
    this.#sim = sim;
    this.#choice = new Choice(random);
  }

  /** The custom kinds and namespaces that changes are about, and ConfigMaps that stay. */
  begin(configMaps = 0): void {
    this.define();
    this.#sim.api.create(crds, definition("gateway.networking.k8s.io", "HTTPRoute", "httproutes"));
    for (const name of namespaces) {
      this.#sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    for (let index = 0; index < configMaps; index += 1) {
      const metadata = { name: `stays-${index}`, namespace: "default" };
      this.#sim.api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
    }
  }

  /** Takes the custom kind away, with all its objects; resolves when it is gone. */
  async undefine(): Promise<void> {
    const { api } = this.#sim;
    api.delete(crds, undefined, "widgets.example.com");
    while (api.get(crds, undefined, "widgets.example.com") !== undefined) await nextTurn();
  }

  define(): void {
    this.#sim.api.create(crds, definition("example.com", "Widget", "widgets"));
  }

  changes(count: number): void {
    for (let index = 0; index < count; index += 1) this.#change();
  }

  #change(): void {
    const choice = this.#choice;
    const resource = choice.oneOf(weighted[0] ?? "", ...weighted.slice(1));
    const { namespaced = true } = randomKinds[resource] ?? {};
    const namespace = namespaced ? choice.oneOf(...namespaces) : undefined;
    const name = resource === "namespaces" ? choice.oneOf(...namespaces) : choice.name();
    try {
      this.#changeOne(resource, namespace, name);
    } catch (error) {
      // The namespace is on its way out, the object before it has not gone yet, or its kind has.
      if (!isRefusal(error)) throw error;
      this.counts.refused += 1;
    }
  }

  #changeOne(resource: string, namespace: string | undefined, name: string): void {
    const { api } = this.#sim;
    const choice = this.#choice;
    const existing = api.get(resource, namespace, name);
    if (existing === undefined) {
      api.create(resource, this.#object(resource, namespace, name));
      this.counts.created += 1;
    } else if (choice.chance(resource === "namespaces" ? namespaceShare : deletedShare)) {
      const propagation = choice.oneOf("Background", "Background", "Foreground", "Orphan");
      const grace = choice.chance(0.7) ? { gracePeriodSeconds: 0 } : {};
      api.delete(resource, namespace, name, { propagation, ...grace });
      this.counts.deleted += 1;
      if (!choice.chance(0.5) || api.get(resource, namespace, name) !== undefined) return;
      // Before anybody can have looked: the same name, another object.
      api.create(resource, this.#object(resource, namespace, name));
      this.counts.replaced += 1;
    } else {
      api.update(resource, this.#changed(resource, existing));
      this.counts.updated += 1;
    }
  }

  #object(resource: string, namespace: string | undefined, name: string): NewObject {
    const { apiVersion = "", kind = "", body } = randomKinds[resource] ?? {};
    const metadata = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...this.#described(namespace),
    };
    return { apiVersion, kind, metadata, ...body?.(this.#choice, name) };
  }

  #changed(resource: string, existing: SimObject): SimObject {
    const { body, hasTemplate = false } = randomKinds[resource] ?? {};
    const { metadata } = existing;
    const described = { ...metadata, ...this.#described(metadata.namespace) };
    const isFixed = resource === "pods" || resource === "jobs.batch" || this.#choice.chance(0.3);
    if (isFixed) return { ...existing, metadata: described };
    const changed = hasTemplate ? otherImages(existing, this.#choice) : body?.(this.#choice, metadata.name);
    return { ...existing, ...changed, metadata: described };
  }

  #described(namespace: string | undefined): Partial<SimObject["metadata"]> {
    const choice = this.#choice;
    const owner = choice.chance(0.1) ? this.#owner(namespace) : undefined;
    return {
      labels: { app: choice.name(), state: choice.fresh() },
      ...(choice.chance(0.3) ? { annotations: { team: choice.fresh(), other: choice.fresh() } } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    };
  }

  /** Something that is there, in the same namespace or in none. */
  #owner(
    namespace: string | undefined,
  ): NonNullable<SimObject["metadata"]["ownerReferences"]>[number] | undefined {
    const resource = namespace === undefined ? "persistentvolumes" : "configmaps";
    const found = this.#sim.api.get(resource, namespace, this.#choice.name());
    if (found === undefined) return undefined;
    const { apiVersion, kind, metadata } = found;
    return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  }
}

/** Templates are changed where they are: the simulation does not fill in what an update leaves out. */
function otherImages(existing: SimObject, choice: Choice): object {
  const text = JSON.stringify(existing["spec"]);
  return { spec: JSON.parse(text.replace(/example\.test\/[^"]*/gu, () => randomImage(choice))) };
}

function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === 403 || code === 404 || code === 409;
}

function definition(group: string, kind: string, plural: string): NewObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
