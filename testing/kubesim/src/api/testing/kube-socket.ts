import { WebSocket, type RawData } from "ws";

export interface KubeSocketOptions {
  /** The address of the API server, as for any request: `https://…`. */
  readonly url: string;
  /** PEM; empty without TLS. */
  readonly caCert: string;
  /** With its query. */
  readonly path: string;
  /** Empty for nobody in particular. */
  readonly token?: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface SocketMessage {
  /** A text message, or bytes. */
  readonly isText: boolean;
  readonly data: Buffer;
}

/** The answer of a server that does not change to a WebSocket. */
export class SocketRefused extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`The server answered ${status}: ${body}`);
    this.name = "SocketRefused";
    this.status = status;
    this.body = body;
  }
}

/** A WebSocket to an API server for tests: every message as it came, and how it ended. */
export class KubeSocket implements Disposable {
  readonly #socket: WebSocket;
  readonly #messages: SocketMessage[] = [];
  readonly #ended = Promise.withResolvers<number>();
  #isOver = false;
  #arrived = Promise.withResolvers<void>();

  /** Rejects with `SocketRefused` where the server answers like a web server. */
  static async open(options: KubeSocketOptions): Promise<KubeSocket> {
    const opened = new KubeSocket(options);
    await opened.#opened();
    return opened;
  }

  private constructor({ url, caCert, path, token = "", protocols = [], headers = {} }: KubeSocketOptions) {
    this.#socket = new WebSocket(`${url.replace(/^http/u, "ws")}${path}`, [...protocols], {
      ...(caCert === "" ? {} : { ca: caCert }),
      headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
      perMessageDeflate: false,
    });
    this.#socket.binaryType = "nodebuffer";
    this.#socket.on("message", (data: RawData, isBinary) => {
      this.#messages.push({ isText: !isBinary, data: Buffer.isBuffer(data) ? data : Buffer.alloc(0) });
      this.#wake();
    });
    this.#socket.on("close", (code) => {
      this.#isOver = true;
      this.#ended.resolve(code);
      this.#wake();
    });
  }

  /** The subprotocol the server has chosen. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Resolves to the code it was closed with. */
  get closed(): Promise<number> {
    return this.#ended.promise;
  }

  /** The next message; `undefined` when the server has ended the connection. */
  async next(): Promise<SocketMessage | undefined> {
    while (this.#messages.length === 0 && !this.#isOver) await this.#arrived.promise;
    return this.#messages.shift();
  }

  /** The text of all messages so far and to come, once it matches or the connection ends. */
  async text(isEnough: (text: string) => boolean = () => false): Promise<string> {
    let all = "";
    while (!isEnough(all)) {
      const message = await this.next();
      if (message === undefined) break;
      all += message.data.toString();
    }
    return all;
  }

  send(data: Buffer | string): void {
    this.#socket.send(data);
  }

  /** Reads nothing more, as a client that hangs. */
  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.close(1000);
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #wake(): void {
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.on("open", resolve);
      this.#socket.on("error", reject);
      this.#socket.on("unexpected-response", (_request, answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("close", () =>
          reject(new SocketRefused(answer.statusCode ?? 0, Buffer.concat(chunks).toString())),
        );
      });
    });
  }
}
