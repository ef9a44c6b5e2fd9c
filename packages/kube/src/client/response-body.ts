import { BowlineError } from "@bowline/core";
import type { KubeResponse } from "../transport.ts";

/** Reads a whole body, and stops the server as soon as it sends more than the caller is ready to hold. */
export async function readBody(response: KubeResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream, which cancels the request.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The API server sent more than ${maxBytes} bytes in one answer; ask for smaller pages or raise maxBodyBytes.`,
        { details: { maxBytes } },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Parses what should be JSON; `undefined` when it is not, because then the caller knows better what to say. */
export function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return { value };
  } catch {
    // Not JSON: what that means depends on who answered.
    return undefined;
  }
}
