import { BowlineError, withDeadline, type Clock } from "@bowline/core";

export interface FetchJsonOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Sent by POST; missing for a GET. */
  readonly form?: URLSearchParams;
  /** A header of its own for each call, such as the client's. */
  readonly headers?: Readonly<Record<string, string>>;
}

const limitMs = 5_000;
const maxBytes = 1_048_576;

/** Fetches a JSON document of an issuer, within limits of time and size and without following anybody elsewhere. */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  const { clock, signal, form } = options;
  const load = async (forFetch: AbortSignal): Promise<unknown> => {
    const headers = { accept: "application/json", ...options.headers };
    const body = form === undefined ? {} : { method: "POST", body: form };
    const response = await options.fetch(url, { ...body, headers, redirect: "error", signal: forFetch });
    if (!response.ok) {
      await response.body?.cancel();
      throw new BowlineError("ResponseInvalid", `${url} answers with status ${response.status}.`, {
        details: { status: response.status },
      });
    }
    return JSON.parse(await readText(response, url));
  };
  const onTimeout = (): Error => new BowlineError("Timeout", `${url} did not answer within ${limitMs} ms.`);
  return withDeadline(load, { clock, limitMs, signal, onTimeout });
}

async function readText(response: Response, url: string): Promise<string> {
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
