import { SimStatusError } from "../store/sim-status-error.ts";

/** The patch itself cannot be read. */
export function unreadablePatch(message: string): SimStatusError {
  return new SimStatusError({ code: 400, reason: "BadRequest", message });
}

/** The patch can be read but does not fit the object; the real server gives no more detail than this. */
export function rejectedPatch(): SimStatusError {
  return new SimStatusError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

/** What the real server does not expect, it answers with 500 and the bare sentence. */
export function unexpectedPatch(message: string): SimStatusError {
  return new SimStatusError({ code: 500, message });
}
