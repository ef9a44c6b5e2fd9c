import type { Server } from "node:https";
import { TLSSocket, type TlsOptions } from "node:tls";

import { agentProtocol, chooseProtocol } from "./agent-protocol.ts";

/** Whoever takes the connections of agents. */
export interface AgentSockets {
  /** Takes a socket whose client speaks the protocol of agents. */
  accept(socket: TLSSocket): void;
  /** An agent at this address has gone away when it was shown the certificate. */
  distrusted(address: string): void;
}

type Alpn = Pick<TlsOptions, "ALPNCallback">;

/** One port for agents and for everybody else: what they offer when they connect tells them apart. */
export class SharedPort {
  readonly #agents: AgentSockets | undefined;
  /** Agents that have not finished their handshake, with their addresses, which a socket that was cut has forgotten. */
  readonly #greeting = new WeakMap<TLSSocket, string>();

  /** Without agents there is everybody else. */
  constructor(agents: AgentSockets | undefined) {
    this.#agents = agents;
  }

  /** What the server has to be made with. */
  get options(): Alpn {
    const takesAgents = this.#agents !== undefined;
    const greeting = this.#greeting;
    return {
      // Node calls it as a method of the socket.
      ALPNCallback(this: unknown, { protocols }) {
        const protocol = chooseProtocol(protocols, takesAgents);
        const isAgent = protocol === agentProtocol && this instanceof TLSSocket;
        if (isAgent) greeting.set(this, this.remoteAddress ?? "");
        return protocol;
      },
    };
  }

  /** Hands the connections of agents on, and leaves all others to the server that they came to. */
  divert(server: Server): void {
    const agents = this.#agents;
    if (agents === undefined) return;
    const listeners = server.listeners("secureConnection");
    server.removeAllListeners("secureConnection");
    server.on("secureConnection", (socket) => {
      if (socket.alpnProtocol === agentProtocol) agents.accept(socket);
      else for (const listener of listeners) listener.call(server, socket);
    });
    server.on("tlsClientError", (_, socket) => {
      const address = this.#greeting.get(socket);
      if (address !== undefined) agents.distrusted(address);
    });
  }
}
