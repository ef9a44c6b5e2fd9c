import type { Readable } from "node:stream";

import { BowlineError } from "@bowline/core";

/** The answer to a request, read to its end. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reads a body, and stops the server as soon as it sends more than fits. */
export async function readBody(body: Readable, maxBytes: number, subject: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream, which cancels the request.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The server sent more than ${maxBytes} bytes as ${subject}; ask for fewer objects at a time.`,
        { details: { maxBytes } },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The value of a JSON answer; `NotBowline` when it is something else, such as the login page of a proxy. */
export function jsonOf(answer: Answer, server: string): unknown {
  const type = answer.headers["content-type"] ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new BowlineError(
      "NotBowline",
      `${server} answered ${answer.status} with ${type === "" ? "no content type" : type.slice(0, 64)} instead of JSON; check the address, and whether a proxy or a login page answers in its place.`,
    );
  }
  try {
    return JSON.parse(answer.body.toString("utf8"));
  } catch (cause) {
    throw new BowlineError(
      "ResponseInvalid",
      `${server} sent an answer that is not valid JSON; if it lasts, look at proxies on the way.`,
      { cause, details: { httpStatus: answer.status } },
    );
  }
}

export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
