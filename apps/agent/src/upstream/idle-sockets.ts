import type { Agent } from "node:http";
import type { Socket } from "node:net";

import type { Clock } from "@bowline/core";

/** Less than half of what any API server or load balancer waits, so that the agent is the one to close a socket. */
const sweepMs = 15_000;

/**
 * Closes the sockets of an agent that nobody has used for a while. Node's own `timeout` does so too, but adds a timer
 * and listeners to every request, and keeps requests in memory that are long done: it costs more than all the rest.
 */
export class IdleSockets {
  readonly #agent: Agent;
  readonly #clock: Clock;
  /** How much each idle socket had sent at the last sweep. */
  #seen = new Map<Socket, number>();
  #cancel: () => void;

  constructor(agent: Agent, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
    this.#cancel = clock.after(sweepMs, () => this.#sweep());
  }

  stop(): void {
    this.#cancel();
  }

  #sweep(): void {
    const idle = new Map<Socket, number>();
    for (const socket of freeSockets(this.#agent)) {
      if (this.#seen.get(socket) === socket.bytesWritten) socket.destroy();
      else idle.set(socket, socket.bytesWritten);
    }
    this.#seen = idle;
    this.#cancel = this.#clock.after(sweepMs, () => this.#sweep());
  }
}

/** Sockets that wait for a request. */
export function freeSockets(agent: Agent): Socket[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
}
