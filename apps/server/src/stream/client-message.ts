import { createValidator, StreamCredit, StreamEnd, StreamGet, type Validated } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";

/** A message of a client; `problem` says what is wrong with the address or the header of a subscription. */
export type ClientMessage =
  | StreamGet
  | StreamCredit
  | StreamEnd
  | { readonly id: number; readonly problem: BowlineError };

const readGet = createValidator(StreamGet);
const readCredit = createValidator(StreamCredit);
const readEnd = createValidator(StreamEnd);

/** `BadRequest` for what no client would send that knows the protocol: nothing after it can be relied upon. */
export function readClientMessage(data: string): ClientMessage {
  const value = parse(data);
  if (!isRecord(value)) throw nonsense("is no JSON object");
  if ("credit" in value) return requireValid(readCredit(value));
  if ("end" in value) return requireValid(readEnd(value));
  const get = readGet(value);
  if (get.ok) return get.value;
  const end = readEnd({ id: value["id"], end: true });
  if (!end.ok || !("get" in value) || get.problems.some(({ path }) => path !== "get" && path !== "accept")) {
    return requireValid(get);
  }
  return { id: end.value.id, problem: problemOf(get) };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function requireValid<Message>(read: Validated<Message>): Message {
  if (read.ok) return read.value;
  throw problemOf(read);
}

function problemOf(read: Validated<unknown>): BowlineError {
  const [problem] = read.ok ? [] : read.problems;
  return nonsense(`has a field that is wrong: ${problem?.path} ${problem?.message}`);
}

function nonsense(what: string): BowlineError {
  return new BowlineError("BadRequest", `The message ${what}.`);
}
