import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";

import { expect, test } from "vitest";

import { gatheredWrites } from "./gathered-writes.ts";

test("gatheredWrites writes once per turn, and tells when to wait", async () => {
  const batches: number[] = [];
  const target = new Writable({
    highWaterMark: 10,
    writev: (chunks, callback) => {
      batches.push(chunks.length);
      callback();
    },
  });
  const write = gatheredWrites(target);
  expect(write(Buffer.from("abc"))).toBe(true);
  expect(write(Buffer.from("defghijk"))).toBe(false);
  expect(batches).toEqual([]);
  await once(target, "drain");
  expect(batches).toEqual([2]);
  write(Buffer.from("l"));
  write(Buffer.from("m"));
  await turn();
  expect(batches).toEqual([2, 2]);
});

test("gatheredWrites is at home with answers of node:http, one after the other on one connection", async () => {
  const answer = async (response: ServerResponse): Promise<void> => {
    const write = gatheredWrites(response);
    write(Buffer.from("one "));
    write(Buffer.from("two "));
    await turn();
    write(Buffer.from("three"));
    response.end();
  };
  const server = createServer((_, response) => void answer(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < 3; index++) {
    const [incoming] = await once(request({ port, host: "127.0.0.1" }).end(), "response");
    expect(await text(incoming)).toBe("one two three");
  }
  server.close();
});
