import type { BundledProgram } from "../bundled-program.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { LoadTarget } from "./measured-server.ts";
import type { ResourceUse } from "./resource-use.ts";

/** The ceiling, in a process of its own. */
export class MeasuredEcho implements LoadTarget, AsyncDisposable {
  readonly port: number;
  readonly token: string;
  readonly #process: MeasuredProcess;

  /** `object` is what it answers to a get; `token` only makes its requests as long as those to the server. */
  static async start(program: BundledProgram, object: unknown, token: string): Promise<MeasuredEcho> {
    await using starting = new AsyncDisposableStack();
    const measured = starting.use(new MeasuredProcess(program.url, []));
    const port = await measured.ask<number>("start", object);
    starting.move();
    return new MeasuredEcho(measured, port, token);
  }

  private constructor(measured: MeasuredProcess, port: number, token: string) {
    this.#process = measured;
    this.port = port;
    this.token = token;
  }

  use(): Promise<ResourceUse> {
    return this.#process.ask("use");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
