import { expect, test } from "vitest";

import { withStyleNonce, type StyleDocument } from "./style-nonce.ts";

/** As much of a document as is needed: elements are what was set on them. */
class FakeDocument {
  createElement(name: string): {
    name: string;
    nonce: string;
    setAttribute(at: string, value: string): void;
  } {
    return {
      name,
      nonce: "",
      setAttribute(at, value) {
        if (at === "nonce") this.nonce = value;
      },
    };
  }
}

test("styles have the nonce while a terminal is opened, other elements never, and afterwards nothing is left", () => {
  const page = new FakeDocument();
  const own = page as unknown as StyleDocument;
  const made = withStyleNonce(own, "abc", () => [page.createElement("style"), page.createElement("DIV")]);
  expect(made.map(({ nonce }) => nonce)).toEqual(["abc", ""]);
  expect(page.createElement("style").nonce).toBe("");
  expect(Object.keys(page)).toEqual([]);
  expect(() =>
    withStyleNonce(own, "abc", () => {
      throw new Error("no terminal");
    }),
  ).toThrow("no terminal");
  expect(page.createElement("style").nonce).toBe("");
});
