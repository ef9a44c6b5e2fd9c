import { FaultyNetwork } from "@bowline/test-services";

import type { ConsoleServer } from "./console-server.ts";

/** A console that is reached over a network which can be taken away, and given back. */
export class CutOffConsole implements AsyncDisposable {
  readonly consoleUrl: string;
  readonly #target: number;
  #network: FaultyNetwork | undefined;
  readonly #port: number;

  static async of(server: ConsoleServer): Promise<CutOffConsole> {
    const target = Number(new URL(server.consoleUrl).port);
    return new CutOffConsole(target, await FaultyNetwork.start(target));
  }

  private constructor(target: number, network: FaultyNetwork) {
    this.#target = target;
    this.#network = network;
    this.#port = network.port;
    this.consoleUrl = `http://127.0.0.1:${network.port}/ui/`;
  }

  /** Browsers lose their connections, and get no other. */
  async disconnect(): Promise<void> {
    const network = this.#network;
    this.#network = undefined;
    await network?.[Symbol.asyncDispose]();
  }

  async reconnect(): Promise<void> {
    this.#network ??= await FaultyNetwork.start(this.#target, this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }
}
