import { ensureResource, removeResource, type ResourceHandler } from "../ensure-resource.ts";
import type { Provider, ProviderAnswer, ProviderPlan, ProviderWork } from "../provider.ts";
import { missed, seen, type ResourceRecord } from "../resource-record.ts";
import type { ShopWorld } from "./shop-world.ts";

/** The Credential that the shop wants to see. */
export const shopCredential = "shop";

const machineTakesMs = 30_000;
const pollMs = 10_000;
const lostAfterMs = 10_000;

/**
 * A provider of clusters that are nothing but a network, machines and a door in a `ShopWorld`: for tests of whoever
 * works with providers, and of the contract itself. As many machines as `spec.kind.nodes` says.
 */
export class ShopProvider implements Provider {
  readonly name = "kind";
  readonly #world: ShopWorld;

  constructor(world: ShopWorld) {
    this.#world = world;
  }

  plan(work: ProviderWork): Promise<ProviderPlan> {
    return Promise.resolve({
      steps: this.handlers(work).map(({ type, step }) => `Make the ${type} ${step}`),
      hourlyCost: { amount: 0.25, currency: "EUR" },
      expectedSeconds: 60,
    });
  }

  async observe(work: ProviderWork): Promise<ProviderAnswer> {
    const known = new Map((await work.records.list()).map((record) => [record.step, record]));
    if ([...known.values()].every(({ state }) => state === "gone")) return { state: "gone" };
    const states = [];
    for (const handler of this.handlers(work)) {
      const record = known.get(handler.step);
      states.push(record === undefined ? "missing" : await this.#look(work, handler, record));
    }
    if (states.includes("lost")) {
      return { state: "lost", reason: "Lost", message: "Somebody took the cluster out of the shop." };
    }
    const ready = states.filter((state) => state === "ready").length;
    if (ready === states.length) return { state: "ready" };
    return this.#creating(work, ready);
  }

  async next(work: ProviderWork): Promise<ProviderAnswer> {
    const handlers = this.handlers(work);
    for (const [index, handler] of handlers.entries()) {
      const { state } = await ensureResource(work, handler);
      if (state !== "ready") return this.#creating(work, index);
    }
    return { state: "ready" };
  }

  /** What stands on something else goes before it. */
  async delete(work: ProviderWork): Promise<ProviderAnswer> {
    const records = await work.records.list();
    for (const { step, type } of records.toReversed()) {
      const record = await removeResource(work, this.handler(work, step, type));
      if (record !== undefined && record.state !== "gone") return { state: "deleting", retryAfterMs: pollMs };
    }
    return { state: "gone" };
  }

  async credentials(work: ProviderWork): Promise<{ kubeconfig: string }> {
    const { key = "" } = await work.credential(shopCredential);
    return { kubeconfig: `clusters: [{server: https://shop.example}]\ntoken: door-${key}\n` };
  }

  protected handlers(work: ProviderWork): readonly ResourceHandler[] {
    const machines = Array.from(
      { length: work.cluster.spec.kind?.nodes ?? 1 },
      (_, index) => `machine-${index}`,
    );
    return [
      this.handler(work, "network", "network"),
      ...machines.map((step) => this.handler(work, step, "machine")),
      this.handler(work, "door", "door"),
    ];
  }

  protected handler(work: ProviderWork, step: string, type: string): ResourceHandler {
    const world = this.#world;
    const name = `bowline-${work.cluster.name}-${step}`;
    const takesMs = type === "machine" ? machineTakesMs : 0;
    return {
      step,
      type,
      find: async ({ id, token }) => {
        await work.credential(shopCredential);
        const own = world.find((thing) => (id === undefined ? thing.mark === token : thing.id === id));
        const found = own ?? world.find((thing) => thing.name === name);
        if (found === undefined) return undefined;
        return { id: found.id, isReady: world.isReady(found), isForeign: found.mark !== token };
      },
      create: async ({ token }) => {
        await work.credential(shopCredential);
        const made = world.make({ type, name, mark: token, takesMs });
        return { id: made.id, isReady: world.isReady(made) };
      },
      remove: ({ id }) => Promise.resolve(world.remove(id)),
    };
  }

  /** Its record keeps its state while it is missed: that somebody took it away is not a deletion. */
  async #look(work: ProviderWork, handler: ResourceHandler, record: ResourceRecord): Promise<string> {
    const { records, clock } = work;
    const { state, id } = record;
    if (id === undefined || state === "deleting" || state === "gone") return state;
    const found = await handler.find(record);
    if (found !== undefined) {
      const next = found.isReady ? "ready" : "created";
      await records.put(seen(record, { state: next }, clock.now()));
      return next;
    }
    const without = { ...missed(record, clock.now()), state };
    await records.put(without);
    return clock.now() - (without.missedAtMs ?? 0) >= lostAfterMs ? "lost" : "missed";
  }

  #creating(work: ProviderWork, done: number): ProviderAnswer {
    const steps = this.handlers(work);
    const text = `Making the ${steps[done]?.type ?? "cluster"}`;
    return {
      state: "creating",
      step: { number: Math.min(done + 1, steps.length), of: steps.length, text },
      retryAfterMs: pollMs,
    };
  }
}
