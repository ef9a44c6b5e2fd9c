import { BowlineError, withDeadline, type Clock } from "@bowline/core";

export interface FetchJsonOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly maxBytes: number;
}

/** Fetches a JSON document, within limits of time and size and without following anybody elsewhere. */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  const { clock, limitMs, signal, maxBytes } = options;
  const load = async (forFetch: AbortSignal): Promise<unknown> => {
    const headers = { accept: "application/json" };
    const response = await options.fetch(url, { headers, redirect: "error", signal: forFetch });
    if (!response.ok) {
      await response.body?.cancel();
      throw new BowlineError("ResponseInvalid", `${url} answers with status ${response.status}.`);
    }
    return JSON.parse(await readText(response, url, maxBytes));
  };
  const onTimeout = (): Error => new BowlineError("Timeout", `${url} did not answer within ${limitMs} ms.`);
  return withDeadline(load, { clock, limitMs, signal, onTimeout });
}

async function readText(response: Response, url: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxBytes)
      throw new BowlineError("ResponseTooLarge", `${url} answers with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
