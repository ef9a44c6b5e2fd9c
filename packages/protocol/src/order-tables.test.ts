import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { MessageOrder } from "./message-order.ts";
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

const page = readFileSync(new URL("../../../docs/reference/protocol.md", import.meta.url), "utf8");

/** The rows of the table in the reference that follows the mark of this order. */
function documentedRows(name: string): string[][] {
  const [, block = ""] = new RegExp(`<!-- order: ${name} -->([^]*?)<!-- end -->`).exec(page) ?? [];
  const lines = block.trim().split("\n").slice(2);
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.replaceAll("`", "").trim()),
  );
}

/** A row for each message a state allows, and one for each state in which the sender may stop. */
function rowsOf(order: MessageOrder<string, string>): string[][] {
  return Object.entries(order.transitions).flatMap(([state, messages]) => [
    ...Object.entries(messages).map(([message, next = ""]) => [state, message, next]),
    ...(order.isFinal(state) ? [[state, "", "may end"]] : []),
  ]);
}

const orders: Readonly<Record<string, MessageOrder<string, string>>> = {
  joinAgentOrder,
  joinServerOrder,
  sessionAgentOrder,
  sessionServerOrder,
  reportAgentOrder,
  reportServerOrder,
  requestOrder,
  answerOrder,
};

test.each(Object.entries(orders))("docs/reference/protocol.md describes %s as it is", (name, order) => {
  expect(documentedRows(name)).toEqual(rowsOf(order));
});
