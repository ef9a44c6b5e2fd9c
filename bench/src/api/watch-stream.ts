import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { sentAtAnnotation, type LatencyOrder } from "./measurement.ts";

const eventEnd = "\n\n";
const bookmarkSign = '"BOOKMARK"';
const sentAtSign = `"${sentAtAnnotation}":"`;

/** The answer to a watch. It is searched for what is measured, not parsed: hundreds of these share one process. */
export class WatchStream {
  readonly #socket: Socket;
  readonly #live = Promise.withResolvers<void>();
  /** The beginning of an event whose end has not come yet. */
  #rest: Buffer = Buffer.alloc(0);
  #read: (events: Buffer) => void;

  /** Resolves when the server says that it is up to date. */
  static async open(port: number, request: string): Promise<WatchStream> {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    const stream = new WatchStream(socket);
    socket.write(request);
    await stream.#live.promise;
    return stream;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#read = (events) => {
      if (events.includes(bookmarkSign)) this.#live.resolve();
    };
    socket.once("data", (chunk: Buffer) => {
      if (!chunk.toString().startsWith("HTTP/1.1 200 ")) this.#live.reject(new Error(chunk.toString()));
    });
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#live.reject(error));
    socket.on("close", () => this.#live.reject(new Error("The server ended the watch")));
  }

  /** Calls back for every change with the time it was sent. */
  follow(until: LatencyOrder["until"], onChange: (sentAtMs: number) => void): void {
    this.#read = until === "announced" ? readAnnounced(onChange) : readObserved(onChange);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(eventEnd);
    this.#rest = end < 0 ? bytes : bytes.subarray(end + eventEnd.length);
    if (end >= 0) this.#read(bytes.subarray(0, end));
  }
}

function readAnnounced(onChange: (sentAtMs: number) => void): (events: Buffer) => void {
  return (events) => {
    for (let at = events.indexOf(sentAtSign); at >= 0; at = events.indexOf(sentAtSign, at)) {
      at += sentAtSign.length;
      onChange(Number(events.toString("latin1", at, events.indexOf('"', at))));
    }
  };
}

interface WatchedEvent {
  readonly object?: {
    readonly metadata: {
      readonly generation: number;
      readonly annotations: Readonly<Record<string, string>>;
    };
    readonly status: { readonly observedGeneration?: number };
  };
}

function readObserved(onChange: (sentAtMs: number) => void): (events: Buffer) => void {
  return (events) => {
    for (const line of events.toString().split("\n")) {
      if (!line.startsWith("data: ")) continue;
      const { object }: WatchedEvent = JSON.parse(line.slice("data: ".length));
      if (object === undefined || object.status.observedGeneration !== object.metadata.generation) continue;
      onChange(Number(object.metadata.annotations[sentAtAnnotation]));
    }
  };
}
