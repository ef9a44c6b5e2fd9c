import { expect, test } from "vitest";

import { isLoopback } from "./is-loopback.ts";

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.3.2.1", "::1", "[::1]", "::ffff:127.0.0.1"])(
  "%s is this machine",
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each(["", "0.0.0.0", "::", "128.0.0.1", "localhost.example.com", "127.0.0.1.example.com"])(
  "%j may be another one",
  (host) => expect(isLoopback(host)).toBe(false),
);
