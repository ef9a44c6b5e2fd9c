import type { MeasuredEcho } from "./measured-echo.ts";
import type { MeasuredServer } from "./measured-server.ts";
import { measureRate, type Rate } from "./measure-rate.ts";
import { largeCount, smallCount, type Stage } from "./stage.ts";

/** The same requests to the server and to the ceiling, one right after the other. */
export interface Pair {
  readonly bowline: Rate;
  readonly echo: Rate;
}

export interface RequestsMeasurement {
  readonly creates: readonly Pair[];
  readonly gets: readonly Pair[];
}

export interface RequestTargets {
  /** Has objects to be read. */
  readonly small: MeasuredServer;
  /** Has many objects, and gets more. */
  readonly large: MeasuredServer;
  readonly echo: MeasuredEcho;
}

/** Long enough for the runtime to have compiled what it will run. */
const warmUpMs = 3000;
/** Short and many: what else goes on in the machine hits both sides of a pair alike, or is an outlier among pairs. */
const sliceMs = 400;
const slicesPerRound = 5;

export async function measureRequests(stage: Stage, targets: RequestTargets): Promise<RequestsMeasurement> {
  const { rounds, progress, signal } = stage.context;
  const creating = new Creating(stage, targets);
  progress("warming up");
  await creating.measure(warmUpMs);
  await measureGets(stage, targets, warmUpMs);
  const creates: Pair[] = [];
  const gets: Pair[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: creates and gets, beside the ceiling`);
    for (let slice = 0; slice < slicesPerRound; slice++) {
      signal.throwIfAborted();
      creates.push(await creating.measure(sliceMs));
      gets.push(await measureGets(stage, targets, sliceMs));
    }
  }
  return { creates, gets };
}

/** Creates objects with names that go on counting. */
class Creating {
  readonly #stage: Stage;
  readonly #targets: RequestTargets;
  #next = largeCount;

  constructor(stage: Stage, targets: RequestTargets) {
    this.#stage = stage;
    this.#targets = targets;
  }

  async measure(durationMs: number): Promise<Pair> {
    const { large, echo } = this.#targets;
    const order = { durationMs, from: this.#next };
    const ceiling = await measureRate(this.#stage, echo, "create", order);
    const bowline = await measureRate(this.#stage, large, "create", order);
    this.#next += bowline.requests;
    // What the controller has left to do would slow down whatever comes next.
    await large.settled(this.#next, this.#stage.context.signal);
    return { echo: ceiling, bowline };
  }
}

async function measureGets(stage: Stage, { small, echo }: RequestTargets, durationMs: number): Promise<Pair> {
  const order = { durationMs, objects: smallCount };
  const ceiling = await measureRate(stage, echo, "get", order);
  return { echo: ceiling, bowline: await measureRate(stage, small, "get", order) };
}
