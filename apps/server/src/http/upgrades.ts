import { ServerResponse, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import type { FastifyInstance } from "fastify";

import { bearerInProtocols } from "./bearer-protocol.ts";
import type { OpenAnswers } from "./open-answers.ts";

/** The connection of a client that asked for another protocol, with what it has sent of it already. */
export interface UpgradeRequest {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Connections that ask for another protocol take the same way as requests, so that the same is asked of them. Node has
 * let go of such a connection: whatever is answered in place of the other protocol is the last thing on it.
 */
export class Upgrades {
  readonly #requests = new WeakMap<IncomingMessage, UpgradeRequest>();
  readonly #paths: string[] = [];

  /** Takes those for addresses that begin with this path. Others answer in HTTP, as if they had been asked nothing. */
  takeBelow(path: string): void {
    this.#paths.push(path);
  }

  /** The connection of a request that asks for another protocol; undefined for every other request. */
  of(request: IncomingMessage): UpgradeRequest | undefined {
    return this.#requests.get(request);
  }

  listen(app: FastifyInstance, openAnswers: OpenAnswers): void {
    const take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      // Without a listener, a connection that breaks would end the process.
      socket.on("error", () => socket.destroy());
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(request.socket);
      response.once("finish", () => request.socket.destroySoon());
      request.headers.authorization ??= bearerInProtocols(request.headers);
      this.#requests.set(request, { socket, head });
      app.routing(request, response);
    };
    app.server.on("upgrade", take);
    // A connection with earlier answers to come is none to be taken: those would never be told that it has closed.
    const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
      this.#isTaken(request) && !openAnswers.isBusy(request.socket);
    Object.assign(app.server, { shouldUpgradeCallback });
    app.addHook("onClose", (_, done) => {
      app.server.off("upgrade", take);
      done();
    });
  }

  #isTaken({ url = "" }: IncomingMessage): boolean {
    return this.#paths.some((path) => url.startsWith(path));
  }
}
