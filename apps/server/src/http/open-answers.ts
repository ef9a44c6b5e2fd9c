import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface OpenAnswer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Knows what each connection still has to be answered. */
export class OpenAnswers {
  readonly #open = new WeakMap<Socket, OpenAnswer[]>();

  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const answer = { request, response };
      const open = this.#openOn(socket);
      open.push(answer);
      response.once("close", () => void open.splice(open.indexOf(answer), 1));
    });
  }

  /** Whether something that has come in on the connection has not been answered to its end. */
  isBusy(socket: Socket): boolean {
    return (this.#open.get(socket)?.length ?? 0) > 0;
  }

  /** Whether what is sent now would be taken for the answer to something else than what has come in last. */
  isAwaited(socket: Socket): boolean {
    const open = this.#open.get(socket) ?? [];
    return open.some(({ request, response }) => request.complete || response.headersSent);
  }

  #openOn(socket: Socket): OpenAnswer[] {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const open: OpenAnswer[] = [];
    this.#open.set(socket, open);
    return open;
  }
}
