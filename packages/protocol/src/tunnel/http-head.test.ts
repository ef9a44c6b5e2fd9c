import { describe, expect, test } from "vitest";

import { BodyWriter, decodeEnd, decodeHeaders, decodeOpen } from "./body-codec.ts";
import { checkAnswerHead, checkHeaders, checkRequestHead } from "./http-head.ts";

const request = { method: "GET", path: "/a?b=c", headers: ["X-A", "b\tc é"], upgrade: "SPDY/3.1" };
const violation = expect.objectContaining({ code: "ProtocolViolation" });

describe("what cannot be part of an HTTP message is a violation:", () => {
  test.each(["", "a b", "a:", "a\r\nb", "a\u0000", "é", "(a)"])("the header name %j", (name) => {
    expect(() => checkHeaders([name, "v"])).toThrow(violation);
  });

  test.each(["a\r\nb: c", "a\nb", "a\rb", "a\u0000", "\u007f", "\u0001", "漢"])(
    "the header value %j",
    (value) => {
      expect(() => checkHeaders(["a", value])).toThrow(violation);
    },
  );

  test("a name without a value", () => {
    expect(() => checkHeaders(["a", "1", "b"])).toThrow(violation);
  });

  test.each(["", "a", "http://a/", "*", "/a b", "/a\r\nb", "/a\tb", "/\u0000", "/\u007f", "/漢"])(
    "the path %j",
    (path) => {
      expect(() => checkRequestHead({ ...request, path })).toThrow(violation);
    },
  );

  test.each(["", "GET /", "GET\r\n", "G\u0000T", "é"])("the method %j", (method) => {
    expect(() => checkRequestHead({ ...request, method })).toThrow(violation);
  });

  test("the protocol to upgrade to", () => {
    expect(() => checkRequestHead({ ...request, upgrade: "a\r\nb: c" })).toThrow(violation);
  });

  test("the headers of a request or an answer", () => {
    const headers = ["a", "b\nc"];
    expect(() => checkRequestHead({ ...request, headers })).toThrow(violation);
    expect(() => checkAnswerHead({ status: 200, headers })).toThrow(violation);
  });

  test.each([0, 99, 1000])("the status %i", (status) => {
    expect(() => checkAnswerHead({ status, headers: [] })).toThrow(violation);
  });
});

test("a violation is found in what a peer sends", () => {
  const headers = ["a", "b\r\nc: d"];
  const open = new BodyWriter().text(1, "GET").text(2, "/").texts(3, headers);
  expect(() => decodeOpen(bytesOf(open))).toThrow(violation);
  expect(() => decodeHeaders(bytesOf(new BodyWriter().number(1, 200).texts(2, headers)))).toThrow(violation);
  expect(() => decodeEnd(bytesOf(new BodyWriter().texts(1, headers)))).toThrow(violation);
});

function bytesOf(body: BodyWriter): Buffer {
  const bytes = Buffer.alloc(body.bytes);
  body.write(bytes, 0);
  return bytes;
}

test("what can be is none", () => {
  expect(() => checkRequestHead(request)).not.toThrow();
  expect(() => checkRequestHead({ ...request, upgrade: undefined })).not.toThrow();
  for (const status of [100, 200, 599, 999]) {
    expect(() => checkAnswerHead({ status, headers: request.headers })).not.toThrow();
  }
});
