import { BowlineError, isRecord } from "@bowline/core";
import {
  backslash,
  ByteAccumulator,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space,
} from "./json-bytes.ts";

/** The fields of a list beside its items. */
export interface ListEnvelope {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly resourceVersion: string;
  /** Where the next page starts; absent on the last one. */
  readonly continueToken: string | undefined;
  readonly remainingItemCount: number | undefined;
}

interface ListStreamOptions {
  /** The objects that are listed, for errors: `pods`. */
  readonly subject: string;
  readonly maxItemBytes: number;
  /** The text of one item, valid only during the call. */
  readonly onItem: (item: Buffer) => void;
}

/** All that is not an item: a few hundred bytes, unless this is no list at all. */
const maxEnvelopeBytes = 1024 * 1024;

/**
 * Takes a List apart while it arrives: each element of `items` is handed on and forgotten, the rest is collected as an
 * envelope with an empty list and parsed at the end. Keys may come in any order, with any white space, and a chunk may
 * end at any byte. Memory is that of the largest item, whatever the length of the list.
 */
export class ListStream {
  readonly #options: ListStreamOptions;
  readonly #envelope = new ByteAccumulator();
  readonly #partialItem = new ByteAccumulator();

  #depth = 0;
  #inString = false;
  #escaped = false;
  /** At depth 1: whether the next string is the name of a field, where it starts, and the last name seen. */
  #atName = false;
  #nameStart = 0;
  #name = "";
  #inItems = false;
  #inItem = false;
  #itemDepth = 0;

  constructor(options: ListStreamOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#inItem ? this.#scanItem(chunk, at) : this.#scanEnvelope(chunk, at);
    }
  }

  /** To be called when the body has ended. */
  end(): ListEnvelope {
    if (this.#inItem || this.#depth > 0 || this.#envelope.length === 0) {
      throw new BowlineError(
        "ConnectionFailed",
        `The list of ${this.#options.subject} was cut off before its end.`,
      );
    }
    return parseEnvelope(this.#envelope.bytes().toString("utf8"), this.#options.subject);
  }

  /** Scans to the end of the item or the chunk, and returns the position after what it has used. */
  #scanItem(chunk: Buffer, from: number): number {
    let depth = this.#itemDepth;
    let at = this.#inString ? this.#skipString(chunk, from) : from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === quote) {
        at = this.#skipString(chunk, at + 1) - 1;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        // A bracket at depth 0 belongs to the list: it ends an item that is no object.
        if (depth === 0) return this.#endItem(chunk, from, at);
        if (--depth === 0) return this.#endItem(chunk, from, at + 1);
      } else if (byte === comma && depth === 0) {
        return this.#endItem(chunk, from, at);
      }
    }
    this.#itemDepth = depth;
    this.#checkItem(this.#partialItem.length + chunk.length - from);
    this.#partialItem.append(chunk, from, chunk.length);
    return chunk.length;
  }

  #endItem(chunk: Buffer, from: number, to: number): number {
    this.#inItem = false;
    this.#itemDepth = 0;
    this.#checkItem(this.#partialItem.length + to - from);
    if (this.#partialItem.length === 0) {
      this.#options.onItem(chunk.subarray(from, to));
    } else {
      this.#partialItem.append(chunk, from, to);
      this.#options.onItem(this.#partialItem.bytes());
      this.#partialItem.clear();
    }
    return to;
  }

  #scanEnvelope(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inItems && byte !== closeBracket) {
        if (byte <= space || byte === comma) continue;
        this.#inItem = true;
        return at;
      }
      this.#envelope.appendByte(byte);
      if (this.#inString) this.#inEnvelopeString(byte);
      else this.#inEnvelopeStructure(byte);
    }
    this.#checkEnvelope();
    return chunk.length;
  }

  #inEnvelopeString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) {
      this.#inString = false;
      if (this.#atName) this.#name = this.#envelope.bytes(this.#nameStart).toString("utf8");
    }
  }

  #inEnvelopeStructure(byte: number): void {
    if (byte === quote) {
      this.#inString = true;
      this.#nameStart = this.#envelope.length - 1;
    } else if (byte === openBrace || byte === openBracket) {
      this.#inItems = byte === openBracket && this.#depth === 1 && this.#name === '"items"';
      this.#depth++;
      this.#atName = byte === openBrace && this.#depth === 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#inItems = false;
      this.#depth--;
    } else if (this.#depth === 1) {
      if (byte === colon) this.#atName = false;
      else if (byte === comma) this.#atName = true;
    }
  }

  /** The position after the closing quote, or the end of the chunk. */
  #skipString(chunk: Buffer, from: number): number {
    const end = chunk.length;
    let at = from;
    if (this.#escaped && at < end) {
      this.#escaped = false;
      at++;
    }
    for (; at < end; at++) {
      const byte = chunk[at];
      if (byte === quote) {
        this.#inString = false;
        return at + 1;
      }
      if (byte === backslash) {
        this.#escaped = at + 1 === end;
        at++;
      }
    }
    this.#inString = true;
    return end;
  }

  #checkItem(bytes: number): void {
    const { maxItemBytes, subject } = this.#options;
    if (bytes <= maxItemBytes) return;
    throw new BowlineError(
      "ResponseTooLarge",
      `The list of ${subject} holds an object of more than ${maxItemBytes} bytes; raise maxItemBytes, or ask for metadata only.`,
      { details: { subject, maxItemBytes } },
    );
  }

  #checkEnvelope(): void {
    const { subject } = this.#options;
    if (this.#envelope.length > maxEnvelopeBytes) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The answer to the list of ${subject} is not a list of objects.`,
      );
    }
  }
}

function parseEnvelope(text: string, subject: string): ListEnvelope {
  const { apiVersion, kind, metadata } = parseObject(text, subject);
  const { resourceVersion, continue: continueToken, remainingItemCount } = isRecord(metadata) ? metadata : {};
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : undefined,
    kind: typeof kind === "string" ? kind : undefined,
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    continueToken: typeof continueToken === "string" && continueToken !== "" ? continueToken : undefined,
    remainingItemCount: typeof remainingItemCount === "number" ? remainingItemCount : undefined,
  };
}

function parseObject(text: string, subject: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new BowlineError("ResponseInvalid", `The list of ${subject} is not valid JSON.`, { cause });
  }
  throw new BowlineError("ResponseInvalid", `The answer to the list of ${subject} is not a list.`);
}
