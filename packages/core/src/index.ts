export { BowlineError, type BowlineErrorOptions } from "./bowline-error.ts";
export type { Clock } from "./clock.ts";
export { errorCodes, type ErrorCode, type ErrorCodeInfo } from "./error-codes.ts";
