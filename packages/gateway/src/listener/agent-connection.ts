import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

import type { Clock } from "@bowline/core";

/** Listeners for whether anybody known uses a connection. */
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

  constructor(socket: TLSSocket, listeners: ConnectionUse, http2?: ServerHttp2Session) {
    this.#http2 = http2;
    this.#socket = socket;
    this.#onUseful = listeners.useful;
    this.#onUseless = listeners.useless;
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

/** Closes connections that nobody known has used for a while. One timer serves all: the first to be added ends first. */
export class IdleConnections {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #endsMs = new Map<AgentConnection, number>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#endsMs.size;
  }

  add(connection: AgentConnection): void {
    this.#endsMs.delete(connection);
    this.#endsMs.set(connection, this.#clock.monotonicMs() + this.#limitMs);
    this.#arm();
  }

  delete(connection: AgentConnection): void {
    this.#endsMs.delete(connection);
    if (this.#endsMs.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    const [endMs] = this.#endsMs.values();
    if (this.#cancel !== undefined || endMs === undefined) return;
    this.#cancel = this.#clock.after(Math.max(0, endMs - this.#clock.monotonicMs()), () => this.#end());
  }

  #end(): void {
    this.#cancel = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const [connection, endMs] of this.#endsMs) {
      if (endMs > nowMs) break;
      this.#endsMs.delete(connection);
      connection.destroy();
    }
    this.#arm();
  }
}
