import { Type, type Static } from "typebox";

import { integer, object, optional, text } from "../schema/build.ts";
import { printableAscii } from "../schema/text-rule.ts";

/** The messages of `/api/v1/stream`, which docs/reference/stream.md explains. */

/** The subprotocol; a browser that shows its token as another one has to name it. */
export const streamProtocol = "v1.stream.bowline";

/** How many bytes of a body are sent before the client gives credit for more. */
export const streamInitialCredit = 256 * 1024;

/** The first bytes of a binary message: the number of the subscription, the most significant byte first. */
export const streamHeaderBytes = 4;

const id = integer("The number of the subscription, greater than any before it on the connection.", {
  minimum: 1,
  maximum: 2 ** 32 - 1,
});

export const StreamGet = object("Begins a subscription: a GET, as if it were made alone.", {
  id,
  get: text("The path and the query.", {
    pattern: "^/(api/v1|clusters)/[!-~]+$",
    expects: "a path below /api/v1/ or /clusters/, escaped as in an address",
    maxLength: 32 * 1024,
  }),
  accept: optional(text("The same as the header Accept.", { ...printableAscii, maxLength: 1_024 })),
});
export type StreamGet = Static<typeof StreamGet>;

export const StreamCredit = object("Lets more of a body be sent.", {
  id,
  credit: integer("How many bytes more.", { minimum: 1, maximum: 16 * 1024 * 1024 }),
});
export type StreamCredit = Static<typeof StreamCredit>;

export const StreamEnd = object("Ends a subscription.", { id, end: Type.Literal(true) });
export type StreamEnd = Static<typeof StreamEnd>;

/** A message in text that the server sends; binary ones have the bytes of bodies. */
export type StreamAnswer =
  | StreamAnswerHead
  /** The body is complete. */
  | StreamEnd
  /** It was refused, or broke off. */
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };

/** The beginning of an answer. */
interface StreamAnswerHead {
  readonly id: number;
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
