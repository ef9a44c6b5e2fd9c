import { connect, type NatsConnection } from "@nats-io/transport-node";

import { connectionOptions, type NatsOptions } from "./nats-options.ts";

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
