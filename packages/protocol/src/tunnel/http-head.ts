import { violation } from "../message-order.ts";

/** Names and values in turn, as in `rawHeaders` of node:http: order, case and repetitions stay as they were. */
export type HeaderList = readonly string[];

export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: HeaderList;
  /** The protocol to upgrade to. When the answer is 101, bodies are that protocol's bytes, both ways. */
  readonly upgrade?: string | undefined;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/**
 * Text of a peer becomes part of an HTTP message further on. A line break in a name or value would let it write
 * headers, or whole messages, of its own.
 */
const token = /^[\w!#$%&'*+\-.^`|~]+$/;
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const requestTarget = /^\/[\u0021-\u007e\u0080-\u00ff]*$/;

export function checkHeaders(headers: HeaderList): void {
  if (headers.length % 2 !== 0) throw violation("A head has a header without a value.");
  for (let index = 0; index < headers.length; index += 2) {
    if (!token.test(headers[index] ?? "")) throw violation("A head has a header with a malformed name.");
    if (!fieldValue.test(headers[index + 1] ?? "")) {
      throw violation(`The header ${headers[index]} has characters that HTTP does not allow.`);
    }
  }
}

export function checkRequestHead({ method, path, headers, upgrade }: RequestHead): void {
  if (!token.test(method)) throw violation("A request has a malformed method.");
  if (!requestTarget.test(path)) throw violation("A request has a malformed path.");
  if (upgrade !== undefined && !fieldValue.test(upgrade)) {
    throw violation("A request asks for a malformed protocol.");
  }
  checkHeaders(headers);
}

export function checkAnswerHead({ status, headers }: AnswerHead): void {
  if (status < 100 || status > 999) throw violation(`An answer has the impossible status ${status}.`);
  checkHeaders(headers);
}
