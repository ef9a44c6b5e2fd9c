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
const durationMs = 2000;

/** In turns, so that what else goes on in the machine hits both sides alike. */
export async function measureRequests(stage: Stage, targets: RequestTargets): Promise<RequestsMeasurement> {
  const { rounds, progress, signal } = stage.context;
  const creates: Pair[] = [];
  const gets: Pair[] = [];
  let next = largeCount;
  for (let round = 0; round <= rounds; round++) {
    signal.throwIfAborted();
    progress(
      round === 0 ? "warming up" : `round ${round} of ${rounds}: creates and gets, beside the ceiling`,
    );
    const order = { durationMs: round === 0 ? warmUpMs : durationMs };
    const create = await measureCreates(stage, targets, { ...order, from: next });
    next += create.bowline.requests;
    // What the controller has left to do would slow down whatever comes next.
    await targets.large.settled(next, signal);
    const get = await measureGets(stage, targets, order);
    if (round === 0) continue;
    creates.push(create);
    gets.push(get);
  }
  return { creates, gets };
}

async function measureCreates(
  stage: Stage,
  { large, echo }: RequestTargets,
  order: { readonly durationMs: number; readonly from: number },
): Promise<Pair> {
  const ceiling = await measureRate(stage, echo, "create", order);
  return { echo: ceiling, bowline: await measureRate(stage, large, "create", order) };
}

async function measureGets(
  stage: Stage,
  { small, echo }: RequestTargets,
  { durationMs: forMs }: { readonly durationMs: number },
): Promise<Pair> {
  const order = { durationMs: forMs, objects: smallCount };
  const ceiling = await measureRate(stage, echo, "get", order);
  return { echo: ceiling, bowline: await measureRate(stage, small, "get", order) };
}
