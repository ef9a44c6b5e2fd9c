import { WorkloadInstance } from "@bowline/api";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Store } from "../../store.ts";
import type { InventoryItem, InventoryKey, InventoryState } from "../../workloads/inventory-item.ts";
import { instance } from "../sample-objects.ts";
import { openTestStore, type StoreHarness } from "../store-harness.ts";
import { addPlaces, configMaps } from "./inventory.ts";

const instanceNames = ["web", "api", "db"] as const;
const clusterNames = ["east", "west"] as const;
const objectNames = ["a", "b", "c", "d"];

const step = fc.record({
  action: fc.constantFrom("intend", "intend", "adopt", "applied", "pruning", "kept", "gone"),
  instance: fc.constantFrom(...instanceNames),
  cluster: fc.constantFrom(...clusterNames),
  names: fc.subarray(objectNames, { minLength: 1 }),
  stage: fc.integer({ min: 0, max: 1 }),
  revision: fc.constantFrom("first", "second"),
  uid: fc.integer({ min: 1, max: 2 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Ids of everything that steps name. */
type Places = Readonly<Record<(typeof instanceNames)[number] | "east" | "west" | "first" | "second", string>>;

/** The inventory as it should be: a map by cluster and name, so that an object cannot have two owners. */
class InventoryModel {
  readonly #items = new Map<string, InventoryItem>();
  readonly places: Places;

  constructor(places: Places) {
    this.places = places;
  }

  /** The owners of objects that refuse this, by the names of the objects. */
  intend({ action, cluster, instance: owner, names, revision, stage }: Step): Map<string, string> {
    const key = this.keyOf({ cluster, instance: owner });
    const isAdopting = action === "adopt";
    const foreign = names.flatMap((name) => {
      const found = this.#items.get(`${cluster}/${name}`);
      const isFree = found === undefined || found.instanceId === key.instanceId;
      return isFree || (isAdopting && found.adopts !== true) ? [] : [[name, found.instanceId]];
    });
    if (foreign.length > 0) {
      return new Map(foreign.map(([name = "", id = ""]) => [name, this.nameOf(id)]));
    }
    for (const object of configMaps(...names)) {
      const before = this.#items.get(`${cluster}/${object.name}`);
      const adopts = isAdopting ? true : undefined;
      const next = { ...before, ...object, ...key, stage, adopts, revision: this.places[revision] };
      const isApplied =
        before?.state === "applied" &&
        before.instanceId === key.instanceId &&
        before.revision === next.revision;
      this.#items.set(`${cluster}/${object.name}`, { ...next, state: isApplied ? "applied" : "intended" });
    }
    return new Map();
  }

  /** The names of objects that the instance does not own. */
  change({ action, cluster, instance: owner, names, revision, uid }: Step, atMs: number): string[] {
    const { instanceId } = this.keyOf({ cluster, instance: owner });
    const isOwn = (name: string): boolean => this.#items.get(`${cluster}/${name}`)?.instanceId === instanceId;
    const left = names.filter((name) => !isOwn(name));
    for (const name of names.filter(isOwn)) {
      const before = this.#items.get(`${cluster}/${name}`);
      if (before === undefined) continue;
      const applied = { uid: `uid-${uid}`, revision: this.places[revision] };
      const isSame =
        before.state === "applied" && before.uid === applied.uid && before.revision === applied.revision;
      if (action === "gone") this.#items.delete(`${cluster}/${name}`);
      else if (action !== "applied") {
        const state = action as InventoryState;
        this.#items.set(`${cluster}/${name}`, { ...before, state, adopts: undefined });
      } else if (!isSame) {
        this.#items.set(`${cluster}/${name}`, { ...before, ...applied, state: "applied", appliedAtMs: atMs });
      }
    }
    return left;
  }

  of(key: InventoryKey): InventoryItem[] {
    const own = [...this.#items.values()].filter(
      ({ instanceId, clusterId }) => instanceId === key.instanceId && clusterId === key.clusterId,
    );
    return own.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  keyOf({ instance: owner, cluster }: Pick<Step, "instance" | "cluster">): InventoryKey {
    return { instanceId: this.places[owner], clusterId: this.places[cluster] };
  }

  nameOf(instanceId: string): string {
    return instanceNames.find((name) => this.places[name] === instanceId) ?? "";
  }
}

/** Answers that should be the same: of the store, and of the model. */
type Answers = readonly [store: unknown, model: unknown];

async function perform(
  { inventory }: Store,
  model: InventoryModel,
  one: Step,
  index: number,
): Promise<Answers> {
  const { action, names, stage, uid } = one;
  const key = model.keyOf(one);
  const revision = model.places[one.revision];
  const objects = configMaps(...names).map((object) => ({ ...object, stage }));
  if (action === "intend" || action === "adopt") {
    const adopt = action === "adopt" ? objects : [];
    const result = await inventory.intend(key, objects, { revision, adopt });
    const owned = result.outcome === "refused" ? result.owned : [];
    return [new Map(owned.map(({ name, instanceName }) => [name, instanceName])), model.intend(one)];
  }
  const applied = objects.map((object) => ({ ...object, uid: `uid-${uid}`, appliedAtMs: index }));
  const left =
    action === "applied"
      ? await inventory.applied(key, applied, { revision })
      : await inventory[action](key, objects);
  return [left.map(({ name }) => name), model.change(one, index)];
}

async function listAll({ inventory }: Store, key: InventoryKey): Promise<InventoryItem[]> {
  const first = await inventory.list(key, { limit: 3 });
  const rest = first.cursor === undefined ? [] : (await inventory.list(key, { cursor: first.cursor })).items;
  return [...first.items, ...rest];
}

async function compare(store: Store, model: InventoryModel): Promise<void> {
  for (const cluster of clusterNames) {
    const expected = instanceNames.flatMap((owner) =>
      model.of(model.keyOf({ instance: owner, cluster })).map(({ name }) => `${name} of ${owner}`),
    );
    const found = await store.inventory.find(model.places[cluster], configMaps(...objectNames));
    const owners = found.map(({ name, instanceName }) => `${name} of ${instanceName}`);
    expect(owners.toSorted()).toEqual(expected.toSorted());
  }
  for (const owner of instanceNames) {
    const keys = clusterNames.map((cluster) => model.keyOf({ instance: owner, cluster }));
    for (const key of keys) expect(await listAll(store, key)).toEqual(model.of(key));
    const { items } = await store.inventory.clusters(model.places[owner]);
    const counted = items.map(({ clusterId, counts }) => [clusterId, counts.intended, counts.applied]);
    const expected = keys.flatMap((key) => {
      const own = model.of(key);
      const count = (state: InventoryState) => own.filter((item) => item.state === state).length;
      return own.length === 0 ? [] : [[key.clusterId, count("intended"), count("applied")]];
    });
    expect(counted).toEqual(expected);
  }
}

export function inventoryModelContract(harness: StoreHarness): void {
  describe("inventory", () => {
    test("is what a map with one owner for each object would be, whatever instances do", async () => {
      const property = async (steps: readonly Step[]): Promise<void> => {
        const database = await harness.newDatabase();
        const store = await openTestStore(database);
        const other = harness.canShare ? await openTestStore(database) : store;
        const added = await addPlaces(store);
        const { object } = await store.objects.create(WorkloadInstance, instance("db", "shop", []));
        const model = new InventoryModel({ ...added, db: object.metadata.id });
        for (const [index, one] of steps.entries()) {
          const [answer, expected] = await perform(index % 2 === 0 ? store : other, model, one, index);
          expect(answer).toEqual(expected);
        }
        await compare(store, model);
        await Promise.all([store.close(), other.close()]);
      };
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), property), {
        numRuns: 15,
      });
    });
  });
}
