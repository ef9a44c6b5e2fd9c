import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

/** One socket of an agent, and what is said over it. */
export class AgentConnection {
  /** Where it comes from. */
  readonly address: string;
  readonly #http2: ServerHttp2Session;
  readonly #socket: TLSSocket;
  readonly #onUseless: () => void;
  readonly #onUseful: () => void;
  #uses = 0;

  constructor(
    http2: ServerHttp2Session,
    socket: TLSSocket,
    told: { readonly useful: () => void; readonly useless: () => void },
  ) {
    this.#http2 = http2;
    this.#socket = socket;
    this.#onUseful = told.useful;
    this.#onUseless = told.useless;
    this.address = socket.remoteAddress ?? "";
  }

  /** Keeps it open, until the function it returns is called: somebody known uses it. */
  use(): () => void {
    this.#uses++;
    if (this.#uses === 1) this.#onUseful();
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#uses--;
      if (this.#uses === 0) this.#onUseless();
    };
  }

  /** Lets calls under way end, and accepts no others. */
  close(): void {
    this.#http2.close();
  }

  /** Cuts it. */
  destroy(): void {
    this.#http2.destroy();
    this.#socket.destroy();
  }
}
