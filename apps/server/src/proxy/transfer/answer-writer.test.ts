import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

import type { HeaderList } from "@bowline/protocol";
import { expect, test } from "vitest";

import { AnswerWriter } from "./answer-writer.ts";

/** Takes everything at once, and remembers what was written together. */
class RecordingSocket extends Socket {
  readonly writes: string[] = [];

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.writes.push(String(chunk));
    done();
  }

  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer | string }>, done: () => void): void {
    this.writes.push(chunks.map(({ chunk }) => String(chunk)).join(""));
    done();
  }
}

function answerTo(method: string): {
  readonly writer: AnswerWriter;
  readonly writes: readonly string[];
  readonly begin: (status: number, headers: HeaderList) => void;
} {
  const socket = new RecordingSocket();
  const request = new IncomingMessage(socket);
  Object.assign(request, { method, httpVersionMajor: 1, httpVersionMinor: 1 });
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  const writer = new AnswerWriter(response);
  const begin = (status: number, headers: HeaderList): void =>
    writer.begin(status, headers, { requestId: "request-1", prefix: "/clusters/web" });
  return { writer, writes: socket.writes, begin };
}

const bodyOf = (written: string): string => written.slice(written.indexOf("\r\n\r\n") + 4);

test("what comes in one turn leaves together, in order, however it was cut", async () => {
  const { writer, writes, begin } = answerTo("GET");
  begin(200, ["Content-Type", "text/plain"]);
  // As when the head came at the end of a record of TLS, and the rest in the next.
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
  writer.write(Buffer.from("one"));
  writer.write(Buffer.from("two"));
  writer.write(Buffer.from("three"));
  writer.end([]);
  expect(writes).toHaveLength(1);
  expect(bodyOf(writes.join(""))).toBe("3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n");
  await turn();
  expect(writes).toHaveLength(1);
});

test("a head does not wait for its body, nor a body for its end", async () => {
  const { writer, writes, begin } = answerTo("GET");
  begin(200, ["Content-Length", "6"]);
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toHaveLength(1);
  writer.write(Buffer.from("abc"));
  await turn();
  expect(writes.slice(1)).toEqual(["abc"]);
  writer.write(Buffer.from("def"));
  writer.end([]);
  expect(writes.slice(1).join("")).toBe("abcdef");
});

test("an answer without a body is its head alone, whatever length it tells", async () => {
  const { writer, writes, begin } = answerTo("HEAD");
  begin(200, ["Content-Length", "6"]);
  writer.end([]);
  await turn();
  expect(writes).toHaveLength(1);
  expect(writes[0]).toContain("Content-Length: 6\r\n");
  expect(bodyOf(writes.join(""))).toBe("");
});

test("holds a body to the length that was told", () => {
  const { writer, begin } = answerTo("GET");
  begin(200, ["Content-Length", "3"]);
  writer.write(Buffer.from("ab"));
  expect(() => writer.end([])).toThrow("shorter");
  expect(() => writer.write(Buffer.from("cd"))).toThrow("longer");
});
