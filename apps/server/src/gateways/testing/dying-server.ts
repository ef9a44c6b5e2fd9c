import { Gateway } from "@bowline/api";
import { systemClock, type Clock } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import { ObjectTask } from "../../controllers/object-task.ts";
import { AllowedAddresses } from "../allowed-address.ts";
import { GatewayReconciler, type GatewayReconcilerOptions } from "../gateway-reconciler.ts";
import type { ServiceDefinitions } from "../services/support-service.ts";
import { DyingProcess } from "./dying-process.ts";
import type { GatewayHarness } from "./gateway-harness.ts";

/** What a store is changed by. */
export const storeWrites = new Set<string | symbol>(["write", "delete", "writeStatus", "writeFinalizers"]);

/** Does something right before the first deletion of an object whose name begins so. */
export function beforeDeleting(
  objects: ObjectStore,
  start: string,
  doFirst: () => Promise<void>,
): ObjectStore {
  let isDone = false;
  return new Proxy(objects, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]): Promise<unknown> => {
        if (name === "delete" && !isDone && String(given[1]).startsWith(start)) {
          isDone = true;
          await doFirst();
        }
        return Reflect.apply(member, target, given);
      };
    },
  });
}

/** Servers that do the work of the controller of Gateways, turn by turn, for the Gateway `shop` or another. */
export class DyingServer {
  readonly #harness: GatewayHarness;
  readonly #install: ServiceDefinitions;
  readonly #clock: Clock;
  /** By the store that it sees: one that lives goes on with what it knows. */
  readonly #reconcilers = new Map<ObjectStore, GatewayReconciler>();

  constructor(harness: GatewayHarness, install: ServiceDefinitions = {}, clock: Clock = systemClock) {
    this.#harness = harness;
    this.#install = install;
    this.#clock = clock;
  }

  /** One turn of a server that lives. */
  async turn(objects: ObjectStore = this.#harness.store.objects, name = "shop"): Promise<void> {
    const harness = this.#harness;
    const gateway = await harness.store.objects.get(Gateway, name);
    if (gateway === undefined) return;
    const store = { ...harness.store, objects, events: harness.store.events };
    const reconciler = this.#reconcilers.get(objects) ?? this.#reconcilerOn(store);
    this.#reconcilers.set(objects, reconciler);
    const context = { signal: AbortSignal.timeout(20_000), lease: undefined };
    const task = new ObjectTask({
      store,
      clock: systemClock,
      kind: Gateway,
      object: gateway,
      context,
      source: "test",
    });
    await reconciler.reconcile(gateway, task);
  }

  #reconcilerOn(store: GatewayReconcilerOptions["store"]): GatewayReconciler {
    return new GatewayReconciler({
      store,
      clients: this.#harness.workloads.clients,
      clock: this.#clock,
      user: undefined,
      install: this.#install,
      outside: {
        isOn: false,
        resolve: () => Promise.resolve([]),
        probe: () => Promise.reject(new Error("nobody is asked")),
        allowed: new AllowedAddresses([]),
      },
    });
  }

  /** As many turns as a turn has writes, each killed one write later; resolves to how often one was. */
  async killedEverywhere(): Promise<number> {
    for (let at = 0; ; at += 1) {
      const dying = new DyingProcess(at);
      await this.turn(dying.using(this.#harness.store.objects, storeWrites)).catch((error: unknown) => {
        if (!dying.hasDied) throw error;
      });
      if (!dying.hasDied) return at;
    }
  }
}
