import { Readable, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BowlineError } from "@bowline/core";
import type { KubeResponse } from "../transport.ts";

/** The same answer with its body decompressed, piece by piece: nothing is held, so a zip bomb meets the reader's limit. */
export function gunzipped(response: KubeResponse): KubeResponse {
  const { "content-encoding": _encoding, "content-length": _length, ...headers } = response.headers;
  const plain = pipeline(response.body, createGunzip(), () => undefined);
  const body = Readable.from(chunks(plain, response.body), { objectMode: false });
  // A reader that leaves before its first chunk never starts the generator.
  body.once("close", () => plain.destroy());
  return { ...response, headers, body };
}

async function* chunks(plain: Readable, compressed: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    if (compressed.errored instanceof BowlineError) throw compressed.errored;
    throw new BowlineError(
      "ResponseInvalid",
      "The API server sent a compressed answer that cannot be read.",
      {
        cause: error,
      },
    );
  }
}
