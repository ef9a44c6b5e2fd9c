import { request as plainRequest, type IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";

/** A question to a host at an address that was found before. */
export interface ProbeTarget {
  readonly host: string;
  /** An IP address: nothing is looked up any more, so no name leads elsewhere in between. */
  readonly address: string;
  readonly port: number;
  readonly path: string;
  readonly isSecure: boolean;
}

interface ProbeAnswer {
  readonly status: number;
  /** Why the certificate is none that this machine would trust; undefined when it does, or without encryption. */
  readonly distrust: string | undefined;
}

/** Asks a host; rejects when nobody answers. */
export type ProbeHost = (target: ProbeTarget, signal: AbortSignal) => Promise<ProbeAnswer>;

const timeoutMs = 5_000;
const maxHeaderBytes = 16_384;

/**
 * Sends one HEAD, which changes nothing, and reads no more of the answer than its status: whoever chose the address learns
 * nothing from it but whether something speaks HTTP there. Redirects are not followed.
 */
export const probeHost: ProbeHost = async (target, signal) => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { host, address, port, path, isSecure } = target;
  const options = {
    host: address,
    port,
    path,
    method: "HEAD",
    headers: { Host: host, "User-Agent": "bowline" },
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    signal: limit,
  };
  return new Promise<ProbeAnswer>((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      const { socket } = answer;
      const error = "authorizationError" in socket ? socket.authorizationError : undefined;
      answer.destroy();
      const distrust = error === undefined || error === null ? undefined : textOf(error);
      resolve({ status: answer.statusCode ?? 0, distrust });
    };
    // What a certificate is worth is told, and no reason not to ask: one that Bowline made is trusted by nobody.
    const sent = isSecure
      ? secureRequest({ ...options, servername: host, rejectUnauthorized: false }, onAnswer)
      : plainRequest(options, onAnswer);
    sent.on("error", reject);
    // Node tells nothing else of an answer that changes the protocol: a cluster could have the server wait for ever.
    sent.once("close", () => reject(new Error("the connection ended without an answer")));
    sent.end();
  });
};

/** Why nobody has answered, or is trusted; Node tells some of it as a text alone. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
