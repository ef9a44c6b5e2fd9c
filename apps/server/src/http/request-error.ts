import { BowlineError, codeOf, hasCode } from "@bowline/core";

import { typeNotSupported } from "./json-parser.ts";
import type { HttpLimits } from "./limits.ts";

type Limits = Pick<HttpLimits, "maxBodyBytes">;

/** What Fastify refuses on its own, in our words. */
const fastifyErrors: Readonly<Record<string, (limits: Limits) => BowlineError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ maxBodyBytes }) =>
    new BowlineError("BodyTooLarge", `The body is larger than ${maxBodyBytes} bytes.`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: typeNotSupported,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new BowlineError("BadRequest", "The body is not as long as Content-Length says."),
  FST_ERR_BAD_URL: () =>
    new BowlineError("BadRequest", "The address has a percent sign that escapes nothing."),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () =>
    new BowlineError("ContentTypeNotSupported", "Say with Content-Type what the body is."),
};

/** Whatever ended a request, as an error of ours. */
export function requestError(thrown: unknown, limits: Limits): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const known = fastifyErrors[codeOf(thrown) ?? ""];
  if (known !== undefined) return known(limits);
  if (hasCode(thrown, "ECONNRESET")) {
    return new BowlineError("Cancelled", "The client went away.", { cause: thrown });
  }
  return BowlineError.from(thrown);
}
