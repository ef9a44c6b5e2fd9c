import type { Readable } from "node:stream";

/** The lines of a stream, read only as they are asked for, so that none is lost before anybody listens. */
export async function* linesOf(stream: Readable): AsyncGenerator<string, void, undefined> {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream as AsyncIterable<string>) {
    const parts = `${rest}${chunk}`.split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}
