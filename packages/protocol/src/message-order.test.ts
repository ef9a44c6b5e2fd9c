import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MessageOrder } from "./message-order.ts";
import {
  answerOrder,
  joinAgentOrder,
  joinServerOrder,
  reportAgentOrder,
  reportServerOrder,
  requestOrder,
  sessionAgentOrder,
  sessionServerOrder,
} from "./order-tables.ts";

describe("MessageOrder", () => {
  test("refuses states that cannot be reached, and states that lead nowhere", () => {
    const make = (transitions: Record<string, Record<string, string>>): unknown =>
      new MessageOrder({ name: "x", initial: "a", final: ["b"], transitions });
    expect(() => make({ a: { go: "b" }, b: {}, c: { go: "b" } })).toThrow(
      "x: nothing leads to the state 'c'",
    );
    expect(() => make({ a: { go: "b", stray: "c" }, b: {}, c: {} })).toThrow(
      "no end can be reached from the state 'c'",
    );
    expect(() => make({ a: { go: "b" }, b: { back: "a" } })).not.toThrow();
  });

  test("keeps its place when a message is refused", () => {
    const tracker = joinAgentOrder.start();
    expect(() => tracker.accept("proof")).toThrow(
      "Out of order in what an agent says to join: proof came in the state 'unknown', where expected hello.",
    );
    expect(tracker.state).toBe("unknown");
    tracker.accept("hello");
    expect(() => tracker.finish()).toThrow(
      "the stream ended in the state 'introduced', where expected proof",
    );
    tracker.accept("proof");
    expect(() => tracker.finish()).not.toThrow();
    expect(tracker.allows("hello")).toBe(false);
  });
});

describe("whatever is said, an order stays in one of its states and refuses with ProtocolViolation:", () => {
  const orders: ReadonlyArray<MessageOrder<string, string>> = [
    joinAgentOrder,
    joinServerOrder,
    sessionAgentOrder,
    sessionServerOrder,
    reportAgentOrder,
    reportServerOrder,
    requestOrder,
    answerOrder,
  ];
  test.each(orders.map((order) => [order.name, order] as const))("%s", (_, order) => {
    const messages = Object.values(order.transitions).flatMap((next) => Object.keys(next));
    const said = fc.array(fc.constantFrom(...messages, "something else", "constructor", "__proto__"));
    fc.assert(
      fc.property(said, (spoken) => {
        const tracker = order.start();
        for (const message of spoken) {
          const allowed = Object.hasOwn(order.transitions[tracker.state] ?? {}, message);
          let refusal: unknown;
          try {
            tracker.accept(message);
          } catch (error) {
            refusal = error;
          }
          expect(refusal === undefined).toBe(allowed);
          expect(refusal ?? new BowlineError("ProtocolViolation", "")).toMatchObject({
            code: "ProtocolViolation",
          });
          expect(Object.keys(order.transitions)).toContain(tracker.state);
        }
      }),
      { seed: 20_260_120, numRuns: 200 },
    );
  });
});
