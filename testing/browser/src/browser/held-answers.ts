import type { BrowserContext, Route, WebSocketRoute } from "playwright-core";

/** What becomes of requests to Bowline's own API. */
export type Treatment = "answered" | "held" | "failed";

/** Without these there is no page at all. */
const needed = /\/api\/v1\/(?:whoami|console|session)\b/u;
const ownApi = /\/api\/v1\//u;

const failure = {
  error: {
    code: "Internal",
    message: "Something went wrong in the server; its log has more under the id of this request.",
    requestId: "019a8f2b-0000-7000-8000-000000000000",
  },
};

/**
 * Stands between a page and Bowline's own API: no real server can be made to be slow or to fail in all that it answers.
 * What is asked of clusters passes; clusters are made to be slow and to fail by themselves. The page has no shared
 * worker then, as on some phones, because nothing can be put between one and its server.
 */
export class HeldAnswers {
  #requests: Treatment = "answered";
  #lists: Treatment = "answered";

  static async between(context: BrowserContext): Promise<HeldAnswers> {
    const held = new HeldAnswers();
    await context.addInitScript("delete globalThis.SharedWorker");
    await context.route(ownApi, (route) => held.#treatRequest(route));
    await context.routeWebSocket(/\/api\/v1\/stream$/u, (socket) => held.#treatStream(socket));
    return held;
  }

  /** From now on; single requests and the lists that are followed may be treated differently. */
  treat(requests: Treatment, lists: Treatment = requests): void {
    this.#requests = requests;
    this.#lists = lists;
  }

  #treatRequest(route: Route): Promise<void> {
    if (this.#requests === "answered" || needed.test(route.request().url())) return route.continue();
    return this.#requests === "held" ? Promise.resolve() : route.fulfill({ status: 500, json: failure });
  }

  #treatStream(socket: WebSocketRoute): void {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const { id, get } = askedIn(message);
      const isOwn = get !== undefined && ownApi.test(get) && !get.startsWith("/clusters/");
      if (!isOwn || this.#lists === "answered") server.send(message);
      else if (this.#lists === "failed") answerFailure(socket, id);
    });
  }
}

function askedIn(message: string | Buffer): { readonly id: number; readonly get: string | undefined } {
  const { id, get }: { id: number; get?: string } = JSON.parse(message.toString());
  return { id, get };
}

/** As `docs/reference/stream.md` has it: the start, the bytes behind their number, the end. */
function answerFailure(socket: WebSocketRoute, id: number): void {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(id);
  socket.send(JSON.stringify({ id, status: 500, headers: { "content-type": "application/json" } }));
  socket.send(Buffer.concat([number, Buffer.from(JSON.stringify(failure))]));
  socket.send(JSON.stringify({ id, end: true }));
}
