import { createHmac, timingSafeEqual } from "node:crypto";

import { BowlineError } from "@bowline/core";

import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { classNumbers, fudgeSeconds, longestMessage, typeNumbers } from "./codes.ts";
import type { AnswerRecord } from "./message.ts";

/** A secret that this side and the server share (RFC 8945). */
export interface TsigKey {
  readonly name: string;
  readonly algorithm: "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
  readonly secret: Buffer;
}

export interface SignedRequest {
  readonly bytes: Buffer;
  /** Answers are signed together with it, so that none of another request is taken. */
  readonly mac: Buffer;
}

/** What a signature says about itself. */
export interface TsigData {
  readonly algorithm: string;
  readonly signedAtSeconds: number;
  readonly fudgeSeconds: number;
  readonly mac: Buffer;
  readonly originalId: number;
  readonly error: number;
  /** Of BADTIME: the time of the server, in six bytes. */
  readonly other: Buffer;
}

const headBytes = 12;
const additionalCountAt = 10;

/** The message with a signature as its last record. */
export function sign(message: Buffer, key: TsigKey, nowMs: number): SignedRequest {
  const signedAtSeconds = Math.floor(nowMs / 1_000);
  const data = { algorithm: key.algorithm, signedAtSeconds, fudgeSeconds, error: 0, other: Buffer.alloc(0) };
  const mac = macOf(key, Buffer.concat([message, variables(key, data)]));
  const rdata = new ByteWriter()
    .name(key.algorithm)
    .uint48(signedAtSeconds)
    .uint16(fudgeSeconds, mac.length)
    .bytes(mac)
    .uint16(message.readUInt16BE(0), 0, 0)
    .finish();
  const record = new ByteWriter()
    .name(key.name)
    .uint16(typeNumbers.TSIG, classNumbers.ANY)
    .uint32(0)
    .uint16(rdata.length)
    .bytes(rdata)
    .finish();
  const bytes = Buffer.concat([message, record]);
  if (bytes.length > longestMessage) {
    throw new BowlineError("InvalidArgument", "The message has no room for its signature: too many records.");
  }
  bytes.writeUInt16BE(message.readUInt16BE(additionalCountAt) + 1, additionalCountAt);
  return { bytes, mac };
}

/** `ResponseInvalid` for data that no signature has. */
export function readTsig({ data }: AnswerRecord): TsigData {
  const reader = new ByteReader(data);
  const algorithm = reader.name();
  const [signedAtSeconds, fudge] = [reader.uint48(), reader.uint16()];
  const mac = reader.take(reader.uint16());
  const [originalId, error] = [reader.uint16(), reader.uint16()];
  const other = reader.take(reader.uint16());
  return { algorithm, signedAtSeconds, fudgeSeconds: fudge, mac, originalId, error, other };
}

/** Whether whoever made the answer has the key, and made it for this very request. */
export function isSignedBy(
  key: TsigKey,
  {
    answer,
    record,
    requestMac,
  }: { readonly answer: Buffer; readonly record: AnswerRecord; readonly requestMac: Buffer },
): boolean {
  const tsig = readTsig(record);
  if (record.name !== key.name || tsig.algorithm !== key.algorithm) return false;
  const signed = Buffer.from(answer.subarray(0, record.offset));
  if (signed.length < headBytes) return false;
  signed.writeUInt16BE(tsig.originalId, 0);
  signed.writeUInt16BE(signed.readUInt16BE(additionalCountAt) - 1, additionalCountAt);
  const length = Buffer.from([requestMac.length >> 8, requestMac.length & 0xff]);
  const mac = macOf(key, Buffer.concat([length, requestMac, signed, variables(key, tsig)]));
  // Shortened ones, which the RFC allows, are taken for wrong.
  return mac.length === tsig.mac.length && timingSafeEqual(mac, tsig.mac);
}

function variables(
  { name, algorithm }: TsigKey,
  { signedAtSeconds, fudgeSeconds: fudge, error, other }: Omit<TsigData, "mac" | "originalId">,
): Buffer {
  return new ByteWriter()
    .name(name)
    .uint16(classNumbers.ANY)
    .uint32(0)
    .name(algorithm)
    .uint48(signedAtSeconds)
    .uint16(fudge, error, other.length)
    .bytes(other)
    .finish();
}

function macOf({ algorithm, secret }: TsigKey, bytes: Buffer): Buffer {
  return createHmac(algorithm.replace("hmac-", ""), secret).update(bytes).digest();
}
