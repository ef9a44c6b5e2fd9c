import { OutgoingMessage } from "node:http";
import type { Writable } from "node:stream";

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
