import { expect, test } from "vitest";

import { Texts } from "./texts.ts";

test("a text is kept once, and as long as somebody says it", () => {
  const texts = new Texts();
  const [first, again] = [texts.take("/spec/nodeName"), texts.take("/spec/nodeName")];
  expect([again, texts.size, texts.get(first)]).toEqual([first, 1, "/spec/nodeName"]);
  texts.release(first);
  expect(texts.get(first)).toBe("/spec/nodeName");
  texts.release(first);
  expect([texts.size, texts.get(first)]).toEqual([0, ""]);
});

test("the number of a text that is gone is given to the next one", () => {
  const texts = new Texts();
  const first = texts.take("one");
  const copy = texts.copy();
  texts.release(first);
  expect([texts.take("other"), texts.get(first), copy.get(first)]).toEqual([first, "other", "one"]);
});
