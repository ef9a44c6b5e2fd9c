import { readFile } from "node:fs/promises";

import { BowlineError } from "@bowline/core";
import {
  credsAuthenticator,
  connect,
  type NodeConnectionOptions,
  type NatsConnection,
} from "@nats-io/transport-node";

/** Where NATS is and how to be let in. */
export interface NatsOptions {
  /**
   * `nats://host:4222`, or `tls://…` to insist on TLS; several, separated by commas, for a cluster. May carry
   * `user:password@`, or `token@`.
   */
  readonly url: string;
  /** A `.creds` file, with a JWT and its key. Read anew for every connection, so that it can be replaced. */
  readonly credentialsFile?: string | undefined;
  /** PEM certificates of the CAs to trust instead of the system's; insists on TLS. */
  readonly caFile?: string | undefined;
  /** A certificate and its key to show to the server; insists on TLS. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string } | undefined;
}

/** The address without what must not be in messages and logs. */
export function publicAddress(url: string): string {
  return serverUrls(url)
    .map(({ protocol, host }) => `${protocol}//${host}`)
    .join(",");
}

/** Options for the NATS client. The credentials of the first address count for all. */
export async function connectionOptions(options: NatsOptions): Promise<NodeConnectionOptions> {
  const urls = serverUrls(options.url);
  const { caFile, certificate, credentialsFile } = options;
  const usesTls =
    urls.some(({ protocol }) => protocol === "tls:") || caFile !== undefined || certificate !== undefined;
  return {
    servers: urls.map(({ host }) => host),
    ...login(urls[0]),
    ...(credentialsFile === undefined
      ? {}
      : { authenticator: credsAuthenticator(await readFile(credentialsFile)) }),
    ...(usesTls ? { tls: { ...(caFile === undefined ? {} : { caFile }), ...certificate } } : {}),
  };
}

function login(url: URL | undefined): Pick<NodeConnectionOptions, "user" | "pass" | "token"> {
  const user = decodeURIComponent(url?.username ?? "");
  const pass = decodeURIComponent(url?.password ?? "");
  if (user === "") return {};
  return pass === "" ? { token: user } : { user, pass };
}

function serverUrls(text: string): URL[] {
  return text.split(",").map((part) => {
    const url = URL.parse(part.trim());
    if (url !== null && ["nats:", "tls:"].includes(url.protocol) && url.host !== "") return url;
    // Without the text itself, which may hold a password.
    throw new BowlineError("InvalidArgument", "The address of NATS must look like nats://host:4222.");
  });
}

const connectLimitMs = 5_000;
/** A server that vanished without a word is noticed after this much, times the pings it may owe. */
const pingMs = 10_000;
const maxUnansweredPings = 2;

/** Connects once; what comes after the connection has ended is for the caller to decide. */
export async function dialNats(nats: NatsOptions, name: string): Promise<NatsConnection> {
  return connect({
    ...(await connectionOptions(nats)),
    name,
    timeout: connectLimitMs,
    reconnect: false,
    pingInterval: pingMs,
    maxPingOut: maxUnansweredPings,
    noAsyncTraces: true,
  });
}
