import type { Duplex } from "node:stream";

import type { HeaderList, TunnelStream } from "@bowline/protocol";

/** How long a connection may take to close after one side has ended and nothing moves any more. */
const halfClosedLimitMs = 60_000;

/** How long a cluster may take nothing of what it is sent: nobody reads from the client then, or sees it go away. */
const unreadLimitMs = 15 * 60_000;

type AnsweredStream = Pick<TunnelStream, "write" | "end" | "resume">;

/** The bytes of another protocol, both ways, until each side has ended its own. */
export class UpgradedSocket {
  readonly #socket: Duplex;
  readonly #stream: AnsweredStream;
  readonly #passed: (bytes: number) => void;
  requestBytes = 0;
  answerBytes = 0;
  #clientEnded = false;
  #clusterEnded = false;
  /** The tunnel has no room, so that the client has to wait. */
  #isUnread = false;
  /** What comes together goes together. */
  #isGathering = false;
  /** How much had moved when somebody last looked, and since when no more has. */
  #idle = { bytes: -1, sinceMs: 0 };

  /** `passed` is told of the bytes that the client sends. */
  constructor(socket: Duplex, stream: AnsweredStream, passed: (bytes: number) => void) {
    this.#socket = socket;
    this.#passed = passed;
    this.#stream = stream;
  }

  /** Both sides have said that they will send nothing more. */
  get isComplete(): boolean {
    return this.#clientEnded && this.#clusterEnded;
  }

  /** Why it has to end now; undefined when it may go on. */
  overdue(nowMs: number): string | undefined {
    const isHalfClosed = this.#clientEnded || this.#clusterEnded;
    // Otherwise it may be silent for as long as it likes.
    const bytes = isHalfClosed || this.#isUnread ? this.requestBytes + this.answerBytes : -1;
    if (bytes === -1 || bytes !== this.#idle.bytes) this.#idle = { bytes, sinceMs: nowMs };
    const idleMs = nowMs - this.#idle.sinceMs;
    if (isHalfClosed && idleMs > halfClosedLimitMs)
      return "One side has ended, and the other does nothing any more.";
    return idleMs > unreadLimitMs ? "The cluster does not read what the client sends." : undefined;
  }

  start(head: HeaderList, early: Buffer): void {
    const socket = this.#socket;
    // A side that has ended still listens: that is how some protocols say that a request is complete.
    socket.allowHalfOpen = true;
    socket.write(headText(head), "latin1");
    socket.on("drain", () => this.#stream.resume());
    socket.on("data", (chunk: Buffer) => this.#send(chunk));
    socket.on("end", () => this.#sendEnd());
    if (early.length > 0) this.#send(early);
    socket.resume();
  }

  write(chunk: Buffer): boolean {
    this.answerBytes += chunk.length;
    if (!this.#isGathering) this.#gather();
    return this.#socket.write(chunk);
  }

  end(): void {
    this.#clusterEnded = true;
    this.#idle.bytes = -1;
    this.#socket.end();
  }

  /** The tunnel has room again. */
  resume(): void {
    this.#isUnread = false;
    this.#socket.resume();
  }

  /** A container that writes many lines sends each by itself; to hand each to the network takes longer than all else. */
  #gather(): void {
    this.#isGathering = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      this.#socket.uncork();
    });
  }

  #send(chunk: Buffer): void {
    this.requestBytes += chunk.length;
    this.#passed(chunk.length);
    if (this.#stream.write(chunk)) return;
    this.#isUnread = true;
    this.#socket.pause();
  }

  #sendEnd(): void {
    this.#clientEnded = true;
    this.#idle.bytes = -1;
    this.#stream.end();
  }
}

function headText(head: HeaderList): string {
  let text = "HTTP/1.1 101 Switching Protocols\r\n";
  for (let index = 0; index < head.length; index += 2) text += `${head[index]}: ${head[index + 1]}\r\n`;
  return `${text}\r\n`;
}
