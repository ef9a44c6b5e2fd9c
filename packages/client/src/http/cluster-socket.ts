import { WebSocket, type Dispatcher } from "undici";

/** A WebSocket to a cluster. Whoever opened it closes it. */
export interface ClusterSocket {
  /** The subprotocol that the cluster chose. */
  readonly protocol: string;
  /** Every message, until the other side closes; to be read once. */
  readonly messages: AsyncIterable<Buffer>;
  /** Resolves when there is room for more. */
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

interface SocketOptions {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal | undefined;
}

/** As much as may wait to be sent before the sender has to. */
const maxBufferedBytes = 1024 * 1024;
const lookAgainMs = 10;

/** Opens a WebSocket; undefined when the other side does not want one, whose reason it does not tell. */
export async function openSocket(options: SocketOptions): Promise<ClusterSocket | undefined> {
  const { url, protocols, headers, dispatcher, signal } = options;
  signal?.throwIfAborted();
  const socket = new WebSocket(url, { protocols: [...protocols], headers, dispatcher });
  socket.binaryType = "arraybuffer";
  const messages = new MessageQueue();
  socket.addEventListener("message", ({ data }: { readonly data: unknown }) => messages.add(bytesOf(data)));
  const onAbort = (): void => socket.close();
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.addEventListener("close", () => {
    signal?.removeEventListener("abort", onAbort);
    messages.end();
  });
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("error", () => resolve(false));
    socket.addEventListener("close", () => resolve(false));
  });
  if (!isOpen) return undefined;
  return {
    protocol: socket.protocol,
    messages,
    async send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(message);
      // The WebSocket tells nobody when it has sent what it was given.
      while (socket.bufferedAmount > maxBufferedBytes && socket.readyState === WebSocket.OPEN) {
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
      }
    },
    close: () => socket.close(),
  };
}

function bytesOf(data: unknown): Buffer {
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(String(data));
}

class MessageQueue implements AsyncIterable<Buffer> {
  readonly #messages: Buffer[] = [];
  #isEnded = false;
  #changed = Promise.withResolvers<void>();

  add(message: Buffer): void {
    this.#messages.push(message);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      for (let message = this.#messages.shift(); message !== undefined; message = this.#messages.shift())
        yield message;
      if (this.#isEnded) return;
      await this.#changed.promise;
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
