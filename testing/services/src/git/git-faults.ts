import type { IncomingMessage, ServerResponse } from "node:http";

/** The two questions that a client of git asks over HTTP: which refs there are, and for objects. */
export type GitRequestPart = "refs" | "objects";

/**
 * Something that the server does wrong until it is told otherwise:
 * - `status`: answers with it, to one question or to both
 * - `redirect`: sends the client to another address
 * - `silent`: takes the request and says nothing
 * - `stall`: sends the first bytes of an answer, and then nothing
 * - `truncate`: ends the connection after so many bytes of an answer
 * - `garbage`: answers with a page for people
 */
export type GitFault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly on?: GitRequestPart;
    }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "silent"; readonly on?: GitRequestPart }
  | { readonly kind: "stall"; readonly afterBytes: number; readonly on?: GitRequestPart }
  | { readonly kind: "truncate"; readonly afterBytes: number; readonly on?: GitRequestPart }
  | { readonly kind: "garbage" };

export function appliesTo(fault: GitFault | undefined, part: GitRequestPart): fault is GitFault {
  return fault !== undefined && (!("on" in fault) || fault.on === undefined || fault.on === part);
}

/** Answers a request wrongly; false when the fault lies in the body of a right answer. */
export function answerWrongly(fault: GitFault, request: IncomingMessage, response: ServerResponse): boolean {
  if (fault.kind === "stall" || fault.kind === "truncate") return false;
  if (fault.kind === "status") response.writeHead(fault.status, fault.headers).end("no\n");
  if (fault.kind === "redirect") {
    response.writeHead(302, { location: `${fault.to}${request.url ?? ""}` }).end();
  }
  if (fault.kind === "garbage") {
    response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Sign in</body></html>\n");
  }
  return true;
}

/** Passes on an answer, and stops in the middle of it where the fault says so. */
export class FaultyBody {
  readonly #response: ServerResponse;
  readonly #fault: GitFault | undefined;
  #sent = 0;

  constructor(response: ServerResponse, fault: GitFault | undefined) {
    this.#response = response;
    this.#fault = fault;
  }

  write(chunk: Buffer): void {
    const left = this.#limit() - this.#sent;
    if (left <= 0) return;
    this.#response.write(chunk.subarray(0, left));
    this.#sent += chunk.length;
    if (this.#sent >= this.#limit() && this.#fault?.kind === "truncate") {
      // What was written goes out before the connection ends.
      this.#response.socket?.destroySoon();
    }
  }

  end(): void {
    if (this.#fault?.kind !== "stall") this.#response.end();
  }

  #limit(): number {
    const fault = this.#fault;
    return fault?.kind === "stall" || fault?.kind === "truncate"
      ? fault.afterBytes
      : Number.POSITIVE_INFINITY;
  }
}
