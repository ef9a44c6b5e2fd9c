import type { Failure } from "../../live/failure.ts";
import type { ClusterLink, ClusterSocket } from "../cluster-socket.ts";

/** A WebSocket whose other side is a test. */
export class FakeSocket extends EventTarget implements ClusterSocket {
  binaryType: BinaryType = "arraybuffer";
  readonly protocol: string;
  readonly path: string;
  readonly sent: Uint8Array[] = [];
  isClosed = false;

  constructor(path: string, protocols: readonly string[]) {
    super();
    this.path = path;
    this.protocol = protocols[0] ?? "";
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    this.sent.push(data);
  }

  close(): void {
    this.isClosed = true;
  }

  opens(): void {
    this.dispatchEvent(new Event("open"));
  }

  gives(text: string, channel?: number): void {
    const bytes = new TextEncoder().encode(text);
    const data = channel === undefined ? bytes : Uint8Array.of(channel, ...bytes);
    this.dispatchEvent(new MessageEvent("message", { data: data.buffer }));
  }

  ends(code: number): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

/** Opens sockets that a test plays, and says why one is refused as the test has it. */
export class FakeLink implements ClusterLink {
  readonly opened: FakeSocket[] = [];
  readonly asked: string[] = [];
  failure: Failure | undefined;

  get last(): FakeSocket {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error("No socket was opened.");
    return last;
  }

  open(path: string, protocols: readonly string[]): FakeSocket {
    const socket = new FakeSocket(path, protocols);
    this.opened.push(socket);
    return socket;
  }

  async whyRefused(path: string): Promise<Failure | undefined> {
    this.asked.push(path);
    return this.failure;
  }
}

export function failureOf(status: number, message = ""): Failure {
  return {
    status,
    code: status === 503 ? "AgentOffline" : "Internal",
    message,
    requestId: undefined,
    isPassing: status === 429 || status >= 500,
    isOfCluster: false,
  };
}
