import { randomBytes } from "node:crypto";

import { expect, test } from "vitest";

import { newTokenSecret } from "../tokens/token-secret.ts";
import { ShownBearers } from "./shown-bearers.ts";

const header = (): string => `Bearer ${newTokenSecret(randomBytes)}`;

test("reads what a connection shows once, and anew when it shows something else", () => {
  const shown = new ShownBearers();
  const [first, second] = [header(), header()];
  const connection = {};
  const read = shown.read(first, connection);
  expect(shown.read(first, connection)).toBe(read);
  expect(shown.read(second, connection)).toMatchObject({ secret: second.slice("Bearer ".length) });
  expect(shown.read(first, connection)).toEqual(read);
});

test("what one connection showed counts for no other", () => {
  const shown = new ShownBearers();
  const authorization = header();
  const read = shown.read(authorization, {});
  expect(shown.read(authorization, {})).not.toBe(read);
  const connection = {};
  shown.read(authorization, connection);
  expect(() => shown.read(undefined, connection)).toThrow("no Authorization header");
  expect(() => shown.read(authorization.slice(0, -1).replace("Bearer", "Basic"), connection)).toThrow(
    'must be "Bearer"',
  );
});
