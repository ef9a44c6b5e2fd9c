import { expect, test } from "vitest";

import { askedQuestions } from "../../graph/ask-search.ts";
import { suggestedName } from "./keep-dialog.tsx";
import { isComplete, localTime, momentOf, questionCards } from "./question-cards.ts";

test("every question has a card whose fields are the parameters of the API", () => {
  expect([...questionCards.keys()]).toEqual([...askedQuestions]);
  const fields = (name: (typeof askedQuestions)[number]) =>
    questionCards
      .get(name)
      ?.fields.map((field) => `${field.name} ${field.type}${field.isRequired ? " !" : ""}`);
  expect(fields("who-can")).toEqual([
    "verb text !",
    "resource text !",
    "namespace text",
    "name text",
    "cluster text",
    "at time",
  ]);
  expect(fields("path")).toEqual(["from node !", "to node !", "cluster text", "at time"]);
  expect(fields("diff")).toEqual(["from time !", "to time", "namespace text", "cluster text"]);
  expect(questionCards.get("audit")?.fields[0]?.options).toEqual(["critical", "high", "medium", "low"]);
});

test("a question is asked when it has what it needs", () => {
  const card = questionCards.get("uses");
  expect(card === undefined ? undefined : isComplete(card, { cluster: "edge" })).toBe(false);
  expect(card === undefined ? undefined : isComplete(card, { node: "Secret/shop/db" })).toBe(true);
});

test("times of fields are moments, and back", () => {
  const moment = momentOf("2026-01-02T10:30:15");
  expect(moment).toMatch(/Z$/u);
  expect(localTime(moment)).toBe("2026-01-02T10:30:15");
  expect([momentOf(""), momentOf("soon"), localTime(undefined)]).toEqual(["", "", ""]);
});

test("a kept question gets a name that the API takes", () => {
  expect(suggestedName("who-can", { verb: "get", resource: "pods/exec", namespace: "Shop" })).toBe(
    "who-can-get-pods-exec-shop",
  );
  expect(suggestedName("uses", { node: `Secret/shop/${"x".repeat(90)}-` })).toHaveLength(63);
});
