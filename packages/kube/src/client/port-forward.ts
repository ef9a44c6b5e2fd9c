import { Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";
import { Pool, ProxyAgent, WebSocket, type Dispatcher } from "undici";

import type { ClusterConnection } from "../config/cluster-connection.ts";
import { impersonationHeaders, socketAccess, type ConnectOptions } from "../transport/connect.ts";
import { secureContextOf, type TlsMaterial } from "../transport/connection-pools.ts";
import { resourcePath } from "./resource-path.ts";
import { resources } from "./resources.ts";

interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

interface PortForwardOptions extends Pick<ConnectOptions, "clock" | "exec" | "userAgent"> {
  readonly signal?: AbortSignal;
}

/** Each message begins with the number of its channel: bytes of the port, or what went wrong with it. */
const [dataChannel, errorChannel] = [0, 1];
/** Each channel begins with the number of the port, in two bytes. */
const portBytes = 2;
const protocol = "v4.channel.k8s.io";

/**
 * A connection to a port of a pod, through the API server and the kubelet, as `kubectl port-forward` makes them: by
 * WebSocket, which every Kubernetes since 1.20 takes. There is no half-closing: whoever ends one side ends both.
 */
export async function openPodPort(
  connection: ClusterConnection,
  { namespace, pod, port }: PodPort,
  options: PortForwardOptions = {},
): Promise<Duplex> {
  const { credentials, tlsMaterial } = socketAccess(connection, options);
  try {
    const { authorization } = await credentials.current();
    const path = resourcePath(
      resources.pods,
      { namespace, name: pod, subresource: "portforward" },
      { ports: port },
    );
    const url = new URL(connection.server);
    const dispatcher = dispatcherTo(url.origin, connection.proxyUrl, await tlsMaterial());
    const socket = new WebSocket(`${url.href.replace(/^http/u, "ws").replace(/\/+$/u, "")}${path}`, {
      protocols: [protocol],
      headers: {
        "user-agent": options.userAgent ?? "bowline",
        ...impersonationHeaders(connection.impersonate),
        ...(authorization === undefined ? {} : { authorization }),
      },
      dispatcher,
    });
    return await opened(socket, {
      dispatcher,
      signal: options.signal,
      subject: `${namespace}/${pod} port ${port}`,
    });
  } finally {
    credentials.close();
  }
}

function dispatcherTo(origin: string, proxyUrl: string | undefined, material: TlsMaterial): Dispatcher {
  const connect = {
    secureContext: secureContextOf(material),
    rejectUnauthorized: material.insecureSkipVerify !== true,
    // A WebSocket begins as HTTP/1.1.
    allowH2: false,
    ...(material.serverName === undefined ? {} : { servername: material.serverName }),
  };
  return proxyUrl === undefined
    ? new Pool(origin, { connect, allowH2: false })
    : new ProxyAgent({ uri: proxyUrl, requestTls: connect, allowH2: false });
}

interface Opening {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal | undefined;
  readonly subject: string;
}

async function opened(socket: WebSocket, { dispatcher, signal, subject }: Opening): Promise<Duplex> {
  socket.binaryType = "arraybuffer";
  const stream = new PodStream(socket, subject);
  stream.once("close", () => void dispatcher.destroy());
  const abort = (): void => void stream.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  stream.once("close", () => signal?.removeEventListener("abort", abort));
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener("open", () => resolve(true));
    socket.addEventListener("error", () => resolve(false));
    socket.addEventListener("close", () => resolve(false));
  });
  if (isOpen) return stream;
  stream.destroy();
  signal?.throwIfAborted();
  throw new BowlineError(
    "ConnectionFailed",
    `The API server opens no connection to pod ${subject}; check that the pod runs, and the right to create pods/portforward.`,
  );
}

/** As much as may wait to be sent before the writer has to. */
const maxBufferedBytes = 1024 * 1024;
const lookAgainMs = 5;

class PodStream extends Duplex {
  readonly #socket: WebSocket;
  /** Bytes of the port number that have yet to come, by channel. */
  readonly #heads = [portBytes, portBytes];

  constructor(socket: WebSocket, subject: string) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
      if (data instanceof ArrayBuffer) this.#take(Buffer.from(data), subject);
    });
    socket.addEventListener("close", () => {
      if (!this.readableEnded && !this.destroyed) this.push(null);
    });
  }

  #take(message: Buffer, subject: string): void {
    const channel = message[0];
    if (channel !== dataChannel && channel !== errorChannel) return;
    const head = Math.min(this.#heads[channel] ?? 0, message.length - 1);
    this.#heads[channel] = (this.#heads[channel] ?? 0) - head;
    const bytes = message.subarray(1 + head);
    if (bytes.length === 0 || this.destroyed) return;
    if (channel === dataChannel) this.push(bytes);
    else this.destroy(new BowlineError("ConnectionFailed", `Pod ${subject}: ${bytes.toString().trim()}`));
  }

  override _read(): void {
    // The WebSocket cannot be told to wait: what comes is kept.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      callback(new BowlineError("ConnectionFailed", "The connection to the pod is closed."));
      return;
    }
    this.#socket.send(Buffer.concat([Buffer.from([dataChannel]), chunk]));
    this.#whenSent(callback);
  }

  /** The WebSocket tells nobody when it has sent what it was given. */
  #whenSent(callback: () => void): void {
    if (this.#socket.bufferedAmount <= maxBufferedBytes) callback();
    else setTimeout(() => this.#whenSent(callback), lookAgainMs);
  }

  override _final(callback: () => void): void {
    this.#socket.close();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (this.#socket.readyState !== WebSocket.CLOSED) this.#socket.close();
    callback(error);
  }
}
