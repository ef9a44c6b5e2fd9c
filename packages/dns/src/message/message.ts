import { ByteReader, malformed } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { typeNumbers } from "./codes.ts";

export interface Question {
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

/** A record as it is written; of one that asks or deletes, `data` is empty and `ttlSeconds` 0. */
export interface MessageRecord extends Question {
  readonly ttlSeconds: number;
  readonly data: Buffer;
}

/** A message as it is sent. In an update the sections are zone, prerequisites and changes (RFC 2136). */
export interface Request {
  readonly id: number;
  readonly opcode: number;
  readonly question: Question;
  readonly prerequisites?: readonly MessageRecord[];
  readonly changes?: readonly MessageRecord[];
}

export interface Answer {
  readonly id: number;
  readonly isAnswer: boolean;
  readonly opcode: number;
  /** Of the server that has the zone, not of one that remembers what another has said. */
  readonly isAuthoritative: boolean;
  readonly isTruncated: boolean;
  readonly rcode: number;
  readonly questions: readonly Question[];
  readonly answers: readonly AnswerRecord[];
  /** The signature, which can be the last record only. */
  readonly tsig?: AnswerRecord;
}

export interface AnswerRecord extends MessageRecord {
  /** Where it begins in the message. */
  readonly offset: number;
  /** The name that the data is, where it is one. */
  readonly target?: string;
}

export function encodeRequest({ id, opcode, question, prerequisites = [], changes = [] }: Request): Buffer {
  const writer = new ByteWriter().uint16(id, opcode << 11, 1, prerequisites.length, changes.length, 0);
  writer.name(question.name).uint16(question.type, question.class);
  for (const { name, type, class: kind, ttlSeconds, data } of [...prerequisites, ...changes]) {
    writer.name(name).uint16(type, kind).uint32(ttlSeconds).uint16(data.length).bytes(data);
  }
  return writer.finish();
}

/** `ResponseInvalid` for whatever is not a message from its first byte to its last. */
export function decodeAnswer(bytes: Buffer): Answer {
  const reader = new ByteReader(bytes);
  const [id, flags] = [reader.uint16(), reader.uint16()];
  const counts = [reader.uint16(), reader.uint16(), reader.uint16(), reader.uint16()];
  const [questionCount = 0, ...recordCounts] = counts;
  const questions = Array.from({ length: questionCount }, () => readQuestion(reader));
  const [answers = [], , additional = []] = recordCounts.map((count) =>
    Array.from({ length: count }, () => readRecord(reader)),
  );
  if (!reader.isAtEnd) throw malformed("there are bytes after its end");
  const last = additional.at(-1);
  return {
    id,
    isAnswer: (flags & 0x80_00) !== 0,
    opcode: (flags >> 11) & 0xf,
    isAuthoritative: (flags & 0x04_00) !== 0,
    isTruncated: (flags & 0x02_00) !== 0,
    rcode: flags & 0xf,
    questions,
    answers,
    ...(last?.type === typeNumbers.TSIG ? { tsig: last } : {}),
  };
}

function readQuestion(reader: ByteReader): Question {
  return { name: reader.name(), type: reader.uint16(), class: reader.uint16() };
}

function readRecord(reader: ByteReader): AnswerRecord {
  const { offset } = reader;
  const head = { ...readQuestion(reader), ttlSeconds: reader.uint32() };
  const length = reader.uint16();
  const part = reader.part(length);
  const target = head.type === typeNumbers.CNAME ? { target: part.name() } : {};
  if (head.type === typeNumbers.CNAME && !part.isAtEnd) throw malformed("a name is shorter than its place");
  return { ...head, ...target, offset, data: part.all };
}
