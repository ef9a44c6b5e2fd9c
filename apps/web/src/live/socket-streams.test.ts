import { ManualClock } from "@bowline/core/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { pageClock } from "./page-clock.ts";
import { PortStreams, TabConnection } from "./port-streams.ts";
import { SocketStreams, type StreamSocket } from "./socket-streams.ts";
import type { StreamReader } from "./streams.ts";

class FakeSocket extends EventTarget implements StreamSocket {
  binaryType: BinaryType = "blob";
  readonly sent: unknown[] = [];
  isClosed = false;

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }
  close(): void {
    this.isClosed = true;
  }
  open(): void {
    this.dispatchEvent(new Event("open"));
  }
  tell(message: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
  bytes(id: number, text: string): void {
    const body = new TextEncoder().encode(text);
    const data = new Uint8Array(4 + body.length);
    new DataView(data.buffer).setUint32(0, id);
    data.set(body, 4);
    this.dispatchEvent(new MessageEvent("message", { data: data.buffer }));
  }
  lose(code = 1006): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

class Told implements StreamReader {
  readonly lines: string[] = [];
  onStart(status: number): void {
    this.lines.push(`start ${status}`);
  }
  onBytes(bytes: Uint8Array): void {
    this.lines.push(new TextDecoder().decode(bytes.subarray(0, 20)));
  }
  onEnd(end: string): void {
    this.lines.push(end);
  }
}

let sockets: FakeSocket[];
let clock: ManualClock;

beforeEach(() => {
  sockets = [];
  clock = new ManualClock(0);
});

function open(): SocketStreams {
  return new SocketStreams({
    connect() {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    clock,
    random: () => 0,
  });
}

function socketAt(index: number): FakeSocket {
  const socket = sockets[index];
  if (socket === undefined) throw new Error("There was no such connection.");
  return socket;
}

describe("Requests over one socket", () => {
  test("wait for it to open, and are answered apart from each other", () => {
    const streams = open();
    const [one, two] = [new Told(), new Told()];
    streams.open({ get: "/one" }, one);
    streams.open({ get: "/two", accept: "text/plain" }, two);
    expect(socketAt(0).sent).toEqual([]);
    socketAt(0).open();
    expect(socketAt(0).sent).toEqual([
      { id: 1, get: "/one" },
      { id: 2, get: "/two", accept: "text/plain" },
    ]);
    socketAt(0).tell({ id: 2, status: 404, headers: {} });
    socketAt(0).bytes(2, "none");
    socketAt(0).tell({ id: 2, end: true });
    socketAt(0).tell({ id: 1, status: 200, headers: {} });
    socketAt(0).bytes(1, "hello");
    expect([one.lines, two.lines]).toEqual([
      ["start 200", "hello"],
      ["start 404", "none", "complete"],
    ]);
  });

  test("end when nobody wants the answer any more, and nothing is told afterwards", () => {
    const streams = open();
    const told = new Told();
    const end = streams.open({ get: "/one" }, told);
    socketAt(0).open();
    end();
    socketAt(0).bytes(1, "late");
    expect(told.lines).toEqual([]);
    expect(socketAt(0).sent).toEqual([
      { id: 1, get: "/one" },
      { id: 1, end: true },
    ]);
  });

  test("give back credit for what was taken", () => {
    const streams = open();
    streams.open({ get: "/one" }, new Told());
    socketAt(0).open();
    socketAt(0).bytes(1, "x".repeat(100_000));
    expect(socketAt(0).sent).toHaveLength(1);
    socketAt(0).bytes(1, "x".repeat(100_000));
    expect(socketAt(0).sent.at(-1)).toEqual({ id: 1, credit: 200_000 });
  });

  test("are disconnected with the socket, which is tried again, each time later", async () => {
    const streams = open();
    const told = new Told();
    streams.open({ get: "/one" }, told);
    socketAt(0).open();
    socketAt(0).tell({ id: 1, status: 200, headers: {} });
    socketAt(0).lose();
    expect(told.lines).toEqual(["start 200", "disconnected"]);
    expect(streams.state).toEqual({ phase: "waiting", attempt: 1, retryAtMs: 500 });
    await clock.advance(500);
    expect(streams.state).toEqual({ phase: "connecting" });
    socketAt(1).lose();
    expect(streams.state).toMatchObject({ attempt: 2, retryAtMs: 1_500 });
  });

  test("are asked on the next socket if they had not been answered", async () => {
    const streams = open();
    streams.open({ get: "/one" }, new Told());
    socketAt(0).open();
    socketAt(0).lose();
    await clock.advance(500);
    socketAt(1).open();
    expect(socketAt(1).sent).toEqual([{ id: 1, get: "/one" }]);
  });

  test("wait for somebody to sign in when the session is over", async () => {
    const streams = open();
    streams.open({ get: "/one" }, new Told());
    socketAt(0).open();
    socketAt(0).lose(4401);
    expect(streams.state).toEqual({ phase: "signedOut" });
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    streams.reconnect();
    expect(sockets).toHaveLength(2);
  });

  test("of one session are not answered with the next: they end, and are asked again over a socket of its own", () => {
    const streams = open();
    const told = new Told();
    streams.belongTo("s-1");
    streams.open({ get: "/one" }, told);
    socketAt(0).open();
    socketAt(0).tell({ id: 1, status: 200, headers: {} });
    streams.belongTo("s-1");
    expect(sockets).toHaveLength(1);
    streams.belongTo("s-2");
    expect(streams.state).toEqual({ phase: "connecting", session: "s-2" });
    socketAt(0).bytes(1, "of somebody else");
    socketAt(0).lose();
    expect(told.lines).toEqual(["start 200", "disconnected"]);
    socketAt(1).open();
    expect(streams.state).toEqual({ phase: "open", session: "s-2" });
  });

  test("end when somebody signs out, and no socket is tried until somebody has signed in", async () => {
    const streams = open();
    streams.belongTo("s-1");
    streams.open({ get: "/one" }, new Told());
    socketAt(0).open();
    streams.belongTo("");
    expect(streams.state).toEqual({ phase: "signedOut", session: "" });
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
    streams.belongTo("s-2");
    expect(sockets).toHaveLength(2);
  });

  test("that are refused before they are requests end with the reason, and do not just wait", () => {
    const streams = open();
    const told = new Told();
    streams.open({ get: "/one" }, told);
    socketAt(0).open();
    socketAt(0).tell({ id: 1, error: { code: "TooManyRequests", message: "There are 64." } });
    expect(told.lines).toEqual(["start 429", '{"error":{"code":"To', "complete"]);
  });

  test("of several tabs go over the same socket, and end with their tab", async () => {
    const streams = open();
    const gone: string[] = [];
    const connectTab = (name: string): { tab: PortStreams; close: () => void } => {
      const { port1, port2 } = new MessageChannel();
      void new TabConnection(port1, { streams, clock, onGone: () => gone.push(name) });
      return { tab: new PortStreams(port2, pageClock), close: () => port1.close() };
    };
    const [one, two] = [connectTab("one"), connectTab("two")];
    const [first, second] = [new Told(), new Told()];
    one.tab.open({ get: "/one" }, first);
    two.tab.open({ get: "/two" }, second);
    await expect.poll(() => sockets).toHaveLength(1);
    socketAt(0).open();
    await expect.poll(() => socketAt(0).sent).toHaveLength(2);
    socketAt(0).tell({ id: 1, status: 200, headers: {} });
    socketAt(0).bytes(1, "hello");
    await expect.poll(() => first.lines).toEqual(["start 200", "hello"]);
    one.tab.close();
    await expect.poll(() => gone).toEqual(["one"]);
    expect(socketAt(0).sent.at(-1)).toEqual({ id: 1, end: true });
    expect(second.lines).toEqual([]);
    two.tab.close();
    one.close();
    two.close();
  });
});
