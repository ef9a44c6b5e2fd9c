import type { Server } from "node:https";
import { TLSSocket, type TlsOptions } from "node:tls";

import { hasCode } from "@bowline/core";
import { tunnelProtocol } from "@bowline/protocol";

/** The taker of agents' connections. */
export interface AgentSockets {
  /** Takes a socket whose client speaks the protocol of agents. */
  accept(socket: TLSSocket): void;
  /** An agent at this address has gone away when it was shown the certificate. */
  distrusted(address: string): void;
}

/** Protocols that only agents offer, the best first: a connection for one tunnel, and HTTP/2 for all their calls. */
const agentProtocols: readonly string[] = [tunnelProtocol, "h2"];

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

  /** Options that the server has to be made with. */
  get options(): Alpn {
    const takesAgents = this.#agents !== undefined;
    const greeting = this.#greeting;
    return {
      // Node calls it as a method of the socket.
      ALPNCallback(this: unknown, { protocols }) {
        const protocol = chooseProtocol(protocols, takesAgents);
        if (isAgentProtocol(protocol) && this instanceof TLSSocket)
          greeting.set(this, this.remoteAddress ?? "");
        return protocol;
      },
    };
  }

  /** Hands the connections of agents on, and leaves all others to the server that they came to. */
  divert(server: Server): void {
    // Before others hear of it. An answer to what came too late would be written to a connection that, should the
    // handshake succeed after all, an agent is taken in on: two writers on one TLS socket end the whole process.
    server.prependListener("tlsClientError", (_, socket) => socket.destroy());
    const agents = this.#agents;
    if (agents === undefined) return;
    const listeners = server.listeners("secureConnection");
    server.removeAllListeners("secureConnection");
    server.on("secureConnection", (socket) => {
      if (isAgentProtocol(socket.alpnProtocol)) agents.accept(socket);
      else for (const listener of listeners) listener.call(server, socket);
    });
    server.on("tlsClientError", (error, socket) => {
      const address = this.#greeting.get(socket);
      if (address !== undefined && !isTooLate(error)) agents.distrusted(address);
    });
  }
}

/**
 * The protocol of a connection, by what its client offers. A client that offers HTTP/1.1 gets it: browsers, kubectl and
 * the command line, which offer HTTP/2 as well. One that does not is an agent, with its calls or with a tunnel. Undefined
 * refuses the connection.
 */
function chooseProtocol(offered: readonly string[], takesAgents: boolean): string | undefined {
  if (offered.includes("http/1.1")) return "http/1.1";
  return takesAgents ? agentProtocols.find((protocol) => offered.includes(protocol)) : undefined;
}

function isAgentProtocol(protocol: string | false | null | undefined): boolean {
  return typeof protocol === "string" && agentProtocols.includes(protocol);
}

/** Such a client may only have been slow, as all are while thousands connect. */
function isTooLate(error: Error): boolean {
  return hasCode(error, "ERR_TLS_HANDSHAKE_TIMEOUT");
}
