import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface OpenAnswer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Knows what each connection still has to be answered. */
export class OpenAnswers {
  readonly #open = new WeakMap<Socket, Set<OpenAnswer>>();

  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const open = this.#open.get(socket) ?? new Set();
      const answer = { request, response };
      this.#open.set(socket, open.add(answer));
      response.once("close", () => open.delete(answer));
    });
  }

  /** Whether what is sent now would be taken for the answer to something else than what has come in last. */
  isAwaited(socket: Socket): boolean {
    const open = [...(this.#open.get(socket) ?? [])];
    return open.some(({ request, response }) => request.complete || response.headersSent);
  }
}
