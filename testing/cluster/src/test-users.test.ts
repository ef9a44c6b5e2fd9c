import { expect, it } from "vitest";
import { createTestUsers, tokenFileText, tokenOf } from "./test-users.ts";

it("gives every user a token of its own", () => {
  const users = createTestUsers([{ name: "dev", groups: ["developers", "oncall"] }]);
  expect(users.map(({ name }) => name)).toEqual(["admin", "guest", "dev"]);
  expect(new Set(users.map(({ token }) => token)).size).toBe(3);
  expect(tokenOf(users, "dev")).toMatch(/^[0-9a-f]{32}$/);
});

it("writes the file that the API server reads", () => {
  const users = [
    { name: "admin", groups: ["system:masters"], token: "t1" },
    { name: "guest", token: "t2" },
  ];
  expect(tokenFileText(users)).toBe('t1,admin,admin,"system:masters"\nt2,guest,guest,""\n');
});

it("lists the users there are when asked for another", () => {
  expect(() => tokenOf(createTestUsers(), "root")).toThrow(
    "There is no test user root; there are admin, guest.",
  );
});
