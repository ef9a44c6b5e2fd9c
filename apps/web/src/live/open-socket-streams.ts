import { pageClock } from "./page-clock.ts";
import { SocketStreams, type StreamSocket } from "./socket-streams.ts";
import type { Streams } from "./streams.ts";

/** A connection of its own to the server of this page, in a tab or in the worker of all tabs. */
export function openSocketStreams(): Streams {
  const streams = new SocketStreams({ connect: openSocket, clock: pageClock, random: Math.random });
  addEventListener("online", () => streams.reconnect());
  return streams;
}

function openSocket(): StreamSocket {
  const address = new URL("/api/v1/stream", location.href);
  address.protocol = address.protocol === "http:" ? "ws:" : "wss:";
  return new WebSocket(address);
}
