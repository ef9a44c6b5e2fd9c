import { BowlineError } from "@bowline/core";
import type { CompiledMask } from "./field-mask.ts";
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space,
} from "./json-bytes.ts";

const initialBytes = 16 * 1024;
/** One giant must not be held for ever. */
const keptBytes = 256 * 1024;

/**
 * Copies one JSON value without the fields a mask drops, so that JSON.parse never sees, and the heap never holds, what
 * nobody asked for. It looks only at structure and trusts the rest: what it keeps, JSON.parse checks afterwards.
 *
 * Plain loops, because the strings of Kubernetes objects are short: indexOf for each closing quote took twice as long.
 */
export class MaskedCopy {
  #input: Buffer = Buffer.alloc(0);
  #end = 0;
  #output: Buffer = Buffer.allocUnsafeSlow(initialBytes);
  #length = 0;

  /** The bytes returned are overwritten by the next call. */
  copy(input: Buffer, mask: CompiledMask): Buffer {
    const isGiant = this.#output.length > keptBytes && input.length <= keptBytes;
    if (isGiant || this.#output.length < input.length) {
      this.#output = Buffer.allocUnsafeSlow(Math.max(initialBytes, input.length));
    }
    this.#input = input;
    this.#end = input.length;
    this.#length = 0;
    this.#copyMasked(this.#skipSpace(0), mask);
    return this.#output.subarray(0, this.#length);
  }

  /** Copies the value that starts at `from`, and returns where it ends. */
  #copyMasked(from: number, mask: CompiledMask): number {
    const first = this.#input[from];
    if (first === openBrace) return this.#copyObject(from, mask);
    if (first === openBracket) return this.#copyList(from, mask);
    return this.#copyWhole(from, this.#skipValue(from));
  }

  #copyObject(from: number, mask: CompiledMask): number {
    this.#write(openBrace);
    const emptyLength = this.#length;
    let at = this.#skipSpace(from + 1);
    while (this.#input[at] === quote) {
      const nameEnd = this.#skipString(at);
      const valueAt = this.#skipSpace(this.#expect(this.#skipSpace(nameEnd), colon));
      const keep = this.#fieldAt(at + 1, nameEnd - 1, mask);
      if (keep === false) {
        at = this.#skipValue(valueAt);
      } else {
        if (this.#length > emptyLength) this.#write(comma);
        this.#copyWhole(at, valueAt);
        at =
          keep === true
            ? this.#copyWhole(valueAt, this.#skipValue(valueAt))
            : this.#copyMasked(valueAt, keep);
      }
      at = this.#skipSpace(at);
      if (this.#input[at] === comma) at = this.#skipSpace(at + 1);
    }
    this.#write(closeBrace);
    return this.#expect(at, closeBrace);
  }

  #copyList(from: number, mask: CompiledMask): number {
    this.#write(openBracket);
    let at = this.#skipSpace(from + 1);
    while (at < this.#end && this.#input[at] !== closeBracket) {
      at = this.#skipSpace(this.#copyMasked(at, mask));
      if (this.#input[at] !== comma) break;
      this.#write(comma);
      at = this.#skipSpace(at + 1);
    }
    this.#write(closeBracket);
    return this.#expect(at, closeBracket);
  }

  #fieldAt(from: number, to: number, mask: CompiledMask): boolean | CompiledMask {
    const candidates = mask.fieldsByLength[to - from];
    if (candidates !== undefined) {
      for (const { name, keep } of candidates) {
        let offset = 0;
        while (offset < name.length && name.charCodeAt(offset) === this.#input[from + offset]) offset++;
        if (offset === name.length) return keep;
      }
    }
    return mask.keepRest;
  }

  #skipSpace(from: number): number {
    let at = from;
    // Every control character counts as space here; JSON.parse refuses the wrong ones where they are kept.
    while (at < this.#end && (this.#input[at] ?? 0) <= space) at++;
    return at;
  }

  #skipString(from: number): number {
    const input = this.#input;
    const end = this.#end;
    for (let at = from + 1; at < end; at++) {
      const byte = input[at];
      if (byte === quote) return at + 1;
      if (byte === backslash) at++;
    }
    throw unfinished();
  }

  #skipValue(from: number): number {
    const input = this.#input;
    const end = this.#end;
    let depth = 0;
    let at = from;
    while (at < end) {
      const byte = input[at];
      if (byte === quote) {
        at = this.#skipString(at);
        if (depth === 0) return at;
        continue;
      }
      if (byte === openBrace || byte === openBracket) depth++;
      else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
      } else if (byte === comma && depth === 0) return at;
      at++;
    }
    if (depth > 0) throw unfinished();
    return at;
  }

  #expect(at: number, byte: number): number {
    if (this.#input[at] !== byte) throw unfinished();
    return at + 1;
  }

  #copyWhole(from: number, to: number): number {
    this.#input.copy(this.#output, this.#length, from, to);
    this.#length += to - from;
    return to;
  }

  #write(byte: number): void {
    this.#output[this.#length++] = byte;
  }
}

function unfinished(): BowlineError {
  return new BowlineError("ResponseInvalid", "The API server sent an object that is not valid JSON.");
}
