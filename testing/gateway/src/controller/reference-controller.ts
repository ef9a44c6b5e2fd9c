import { BowlineError, systemClock, type Clock, type DeepReadonly } from "@bowline/core";
import type { KubeClient } from "@bowline/kube";
import { Controller, done, Manager, requeueAfter, type ReconcileResult } from "@bowline/runtime";

import { gatewayResources, type GatewayAddress, type GatewayClass } from "../model/gateway-kinds.ts";
import { nameOf } from "../model/snapshot.ts";
import { evaluate, type EvaluatedGateway, type Evaluation } from "../rules/evaluate.ts";
import type { Unresolved } from "../rules/references.ts";
import {
  conditionsOf,
  gatewayStatus,
  is,
  isNot,
  listenerSetStatus,
  refusedSetStatus,
  routeParents,
} from "../rules/statuses.ts";
import { AddressPool } from "./address-pool.ts";
import { ClusterCache } from "./cluster-cache.ts";
import { StatusWriter } from "./status-writer.ts";

/** How the controller does its work, or fails to. */
export interface Behaviour {
  /** Whether the class is accepted. */
  readonly accepts: boolean;
  /** Whether Gateways ever get an address. */
  readonly programs: boolean;
  /** Of routes that want the same requests, none gets them, and each is told that the other has them. */
  readonly bothLose: boolean;
  /** Gateways are programmed and not programmed by turns, each for so long. */
  readonly flapEveryMs?: number;
}

const goodBehaviour: Behaviour = { accepts: true, programs: true, bothLose: false };

/** A Gateway as it is to be served. */
export interface ProgrammedGateway extends EvaluatedGateway {
  readonly name: string;
  readonly addresses: readonly string[];
}

export interface ReferenceControllerOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  /** The addresses that Gateways get. */
  readonly addresses: readonly string[];
  readonly behaviour?: Partial<Behaviour>;
  /** Serves the Gateways; they are reported as programmed once it has resolved. */
  readonly serve?: (gateways: readonly ProgrammedGateway[]) => Promise<void>;
  /** Failures that are tried again. */
  readonly onError?: (error: BowlineError) => void;
  readonly clock?: Clock;
}

/** All Gateways are looked at together: a route of one namespace can decide about another's. */
const everything = "everything";

/** An implementation of Gateway API for tests: small, by the rules, and able to break them when it is told to. */
export class ReferenceController implements AsyncDisposable {
  readonly #options: ReferenceControllerOptions;
  readonly #clock: Clock;
  readonly #cache: ClusterCache;
  readonly #writer: StatusWriter;
  readonly #pool: AddressPool;
  readonly #controller: Controller;
  readonly #stop = new AbortController();
  #behaviour: Behaviour;
  #running: Promise<void> = Promise.resolve();

  /** Resolves once it has begun; nothing has been written yet. */
  static start(options: ReferenceControllerOptions): ReferenceController {
    const controller = new ReferenceController(options);
    controller.#running = controller.#run();
    return controller;
  }

  private constructor(options: ReferenceControllerOptions) {
    const { client, addresses, onError = () => undefined, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#behaviour = { ...goodBehaviour, ...options.behaviour };
    this.#cache = new ClusterCache(client, onError);
    this.#writer = new StatusWriter(client);
    this.#pool = new AddressPool(addresses);
    this.#controller = new Controller({
      name: "gateways",
      reconciler: { reconcile: (_, { signal }) => this.#reconcile(signal) },
      clock,
      random: Math.random,
      onDeadLetter: ({ message }) => onError(new BowlineError("Internal", message)),
      onReconciled: ({ outcome }) => {
        if (outcome.kind === "failed") onError(BowlineError.from(outcome.error));
      },
    });
  }

  /** Changes what it does from now on. */
  behave(behaviour: Partial<Behaviour>): void {
    this.#behaviour = { ...this.#behaviour, ...behaviour };
    this.#controller.enqueue(everything);
  }

