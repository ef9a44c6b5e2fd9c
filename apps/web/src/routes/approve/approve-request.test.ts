import { expect, test } from "vitest";

import { answerAddress, readApproveRequest } from "./approve-request.ts";

const challenge = "c".repeat(43);

test("the link of a command line is read, with a port or without", () => {
  expect(readApproveRequest({ challenge, from: "editor on laptop" })).toEqual({
    challenge,
    from: "editor on laptop",
  });
  expect(readApproveRequest({ challenge, from: "x", port: 4711, state: "s-1" })).toEqual({
    challenge,
    from: "x",
    port: 4711,
    state: "s-1",
  });
});

test.each([
  {},
  { challenge: "short", from: "x" },
  { challenge, from: "" },
  { challenge, from: "x".repeat(129) },
  { challenge, from: "x", port: "80@evil.example.com", state: "s" },
  { challenge, from: "x", port: 0, state: "s" },
  { challenge, from: "x", port: 80 },
  { challenge, from: "x", port: 80, state: "a&code=b" },
])("%j is none", (search) => {
  expect(readApproveRequest(search)).toBeUndefined();
});

test("the answer goes to this machine, and says no without a code", () => {
  expect(answerAddress({ port: 4711, state: "s-1" }, "bwc_1")).toBe(
    "http://127.0.0.1:4711/?state=s-1&code=bwc_1",
  );
  expect(answerAddress({ port: 4711, state: "s-1" })).toBe("http://127.0.0.1:4711/?state=s-1&error=refused");
  expect(answerAddress({}, "bwc_1")).toBeUndefined();
});
