import {
  BowlineError,
  supervisionProblems,
  Supervisor,
  type ChildSpec,
  type ChildTransition,
  type Clock,
  type Random,
  type SupervisorSnapshot,
} from "@bowline/core";

import type { Controller } from "../controller/controller.ts";
import type { ControllerState } from "../controller/controller-state.ts";
import type { RuntimeMetrics } from "../controller/runtime-metrics.ts";
import type { EventSource, ManagedInformer } from "./event-source.ts";
import { Leadership, type LeaderElection } from "./leadership.ts";

export interface ManagerOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Without it, this process leads. */
  readonly leaderElection?: LeaderElection;
  readonly metrics?: RuntimeMetrics;
  /** Changes of state of informers and controllers. Must not throw. */
  readonly onTransition?: (transition: ChildTransition) => void;
}

interface ManagedControllerOptions {
  /** Sources that tell the controller which keys to look at; started and ended with it. */
  readonly sources?: readonly EventSource[];
  /** Whether only the leader runs it; true by default. False for one whose keys are protected by leases. */
  readonly needsLeader?: boolean;
}

/** How a manager and all in it stand. */
interface ManagerState {
  readonly isLeading: boolean;
  readonly controllers: readonly ControllerState[];
  readonly supervision: SupervisorSnapshot;
}

/**
 * Informers and controllers as one tree of supervisors. Controllers start when all informers have synced, so that no
 * decision is made on half a picture, and stop before the informers do. A controller that fails is restarted alone; when
 * that does not help, or leadership is lost, `run` rejects, and the process had better end. Runs once.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #root: Supervisor;
  readonly #always: Supervisor;
  readonly #elected: Supervisor;
  readonly #leadership: Leadership;
  readonly #informers = new Map<string, ManagedInformer>();
  readonly #controllers: Controller[] = [];
  #hasRun = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
    // Supervisors below restart their own parts; a failure that reaches this level is one that restarts did not cure.
    this.#root = this.#supervisor(options.name, { maxRestarts: 0, withinMs: 1 });
    this.#always = this.#supervisor("controllers");
    this.#elected = this.#supervisor("elected-controllers");
    const { name, leaderElection, metrics } = options;
    this.#leadership = new Leadership({
      election: leaderElection,
      onStatus: (isLeading) => metrics?.leading(name, isLeading),
    });
  }

  /** Before `run`. */
  addInformer(name: string, informer: ManagedInformer): void {
    this.#refuseIfRun();
    if (this.#informers.has(name)) throw this.#duplicate("an informer", name);
    this.#informers.set(name, informer);
  }

  /** Before `run`. */
  addController(controller: Controller, options: ManagedControllerOptions = {}): void {
    const { sources = [], needsLeader = true } = options;
    this.#refuseIfRun();
    if (this.#controllers.some((other) => other.name === controller.name))
      throw this.#duplicate("a controller", controller.name);
    this.#controllers.push(controller);
    const revoked = needsLeader ? this.#leadership.revoked : undefined;
    const group = needsLeader ? this.#elected : this.#always;
    group.add({
      ...controller.asChild(),
      run: (signal) => runWithSources(controller, sources, (started) => started.run(signal, revoked)),
    });
  }

  /** Runs all until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#refuseIfRun();
    this.#hasRun = true;
    for (const [name, informer] of this.#informers) this.#root.add(informerChild(name, informer));
    this.#root.add(this.#gated(this.#always, (stop) => this.#always.run(stop)));
    this.#root.add(
      this.#gated(this.#elected, (stop) =>
        this.#leadership.run((leading) => this.#elected.run(leading), stop),
      ),
    );
    await this.#root.run(signal);
  }

  /** A check for readiness: throws what is wrong. One who waits for leadership is ready. */
  checkReady(): void {
    const [problem] = supervisionProblems(this.#root.snapshot());
    if (problem !== undefined) throw new BowlineError("ServerUnavailable", problem);
  }

  state(): ManagerState {
    return {
      isLeading: this.#leadership.isLeading,
      controllers: this.#controllers.map((controller) => controller.state()),
      supervision: this.#root.snapshot(),
    };
  }

  /** A group of controllers that waits for the informers. */
  #gated(group: Supervisor, run: (signal: AbortSignal) => Promise<void>): ChildSpec {
    return {
      ...group.asChild(),
      reportsReady: true,
      run: async (signal, ready) => {
        await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)));
        ready();
        await run(signal);
      },
    };
  }

  #supervisor(name: string, intensity?: { maxRestarts: number; withinMs: number }): Supervisor {
    const { clock, random, onTransition } = this.#options;
    return new Supervisor({
      name,
      clock,
      random,
      ...(intensity === undefined ? {} : { intensity }),
      ...(onTransition === undefined ? {} : { onTransition }),
    });
  }

  #refuseIfRun(): void {
    if (!this.#hasRun) return;
    throw new BowlineError("InvalidArgument", `Manager "${this.#options.name}" has been started already.`);
  }

  #duplicate(what: string, name: string): BowlineError {
    return new BowlineError(
      "InvalidArgument",
      `Manager "${this.#options.name}" has ${what} "${name}" already.`,
    );
  }
}

function informerChild(name: string, informer: ManagedInformer): ChildSpec {
  return {
    name: `informer-${name}`,
    reportsReady: true,
    run: async (signal, ready) => {
      const aborted = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      informer.start();
      try {
        await informer.synced(signal);
        ready();
        await aborted;
      } finally {
        await informer.stop();
      }
    },
  };
}

/** Sources live as long as the controller runs: a restarted one is told everything that exists again. */
async function runWithSources(
  controller: Controller,
  sources: readonly EventSource[],
  run: (controller: Controller) => Promise<void>,
): Promise<void> {
  const stops = sources.map((source) => source.start((key, options) => controller.enqueue(key, options)));
  try {
    await run(controller);
  } finally {
    for (const stop of stops) stop();
  }
}
