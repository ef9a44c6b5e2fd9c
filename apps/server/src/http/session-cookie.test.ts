import { describe, expect, test } from "vitest";

import { errorOf, openTestApi, type Answer } from "../api/testing/api-harness.ts";
import { sessionCookie } from "./session-cookie.ts";

const cookie = "__Host-bowline=operator";
const ownPage = {
  cookie,
  host: "bowline.example.com",
  "sec-fetch-site": "same-origin",
  "sec-fetch-dest": "empty",
};
const consoleHeader = { "x-bowline-console": "1" };

async function ask(
  headers: Readonly<Record<string, string>>,
  method = "GET",
  body?: unknown,
): Promise<Answer> {
  const { call } = await openTestApi();
  return call(method, "/api/v1/clusters", { as: null, headers, body });
}

describe("the cookie of a session counts", () => {
  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ["when a script of our page asks", ownPage],
    ["beside other cookies", { ...ownPage, cookie: `theme=dark; ${cookie}; a=b` }],
    ["when a browser that does not say so asks with our header", { cookie, ...consoleHeader }],
  ])("%s", async (_, headers) => {
    expect((await ask(headers)).status).toBe(200);
  });

  test("for a write with our header", async () => {
    const body = { metadata: { name: "a" }, spec: {} };
    expect((await ask({ ...ownPage, ...consoleHeader }, "POST", body)).status).toBe(201);
  });
});

describe("the cookie of a session does not count", () => {
  test.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ["for a page of another site", { ...ownPage, "sec-fetch-site": "cross-site" }, "not made by a page"],
    ["for a sibling of ours", { ...ownPage, "sec-fetch-site": "same-site" }, "not made by a page"],
    ["for an address that somebody typed", { ...ownPage, "sec-fetch-site": "none" }, "not made by a page"],
    ["for nobody knows what", { cookie }, "not made by a page"],
    [
      "for a sibling with our header",
      { ...ownPage, ...consoleHeader, "sec-fetch-site": "same-site" },
      "page",
    ],
    ["for a picture", { ...ownPage, "sec-fetch-dest": "image" }, "picture"],
    ["for a frame", { ...ownPage, "sec-fetch-dest": "iframe" }, "frame"],
    ["for a navigation", { ...ownPage, "sec-fetch-dest": "document" }, "page"],
    ["twice", { ...ownPage, cookie: `${cookie}; __Host-bowline=viewer` }, "more than once"],
  ])("%s", async (_, headers, why) => {
    const answer = await ask(headers);
    expect(answer.status).toBe(401);
    expect(errorOf(answer).message).toContain(why);
  });

  test("for a write without our header, wherever it comes from", async () => {
    const answer = await ask(ownPage, "POST", { metadata: { name: "a" }, spec: {} });
    expect(answer.status).toBe(401);
    expect(errorOf(answer).message).toContain("x-bowline-console");
  });

  test("beside an Authorization header, good or bad", async () => {
    const { call } = await openTestApi();
    const write = { headers: { ...ownPage, ...consoleHeader }, body: { metadata: { name: "a" }, spec: {} } };
    expect((await call("POST", "/api/v1/clusters", { ...write, as: "viewer" })).status).toBe(403);
    expect((await call("POST", "/api/v1/clusters", { ...write, as: "nobody" })).status).toBe(401);
  });
});

test("no script reads it, and no other site sends it", () => {
  expect(sessionCookie("secret", 90_500)).toBe(
    "__Host-bowline=secret; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=90",
  );
});
