/** The bodies of the frames that have more in them than a number: fields as in `tunnel.proto`. */
import { BowlineError } from "@bowline/core";

import { violation } from "../message-order.ts";
import { maxControlBytes, maxFrameHeaderBytes } from "./frame.ts";
import { checkAnswerHead, checkHeaders, checkRequestHead } from "./http-head.ts";
import type { AnswerHead, HeaderList, RequestHead } from "./http-head.ts";
import { FieldReader, varintBytes, writeVarint } from "./protobuf-fields.ts";
import { reasonOfWire, wireReason, type ResetReason } from "./tunnel-stream.ts";

export interface OpenBody {
  readonly head: RequestHead;
  /** No body follows. */
  readonly end: boolean;
}

export interface ResetBody {
  readonly reason: ResetReason;
  readonly message: string;
}

/** Enough for a person; what an error says may be of any length. */
const maxMessageLength = 1000;

interface Field {
  readonly tag: number;
  readonly value: string | number;
  /** Of a text: its length. */
  readonly bytes: number;
}

/** A body that knows its size, so that it can be written where it is sent from. */
export class BodyWriter {
  readonly #fields: Field[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** As everywhere in protobuf, what is zero or empty is left out. */
  number(field: number, value: number): this {
    if (value === 0) return this;
    this.#fields.push({ tag: field << 3, value, bytes: 0 });
    this.#bytes += 1 + varintBytes(value);
    return this;
  }

  text(field: number, value: string): this {
    if (value !== "") this.#append(field, value);
    return this;
  }

  /** In a list, an empty text counts. */
  texts(field: number, values: readonly string[]): this {
    for (const value of values) this.#append(field, value);
    return this;
  }

  write(target: Buffer, offset: number): void {
    let at = offset;
    for (const { tag, value, bytes } of this.#fields) {
      target[at++] = tag;
      if (typeof value === "number") {
        at = writeVarint(target, value, at);
      } else {
        at = writeVarint(target, bytes, at);
        // As many bytes as characters: plain ASCII, for which this is the shorter way.
        at += target.write(value, at, bytes === value.length ? "latin1" : "utf8");
      }
    }
  }

  #append(field: number, value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#fields.push({ tag: (field << 3) | 2, value, bytes });
    this.#bytes += 1 + varintBytes(bytes) + bytes;
  }
}

/** The body of WINDOW, PING and PONG is one varint and nothing else. */
export function decodeNumber(body: Buffer): number {
  let value = 0;
  for (const [index, byte] of body.entries()) {
    if (index < 5) value = (value | ((byte & 0x7f) << (7 * index))) >>> 0;
    const last = index === body.length - 1;
    if (byte < 0x80 && last) return value;
    if (byte < 0x80 || last) break;
  }
  throw violation("The number in a frame is malformed.");
}

/** Throws when the head is not HTTP, or too large for a frame. */
export function encodeOpen(head: RequestHead, end: boolean): BodyWriter {
  checkRequestHead(head);
  const body = new BodyWriter()
    .text(1, head.method)
    .text(2, head.path)
    .texts(3, head.headers)
    .number(4, end ? 1 : 0)
    .text(5, head.upgrade ?? "");
  return ofAllowedSize(body);
}

export function decodeOpen(body: Buffer): OpenBody {
  const reader = new FieldReader(body);
  let method = "";
  let path = "";
  const headers: string[] = [];
  let end = false;
  let upgrade: string | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) method = reader.text();
    else if (field === 2) path = reader.text();
    else if (field === 3) headers.push(reader.text());
    else if (field === 4) end = reader.number() !== 0;
    else if (field === 5) upgrade = reader.text() || undefined;
    else reader.skip();
  }
  const head: RequestHead = { method, path, headers, upgrade };
  checkRequestHead(head);
  return { head, end };
}

/** Throws when the head is not HTTP, or too large for a frame. */
export function encodeHeaders(head: AnswerHead): BodyWriter {
  checkAnswerHead(head);
  return ofAllowedSize(new BodyWriter().number(1, head.status).texts(2, head.headers));
}

export function decodeHeaders(body: Buffer): AnswerHead {
  const reader = new FieldReader(body);
  let status = 0;
  const headers: string[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) status = reader.number();
    else if (field === 2) headers.push(reader.text());
    else reader.skip();
  }
  const head: AnswerHead = { status, headers };
  checkAnswerHead(head);
  return head;
}

/** Throws when the trailers are not HTTP, or too large for a frame. */
export function encodeEnd(trailers: HeaderList): BodyWriter {
  checkHeaders(trailers);
  return ofAllowedSize(new BodyWriter().texts(1, trailers));
}

const noTrailers: HeaderList = [];

export function decodeEnd(body: Buffer): HeaderList {
  if (body.length === 0) return noTrailers;
  const reader = new FieldReader(body);
  const trailers: string[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) trailers.push(reader.text());
    else reader.skip();
  }
  checkHeaders(trailers);
  return trailers;
}

export function encodeReset(reason: ResetReason, message: string): BodyWriter {
  return new BodyWriter().number(1, wireReason(reason)).text(2, message.slice(0, maxMessageLength));
}

export function decodeReset(body: Buffer): ResetBody {
  const reader = new FieldReader(body);
  let reason: ResetReason = "internal";
  let message = "";
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) reason = reasonOfWire(reader.number());
    else if (field === 2) message = reader.text();
    else reader.skip();
  }
  return { reason, message };
}

export function encodeDrain(reason: string): BodyWriter {
  return new BodyWriter().text(1, reason.slice(0, maxMessageLength));
}

export function decodeDrain(body: Buffer): string {
  const reader = new FieldReader(body);
  let reason = "";
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) reason = reader.text();
    else reader.skip();
  }
  return reason;
}

function ofAllowedSize(body: BodyWriter): BodyWriter {
  if (body.bytes + maxFrameHeaderBytes <= maxControlBytes) return body;
  throw new BowlineError("HeadersTooLarge", `A head of ${body.bytes} bytes is too large for the tunnel.`);
}
