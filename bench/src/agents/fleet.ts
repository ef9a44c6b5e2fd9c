import type { BundledProgram } from "../bundled-program.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { Arrivals, Census } from "./fleet-order.ts";

/** All agents, in a few processes. */
export class Fleet implements AsyncDisposable {
  readonly #processes: readonly MeasuredProcess[];

  constructor(program: BundledProgram, processes: number) {
    this.#processes = Array.from({ length: processes }, () => new MeasuredProcess(program.url, []));
  }

  async join(tokens: readonly string[]): Promise<void> {
    const share = Math.ceil(tokens.length / this.#processes.length);
    await Promise.all(
      this.#processes.map((each, index) =>
        each.ask("join", { tokens: tokens.slice(index * share, (index + 1) * share) }),
      ),
    );
  }

  /** Resolves when all are welcomed, as agents that have just started. */
  async connect(): Promise<void> {
    await this.#ask("connect");
  }

  /** Forgets when agents tried to connect before. */
  async watch(): Promise<void> {
    await this.#ask("watch");
  }

  async census(): Promise<Census> {
    const all = await this.#ask<Census>("census");
    return {
      welcomed: all.reduce((sum, { welcomed }) => sum + welcomed, 0),
      serving: all.reduce((sum, { serving }) => sum + serving, 0),
    };
  }

  async arrivals(): Promise<Arrivals> {
    const all = await this.#ask<Arrivals>("arrivals");
    return {
      dialsMs: all.flatMap(({ dialsMs }) => dialsMs),
      welcomesMs: all.flatMap(({ welcomesMs }) => welcomesMs),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((each) => each[Symbol.asyncDispose]()));
  }

  #ask<T>(command: string): Promise<T[]> {
    return Promise.all(this.#processes.map((each) => each.ask<T>(command)));
  }
}
