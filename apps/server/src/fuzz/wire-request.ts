import { once } from "node:events";
import {
  request as httpRequest,
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";

export type Header = readonly [name: string, value: string];

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Of the address, with everything escaped that has to be. */
  readonly path: string;
  /** Escaped as well; the same name may be there twice. */
  readonly query: readonly Header[];
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Without its parameters; empty for none. */
  readonly mediaType: string;
  /** All of it, or of a stream as much as it has to say for a start. */
  readonly text: string;
}

export interface Connection {
  readonly port: number;
  readonly agent: Agent;
}

const answerLimitMs = 20_000;

export async function exchange({ port, agent }: Connection, request: WireRequest): Promise<WireAnswer> {
  const { method, body } = request;
  const headers = [["Host", "bowline.test"], ...request.headers, ...lengthOf(body)].flat();
  const sent = httpRequest({ host: "127.0.0.1", port, agent, method, path: targetOf(request), headers });
  sent.setTimeout(answerLimitMs, () => sent.destroy(new Error("There was no answer.")));
  // An answer may come before all is sent; the rest then has nowhere to go.
  sent.on("error", () => {});
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const [mediaType = ""] = (answer.headers["content-type"] ?? "").split(";", 1);
  const isStream = mediaType === "text/event-stream" && method !== "HEAD";
  const text = isStream ? await openingOf(answer) : await textOf(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, mediaType, text };
}

function targetOf({ path, query }: Pick<WireRequest, "path" | "query">): string {
  const parameters = query.map(([name, value]) => `${name}=${value}`).join("&");
  return parameters === "" ? path : `${path}?${parameters}`;
}

/** The value of the last header of a name. */
export function headerOf({ headers }: Pick<WireRequest, "headers">, name: string): string | undefined {
  return headers.findLast(([candidate]) => candidate.toLowerCase() === name)?.[1];
}

function lengthOf(body: Buffer | undefined): Header[] {
  return body === undefined ? [] : [["Content-Length", String(body.length)]];
}

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding("utf8");
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return text;
}

/** A stream goes on for ever; its first bookmark says that all there was has been sent. */
async function openingOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding("utf8");
  let text = "";
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.includes('"type":"BOOKMARK"') && text.endsWith("\n\n")) break;
  }
  answer.destroy();
  return text;
}
