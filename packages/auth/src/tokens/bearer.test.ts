import { randomBytes } from "node:crypto";

import { expect, test } from "vitest";

import { BearerParser } from "./bearer.ts";
import { newTokenSecret } from "./token-secret.ts";

const header = (): string => `Bearer ${newTokenSecret(randomBytes)}`;

test("parses the header of a connection once, and anew when it sends another", () => {
  const parser = new BearerParser();
  const [first, second] = [header(), header()];
  const connection = {};
  const bearer = parser.parse(first, connection);
  expect(parser.parse(first, connection)).toBe(bearer);
  expect(parser.parse(second, connection)).toMatchObject({ secret: second.slice("Bearer ".length) });
  expect(parser.parse(first, connection)).toEqual(bearer);
});

test("the header of one connection counts for no other", () => {
  const parser = new BearerParser();
  const authorization = header();
  const bearer = parser.parse(authorization, {});
  expect(parser.parse(authorization, {})).not.toBe(bearer);
  const connection = {};
  parser.parse(authorization, connection);
  expect(() => parser.parse(undefined, connection)).toThrow("no Authorization header");
  expect(() => parser.parse(authorization.slice(0, -1).replace("Bearer", "Basic"), connection)).toThrow(
    'must be "Bearer"',
  );
});
