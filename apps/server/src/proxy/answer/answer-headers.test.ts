import { describe, expect, test } from "vitest";

import { answerHeaders, answerTrailers } from "./answer-headers.ts";

const context = { requestId: "r1", prefix: "/clusters/prod" };
const added = ["X-Request-Id", "r1", "X-Content-Type-Options", "nosniff"];
const json = ["Content-Type", "application/json"];
const sandbox = ["Content-Security-Policy", "default-src 'none'; sandbox"];

const filtered = (...raw: string[]): string[] => answerHeaders(raw, context).headers.slice(added.length);

describe("what a client gets of the headers", () => {
  test("keeps what is for Kubernetes clients", () => {
    const raw = [
      ...json,
      "Audit-Id",
      "a",
      "X-Kubernetes-Pf-Flowschema-Uid",
      "b",
      "Warning",
      "1",
      "Warning",
      "2",
      "Date",
      "d",
    ];
    expect(answerHeaders(raw, context)).toEqual({ headers: [...added, ...raw], contentLength: undefined });
  });

  test.each([
    "Set-Cookie",
    "set-cookie2",
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    "Clear-Site-Data",
    "Strict-Transport-Security",
    "Content-Security-Policy",
    "Content-Security-Policy-Report-Only",
    "Alt-Svc",
    "WWW-Authenticate",
    "Proxy-Authenticate",
    "Cross-Origin-Opener-Policy",
    "Service-Worker-Allowed",
    "Refresh",
    "X-Content-Type-Options",
    "X-Request-Id",
    "X-Bowline-Error-From",
    "Connection",
    "Keep-Alive",
    "Transfer-Encoding",
    "Upgrade",
    "Report-To",
    "NEL",
    "TE",
    "Trailer",
    "Authentication-Info",
    "Origin-Agent-Cluster",
    "Permissions-Policy",
    "Public-Key-Pins",
    "Public-Key-Pins-Report-Only",
    "Reporting-Endpoints",
  ])("drops %s", (name) => {
    expect(filtered(...json, name, "x", "X-Kept", "1")).toEqual([...json, "X-Kept", "1"]);
  });

  test("drops what Connection names", () => {
    expect(filtered(...json, "X-Hop", "1", "connection", "X-Hop")).toEqual(json);
  });

  test.each([
    "text/html",
    "TEXT/HTML; charset=utf-8",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "",
    "application/json, text/html",
  ])("puts «%s» into a sandbox", (type) => {
    expect(filtered("Content-Type", type)).toEqual(["Content-Type", type, ...sandbox]);
  });

  test("puts what has no type, or two, into a sandbox", () => {
    expect(filtered()).toEqual(sandbox);
    expect(filtered("Content-Type", "text/html", ...json)).toEqual([
      "Content-Type",
      "text/html",
      ...json,
      ...sandbox,
    ]);
  });

  test.each([
    "application/json",
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "text/plain; charset=utf-8",
  ])("leaves «%s» alone", (type) => {
    expect(filtered("Content-Type", type)).toEqual(["Content-Type", type]);
  });

  test.each([
    ["/api/v1/x?y", "/clusters/prod/api/v1/x?y"],
    ["next", "next"],
    ["?page=2", "?page=2"],
  ])("redirects to %s within the cluster", (location, expected) => {
    expect(filtered(...json, "Location", location)).toEqual([...json, "Location", expected]);
  });

  test.each([
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\evil.example",
    "javascript:alert(1)",
    " //evil.example",
    "\t/x",
  ])("does not redirect to %j", (location) => {
    expect(filtered(...json, "Location", location)).toEqual(json);
  });

  test("knows the length, and refuses one that is none", () => {
    expect(answerHeaders(["Content-Length", "12", "content-length", "12"], context).contentLength).toBe(12);
    const invalid = expect.objectContaining({ code: "ResponseInvalid" });
    for (const value of ["-1", "1e3", "", "0x10", "5, 5"]) {
      expect(() => answerHeaders(["Content-Length", value], context)).toThrow(invalid);
    }
    expect(() => answerHeaders(["Content-Length", "1", "Content-Length", "2"], context)).toThrow(invalid);
  });

  test("passes trailers on that change nothing", () => {
    const raw = [
      "X-Sum",
      "1",
      "Set-Cookie",
      "a",
      "Content-Length",
      "9",
      "Trailer",
      "x",
      "Location",
      "/",
      "Transfer-Encoding",
      "x",
    ];
    expect(answerTrailers(raw)).toEqual([["X-Sum", "1"]]);
  });
});
