import { BowlineError, type ErrorCode } from "@bowline/core";

import { rcodeName } from "../message/codes.ts";
import { ByteReader } from "../message/byte-reader.ts";
import type { TsigData, TsigKey } from "../message/tsig.ts";

/** For messages: what was asked of whom. */
export interface Asked {
  readonly server: string;
  readonly zone: string;
  readonly key: TsigKey | undefined;
  readonly isUpdate: boolean;
  readonly nowMs: number;
}

/** The error that an answer means which is none of those a request is made for. */
export function rcodeError(rcode: number, asked: Asked): BowlineError {
  const name = rcodeName(rcode);
  const [code, says] = meaningOf(name, asked);
  return answerError(code, `The DNS server ${asked.server} ${says} (${name}).`, name, asked);
}

function meaningOf(name: string, { zone, key, isUpdate }: Asked): readonly [code: ErrorCode, says: string] {
  const who = key === undefined ? "requests without a key" : `the key ${key.name}`;
  switch (name) {
    case "REFUSED":
      return isUpdate
        ? ["Forbidden", `does not let ${who} change the zone ${zone}; allow that in its update policy`]
        : ["Forbidden", `does not let ${who} ask about the zone ${zone}; allow queries from this machine`];
    case "NOTAUTH":
      return [
        "NotFound",
        `does not have the zone ${zone}, or only a copy of it; name the primary server of the zone`,
      ];
    case "NOTZONE":
      return [
        "InvalidArgument",
        `says that a name is outside of the zone ${zone}; check where the zone begins`,
      ];
    case "NOTIMP":
      return [
        "MethodNotSupported",
        "does not take updates (RFC 2136); switch them on, or name another server",
      ];
    case "FORMERR":
      return [
        "BadRequest",
        "did not understand the request; it may not know updates (RFC 2136) or signatures (RFC 8945)",
      ];
    case "SERVFAIL":
      return [
        "ServerError",
        isUpdate
          ? `failed at changing the zone ${zone}; its log says why: often it may not write the zone's file or journal, or cannot reach the primary`
          : `failed at reading the zone ${zone}; its log says why: the zone may have failed to load`,
      ];
    default:
      return ["ResponseInvalid", `answered what no request of this kind is answered`];
  }
}

/** The error that the signature of an answer tells: of BADSIG and BADKEY the server could not sign it. */
export function signatureError({ error, signedAtSeconds, other }: TsigData, asked: Asked): BowlineError {
  const name = rcodeName(error);
  const key = asked.key?.name ?? "";
  const says = {
    BADKEY: `does not know the key ${key}, or knows it with another algorithm; compare name and algorithm with its configuration`,
    BADSIG: `has another secret for the key ${key}; give the Credential the secret that the server has`,
    BADTIME: `does not take the request because of its time: ${skew(signedAtSeconds, other)}; let both follow NTP`,
    BADTRUNC: `wants longer signatures than those of ${asked.key?.algorithm ?? ""}`,
  }[name];
  const text = says ?? `refuses the signature of the key ${key}`;
  return answerError("AuthFailed", `The DNS server ${asked.server} ${text} (${name}).`, name, asked);
}

function skew(signedAtSeconds: number, other: Buffer): string {
  if (other.length !== 6) return "the clock of this machine and its own differ";
  return clocksDiffer(new ByteReader(other).uint48() - signedAtSeconds);
}

/** `bySeconds` is how far the server is ahead. */
export function clocksDiffer(bySeconds: number): string {
  const how = bySeconds > 0 ? "behind" : "ahead of";
  return `the clock of this machine is ${Math.abs(bySeconds)} s ${how} that of the server`;
}

/** An answer that cannot be taken for one to what was asked; `why` is a sentence. */
export function untrustedAnswer(why: string, asked: Asked): BowlineError {
  const message = `The answer of the DNS server ${asked.server} was not taken. ${why}`;
  return new BowlineError("ResponseInvalid", message, {
    details: { server: asked.server, zone: asked.zone },
  });
}

function answerError(code: ErrorCode, message: string, rcode: string, { server, zone }: Asked): BowlineError {
  return new BowlineError(code, message, { details: { server, zone, rcode } });
}
