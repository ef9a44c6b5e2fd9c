import { describe, expect, test } from "vitest";

import { requestHeaders, type OwnHeaders } from "./request-headers.ts";

const own: OwnHeaders = { host: "api:6443", authorization: "Bearer agent", hasBody: false };
const get = { method: "GET", path: "/" };
const said = ["Host", "api:6443", "Authorization", "Bearer agent"];

describe("what the API server is sent", () => {
  test.each([
    "Authorization",
    "Connection",
    "Expect",
    "HOST",
    "Keep-Alive",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
  ])("has no %s of the other side", (name) => {
    expect(requestHeaders({ ...get, headers: [name, "x"] }, own)).toEqual(said);
  });

  test("has everything else, as it came", () => {
    const headers = ["Impersonate-User", "dev", "Impersonate-Group", "a", "Impersonate-Group", "b"];
    expect(requestHeaders({ ...get, headers }, { ...own, authorization: undefined })).toEqual([
      "Host",
      "api:6443",
      ...headers,
    ]);
  });

  test.each<[string, string[], boolean, string[]]>([
    [
      "one length where a body follows",
      ["Content-Length", "5", "content-length", "6"],
      true,
      ["Content-Length", "5"],
    ],
    ["chunks where nobody knows the length", [], true, ["Transfer-Encoding", "chunked"]],
    ["no length of a body that does not follow", ["Content-Length", "5"], false, ["Content-Length", "0"]],
  ])("has %s", (_, headers, hasBody, expected) => {
    const sent = requestHeaders(
      { method: "POST", path: "/", headers },
      { ...own, authorization: undefined, hasBody },
    );
    expect(sent.slice(2)).toEqual(expected);
  });

  test("has no body before another protocol", () => {
    const head = { ...get, headers: ["Content-Length", "5"], upgrade: "SPDY/3.1" };
    expect(requestHeaders(head, { ...own, hasBody: true })).toEqual([
      ...said,
      "Connection",
      "Upgrade",
      "Upgrade",
      "SPDY/3.1",
    ]);
  });
});
