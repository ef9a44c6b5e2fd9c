import { readFailure, type Failure } from "./failure.ts";

/** A request that did not do what was asked. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** An error as a refusal, so that it can be shown; undefined for none. Without an answer the server was not reached. */
export function failureIn(error: unknown): Failure | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof RequestFailed) return error.failure;
  const message = error instanceof Error ? error.message : "Something in the page went wrong.";
  return {
    status: 0,
    code: "ConnectionFailed",
    message,
    requestId: undefined,
    isPassing: true,
    isOfCluster: false,
  };
}

export interface PageRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asks the server. The session's cookie goes along only because this header says that the page itself asks. */
export async function request<Answer>(path: string, options: PageRequest = {}): Promise<Answer> {
  const { method = "GET", body, headers = {}, signal } = options;
  const response = await fetch(path, {
    method,
    headers: {
      "x-bowline-console": "1",
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "same-origin",
    redirect: "error",
  });
  const text = await response.text();
  if (!response.ok) {
    throw new RequestFailed(readFailure(response.status, text, Object.fromEntries(response.headers)));
  }
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}
