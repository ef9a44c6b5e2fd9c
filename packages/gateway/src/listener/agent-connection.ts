import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

/** Who is told whether anybody known uses a connection. */
export interface ConnectionUse {
  readonly useful: () => void;
  readonly useless: () => void;
}

/** One socket of an agent: it speaks HTTP/2, or carries a tunnel and nothing else. */
export class AgentConnection {
  /** Where it comes from. */
  readonly address: string;
  readonly #http2: ServerHttp2Session | undefined;
  readonly #socket: TLSSocket;
  readonly #onUseless: () => void;
  readonly #onUseful: () => void;
  #uses = 0;

  constructor(socket: TLSSocket, told: ConnectionUse, http2?: ServerHttp2Session) {
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

  /** Lets calls under way end, and accepts no others. A tunnel is for its owner to end. */
  close(): void {
    if (this.#http2 !== undefined) this.#http2.close();
    else if (this.#uses === 0) this.#socket.destroy();
  }

  /** Cuts it. */
  destroy(): void {
    this.#http2?.destroy();
    this.#socket.destroy();
  }
}
