import type { Random } from "@bowline/core";
import type { Kubesim, SimObject } from "@bowline/kubesim";

import type { Version } from "./shadow-copy.ts";

const resource = "configmaps";

export interface ChurnOptions {
  readonly kubesim: Kubesim;
  readonly namespace: string;
  readonly random: Random;
}

/** Objects that are made, changed, relabelled and deleted at random, past the API and its faults. */
export class Churn {
  readonly #options: ChurnOptions;
  readonly #names: string[] = [];
  #made = 0;

  constructor(options: ChurnOptions) {
    this.#options = options;
  }

  create(count: number): void {
    for (let index = 0; index < count; index++) this.#create();
  }

  /** One random change. Deleted names come back at times, as another object. */
  change(): void {
    const dice = this.#options.random();
    if (dice < 0.1 || this.#names.length === 0) this.#create();
    else if (dice < 0.2) this.#remove();
    else if (dice < 0.25) this.#recreate();
    else this.#modify();
  }

  /** What the server holds, as an informer with this selector should see it. */
  truth({ red = false }: { readonly red?: boolean } = {}): Version[] {
    const { kubesim, namespace } = this.#options;
    return Array.from(kubesim.api.list(resource, namespace))
      .filter(({ metadata }) => !red || metadata.labels?.["color"] === "red")
      .map(({ metadata: { name, uid, resourceVersion } }) => ({
        name,
        uid,
        resourceVersion: Number(resourceVersion),
      }));
  }

  #create(name = `object-${this.#made++}`): void {
    const { kubesim, namespace } = this.#options;
    kubesim.api.create(resource, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name, labels: { color: this.#color() } },
      data: { step: "0" },
    });
    this.#names.push(name);
  }

  #remove(): string {
    const { kubesim, namespace } = this.#options;
    const name = this.#anyName();
    kubesim.api.delete(resource, namespace, name);
    this.#names.splice(this.#names.indexOf(name), 1);
    return name;
  }

  #recreate(): void {
    this.#create(this.#remove());
  }

  #modify(): void {
    const { kubesim, namespace, random } = this.#options;
    const object = kubesim.api.get(resource, namespace, this.#anyName());
    if (object === undefined) return;
    kubesim.api.update(resource, changed(object, this.#color(), String(random())));
  }

  #color(): string {
    return this.#options.random() < 0.5 ? "red" : "blue";
  }

  #anyName(): string {
    return this.#names[Math.floor(this.#options.random() * this.#names.length)] ?? "";
  }
}

function changed(object: SimObject, color: string, step: string): SimObject {
  return { ...object, metadata: { ...object.metadata, labels: { color } }, data: { step } };
}
