import type { Report } from "./report.ts";

/**
 * Checks a value and returns a copy of it with defaults applied and its fields in the order of the schema. What is wrong
 * goes to the report; the copy is then of no use.
 */
export type Reader = (value: unknown, report: Report) => unknown;
