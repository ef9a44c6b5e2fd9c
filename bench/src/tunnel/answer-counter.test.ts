import { describe, expect, test } from "vitest";

import { AnswerCounter } from "./answer-counter.ts";

const answer = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");

describe("AnswerCounter", () => {
  test("finds the end of answers, wherever they are cut", () => {
    for (let cut = 1; cut < answer.length; cut++) {
      const counter = new AnswerCounter();
      expect(counter.receive(answer.subarray(0, cut))).toBe(false);
      expect(counter.receive(answer.subarray(cut))).toBe(true);
      expect(counter.receive(answer)).toBe(true);
    }
  });

  test("an answer without a body ends with its head", () => {
    expect(new AnswerCounter().receive(Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"))).toBe(true);
  });

  test.each(["HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"])(
    "refuses %j",
    (text) => {
      expect(() => new AnswerCounter().receive(Buffer.from(text))).toThrow("not the answer");
    },
  );
});
