import { BowlineError, type Clock, type Random } from "@bowline/core";

import type { DnsConnection } from "../connection/dns-connection.ts";
import { classNumbers, opcodes, rcodeName, typeNumbers } from "../message/codes.ts";
import {
  decodeAnswer,
  encodeRequest,
  type Answer,
  type AnswerRecord,
  type MessageRecord,
  type Question,
  type Request,
} from "../message/message.ts";
import { isSignedBy, readTsig, sign, type SignedRequest, type TsigKey } from "../message/tsig.ts";
import { clocksDiffer, rcodeError, signatureError, untrustedAnswer, type Asked } from "./answer-error.ts";

export interface ZoneServerOptions {
  readonly connection: DnsConnection;
  /** As it was written, for messages. */
  readonly server: string;
  readonly zone: string;
  readonly key: TsigKey | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Update {
  readonly prerequisites: readonly MessageRecord[];
  readonly changes: readonly MessageRecord[];
}

/** Decided by the server on what is in the zone; they are believed only with its signature. */
const decisions = new Set(["NOERROR", "NXDOMAIN", "YXDOMAIN", "NXRRSET", "YXRRSET"]);
const unmet = new Set(["NXDOMAIN", "YXDOMAIN", "NXRRSET", "YXRRSET"]);

/** The server of one zone: questions and updates, signed, and answers that are believed. */
export class ZoneServer {
  readonly #options: ZoneServerOptions;

  constructor(options: ZoneServerOptions) {
    this.#options = options;
  }

  get zone(): string {
    return this.#options.zone;
  }

  /** The records of this type at the name; a CNAME that stands there instead is among them. */
  async query(name: string, type: number, signal: AbortSignal): Promise<AnswerRecord[]> {
    const question = { name, type, class: classNumbers.IN };
    const answer = await this.#ask({ opcode: opcodes.query, question }, signal);
    const asked = this.#asked(false);
    const rcode = rcodeName(answer.rcode);
    if (rcode !== "NOERROR" && rcode !== "NXDOMAIN") throw rcodeError(answer.rcode, asked);
    if (!answer.isAuthoritative) throw this.notItsServer(name);
    return answer.answers.filter(
      (record) =>
        record.name === name &&
        record.class === classNumbers.IN &&
        (record.type === question.type || record.type === typeNumbers.CNAME),
    );
  }

  /** All of the changes, if all of the prerequisites hold; else none, and false. */
  async update({ prerequisites, changes }: Update, signal: AbortSignal): Promise<boolean> {
    const question = { name: this.zone, type: typeNumbers.SOA, class: classNumbers.IN };
    const answer = await this.#ask({ opcode: opcodes.update, question, prerequisites, changes }, signal);
    const rcode = rcodeName(answer.rcode);
    if (rcode === "NOERROR") return true;
    if (unmet.has(rcode) && prerequisites.length > 0) return false;
    throw rcodeError(answer.rcode, this.#asked(true));
  }

  async #ask(parts: Omit<Request, "id">, signal: AbortSignal): Promise<Answer> {
    const { connection, clock, key, random } = this.#options;
    const request: Request = { ...parts, id: Math.floor(random() * 65_536) };
    const message = encodeRequest(request);
    const none: SignedRequest = { bytes: message, mac: Buffer.alloc(0) };
    const signed = key === undefined ? none : sign(message, key, clock.now());
    const asked = this.#asked(parts.opcode === opcodes.update);
    try {
      const bytes = await connection.exchange(signed.bytes, signal);
      const answer = decodeAnswer(bytes);
      checkMatches(answer, request, asked);
      checkSignature({ answer, bytes, requestMac: signed.mac }, asked);
      if (answer.isTruncated) throw untrustedAnswer("It is cut off, although it came over TCP.", asked);
      return answer;
    } catch (error) {
      if (!(error instanceof BowlineError) || error.code !== "ResponseInvalid") throw error;
      // Of a server that is not one, nothing more is wanted.
      await connection.end();
      throw error.details === undefined ? untrustedAnswer(error.message, asked) : error;
    }
  }

  #asked(isUpdate: boolean): Asked {
    const { server, zone, key, clock } = this.#options;
    return { server, zone, key, isUpdate, nowMs: clock.now() };
  }

  notItsServer(name: string): BowlineError {
    const { server, zone } = this.#options;
    const message = `The DNS server ${server} does not have ${name} in a zone of its own: it is not the server of ${zone}, or the name is delegated to another zone; name the primary server of the zone that has it.`;
    return new BowlineError("NotFound", message, { details: { server, zone } });
  }
}

function checkMatches(answer: Answer, { id, opcode, question }: Request, asked: Asked): void {
  if (!answer.isAnswer) throw untrustedAnswer("It is a request.", asked);
  if (answer.id !== id || answer.opcode !== opcode) {
    throw untrustedAnswer("It is one to another request.", asked);
  }
  const [echo, ...more] = answer.questions;
  // Servers may leave it out of answers to updates, and of refusals.
  const isBare = echo === undefined && (asked.isUpdate || answer.rcode !== 0);
  if (isBare || (more.length === 0 && isSameQuestion(echo, question))) return;
  throw untrustedAnswer("It is one to another question.", asked);
}

function isSameQuestion(one: Question | undefined, other: Question): boolean {
  return one?.name === other.name && one.type === other.type && one.class === other.class;
}

function checkSignature(
  {
    answer,
    bytes,
    requestMac,
  }: { readonly answer: Answer; readonly bytes: Buffer; readonly requestMac: Buffer },
  asked: Asked,
): void {
  const { key, nowMs } = asked;
  const { tsig: record, rcode } = answer;
  if (key === undefined) return;
  if (record === undefined) {
    // Whoever does not know signatures can say that, and nothing about the zone.
    if (!decisions.has(rcodeName(rcode))) return;
    throw untrustedAnswer(`It is not signed with the key ${key.name}.`, asked);
  }
  const tsig = readTsig(record);
  const error = rcodeName(tsig.error);
  if (error === "BADKEY" || error === "BADSIG") throw signatureError(tsig, asked);
  if (!isSignedBy(key, { answer: bytes, record, requestMac })) {
    throw untrustedAnswer(`Its signature is not made with the key ${key.name}.`, asked);
  }
  if (tsig.error !== 0) throw signatureError(tsig, asked);
  const aheadSeconds = tsig.signedAtSeconds - Math.floor(nowMs / 1_000);
  if (Math.abs(aheadSeconds) > tsig.fudgeSeconds)
    throw untrustedAnswer(`By its signature, ${clocksDiffer(aheadSeconds)}.`, asked);
}
