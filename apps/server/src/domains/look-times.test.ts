import { domainNameLimits } from "@bowline/api";
import { expect, test } from "vitest";

import { questionsAtOnce } from "./look-times.ts";

const limitMs = 5_000;

/** How long a look takes when nobody answers anything. */
function worstMs(questions: number): number {
  return Math.ceil(questions / questionsAtOnce(questions, limitMs)) * limitMs;
}

test("a look at everything that a DomainName may have ends before its round does, though nobody answers", () => {
  const { hosts, clusters } = domainNameLimits;
  expect(worstMs(hosts * clusters)).toBeLessThan(150_000);
  expect(worstMs(hosts * 4)).toBeLessThanOrEqual(30_000);
  expect(questionsAtOnce(hosts * clusters, limitMs)).toBeLessThanOrEqual(1_000);
  expect(questionsAtOnce(3, limitMs)).toBe(100);
});
