import { readFailure, type Failure } from "../live/failure.ts";

/** As much of a WebSocket as logs and shells need. */
export interface ClusterSocket extends EventTarget {
  binaryType: BinaryType;
  readonly protocol: string;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

/** How logs and shells reach a cluster. */
export interface ClusterLink {
  open(path: string, protocols: readonly string[]): ClusterSocket;
  /** Why a WebSocket at this address is refused, as far as a plain request is told; undefined where it is not. */
  whyRefused(path: string): Promise<Failure | undefined>;
}

/** A WebSocket of its own for each, through the proxy, with the cookie of the session. */
export const clusterLink: ClusterLink = {
  open(path, protocols) {
    const address = new URL(path, location.href);
    address.protocol = address.protocol === "http:" ? "ws:" : "wss:";
    const socket = new WebSocket(address, [...protocols]);
    socket.binaryType = "arraybuffer";
    return socket;
  },

  async whyRefused(path) {
    try {
      const response = await fetch(path, {
        headers: { "x-bowline-console": "1", accept: "application/json" },
        credentials: "same-origin",
        redirect: "error",
      });
      if (response.ok) {
        await response.body?.cancel();
        return undefined;
      }
      const failure = readFailure(
        response.status,
        await response.text(),
        Object.fromEntries(response.headers),
      );
      // To a plain request this is what a server says that has nothing else against it.
      return /upgrade request required/iu.test(failure.message) ? undefined : failure;
    } catch {
      return undefined;
    }
  },
};
