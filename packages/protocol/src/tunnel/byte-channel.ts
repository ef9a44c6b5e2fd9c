import { OutgoingMessage } from "node:http";
import type { Duplex, Writable } from "node:stream";

export interface ChannelReceiver {
  data(chunk: Buffer): void;
  /** Called once; with an error when the channel broke. */
  closed(error?: Error): void;
}

/** The carrier of a tunnel: bytes in order, both ways. */
export interface ByteChannel {
  /** Called once, before anything else. */
  start(receiver: ChannelReceiver): void;
  /** Calls `done` when the chunks have left this process, but never before it returns. */
  write(chunks: readonly Buffer[], done: () => void): void;
  /** Sends what was written, then closes. */
  end(): void;
  /** Closes at once. */
  destroy(error?: Error): void;
}

/**
 * Any Duplex of bytes as a channel: a socket, a stream of an HTTP/2 session, one half of a pair in memory. Where the
 * Duplex takes bytes before the network does, `flushed` calls back when the network has.
 */
export function duplexChannel(
  duplex: Duplex,
  flushed: (callback: () => void) => void = (callback) => callback(),
): ByteChannel {
  return {
    start(receiver) {
      let failure: Error | undefined;
      duplex.on("data", (chunk: Buffer) => receiver.data(chunk));
      duplex.on("error", (error) => (failure ??= error));
      // A peer that ended its half will never answer again.
      duplex.on("end", () => duplex.end());
      duplex.on("close", () => receiver.closed(failure));
      // It may have closed before anybody listened; what is destroyed, but not closed yet, still says so.
      if (duplex.closed) process.nextTick(() => receiver.closed(duplex.errored ?? undefined));
    },
    write(chunks, done) {
      const last = chunks.length - 1;
      duplex.cork();
      chunks.forEach((chunk, index) => duplex.write(chunk, index === last ? () => flushed(done) : undefined));
      duplex.uncork();
    },
    end: () => duplex.end(),
    destroy: (error) => duplex.destroy(error),
  };
}

/**
 * Writes together what comes within one turn of the event loop, to a socket or an answer of node:http. HTTP/2 and TLS
 * cut a DATA frame into pieces as they like, and a system call for each of them is a quarter of what a server spends on
 * a download. Nothing waits for more to come: at the end of the turn all is written.
 */
export function gatheredWrites(target: Writable): (chunk: Buffer) => boolean {
  return (chunk) => {
    // Not the answer itself is corked: node:http mixes up the chunks of one that is ended while it is.
    const socket = target instanceof OutgoingMessage ? target.socket : target;
    if (socket?.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    return target.write(chunk);
  };
}