  /** `namespace/name` gets another address. */
  changeAddress(gateway: string): void {
    this.#pool.change(gateway);
    this.#controller.enqueue(everything);
  }

  /** Resolves when nothing of it is open any more; rejects if it had failed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const manager = new Manager({ name: "gateway-controller", clock: this.#clock, random: Math.random });
    manager.addController(this.#controller, { sources: this.#cache.addTo(manager, everything) });
    await manager.run(this.#stop.signal);
  }

  async #reconcile(signal: AbortSignal): Promise<ReconcileResult> {
    const { controllerName, serve } = this.#options;
    const { bothLose, flapEveryMs, accepts } = this.#behaviour;
    const snapshot = this.#cache.snapshot();
    for (const each of snapshot.classes)
      if (each.spec.controllerName === controllerName) await this.#writeClass(each, signal);
    const evaluation = accepts
      ? evaluate(snapshot, { controllerName, bothLose })
      : { gateways: [], routes: [] };
    this.#pool.keepOnly(new Set(evaluation.gateways.map(({ gateway }) => nameOf(gateway))));
    const addressed = evaluation.gateways.map((each) => ({ each, addresses: this.#addressesOf(each) }));
    await serve?.(
      addressed.flatMap(({ each, addresses }) =>
        Array.isArray(addresses)
          ? [{ ...each, name: nameOf(each.gateway), addresses: addresses.map(({ value }) => value) }]
          : [],
      ),
    );
    for (const { each, addresses } of addressed) await this.#writeGateway(each, addresses, signal);
    await this.#writeRoutes(evaluation, signal);
    return flapEveryMs === undefined ? done : requeueAfter(flapEveryMs);
  }

  #addressesOf({ gateway }: EvaluatedGateway): GatewayAddress[] | Unresolved {
    const { programs, flapEveryMs } = this.#behaviour;
    if (!programs) return { reason: "Pending", message: "Nobody has programmed this Gateway yet." };
    if (flapEveryMs !== undefined && Math.floor(this.#clock.now() / flapEveryMs) % 2 === 1)
      return { reason: "Pending", message: "The data plane is being made again." };
    const address = this.#pool.take(nameOf(gateway), {
      requested: gateway.spec.addresses?.[0]?.value,
      earlier: gateway.status?.addresses?.[0]?.value,
    });
    return typeof address === "string" ? [{ type: "IPAddress", value: address }] : address;
  }

  async #writeClass(object: DeepReadonly<GatewayClass>, signal: AbortSignal): Promise<void> {
    const refused = { reason: "InvalidParameters", message: "This controller was told to refuse the class." };
    const finding = this.#behaviour.accepts ? is("Accepted") : isNot("Accepted", refused);
    const conditions = conditionsOf([finding], object.status?.conditions, {
      generation: object.metadata.generation,
      nowMs: this.#clock.now(),
    });
    await this.#writer.write(gatewayResources.gatewayClasses, object, { conditions }, signal);
  }

  async #writeGateway(
    each: EvaluatedGateway,
    addresses: readonly GatewayAddress[] | Unresolved,
    signal: AbortSignal,
  ): Promise<void> {
    const { gateways, listenerSets } = gatewayResources;
    const nowMs = this.#clock.now();
    await this.#writer.write(gateways, each.gateway, gatewayStatus(each, addresses, nowMs), signal);
    for (const set of each.listenerSets)
      await this.#writer.write(listenerSets, set, listenerSetStatus(set, each, addresses, nowMs), signal);
    for (const set of each.refusedSets)
      await this.#writer.write(listenerSets, set, refusedSetStatus(set, each.gateway, nowMs), signal);
  }

  async #writeRoutes({ routes }: Evaluation, signal: AbortSignal): Promise<void> {
    const { controllerName } = this.#options;
    for (const each of routes) {
      const parents = routeParents(each, controllerName, this.#clock.now());
      if (parents.length === 0 && each.route.status === undefined) continue;
      await this.#writer.write(gatewayResources.httpRoutes, each.route, { parents }, signal);
    }
  }
}
