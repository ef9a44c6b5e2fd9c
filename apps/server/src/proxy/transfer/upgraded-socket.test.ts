import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { UpgradedSocket } from "./upgraded-socket.ts";

/** A client that remembers in which pieces it was written to. */
class Client extends Duplex {
  readonly pieces: string[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.pieces.push(chunk.toString());
    done();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.pieces.push(Buffer.concat(chunks.map(({ chunk }) => chunk)).toString());
    done();
  }
}

function open(): { client: Client; socket: UpgradedSocket } {
  const client = new Client();
  const stream = { write: () => true, end: () => {}, resume: () => {} };
  return { client, socket: new UpgradedSocket(client, stream, () => {}) };
}

test("frames that come together are handed to the network together, and the next ones do not wait", async () => {
  const { client, socket } = open();
  for (const text of ["a", "b", "c"]) socket.write(Buffer.from(text));
  await setImmediate();
  socket.write(Buffer.from("d"));
  await setImmediate();
  expect(client.pieces).toEqual(["abc", "d"]);
  expect(socket.answerBytes).toBe(4);
});

test("an end takes along what was written before it", async () => {
  const { client, socket } = open();
  socket.write(Buffer.from("a"));
  socket.write(Buffer.from("b"));
  socket.end();
  await setImmediate();
  expect([client.pieces.join(""), client.writableFinished]).toEqual(["ab", true]);
});
