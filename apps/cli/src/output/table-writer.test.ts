import { describe, expect, test } from "vitest";

import { TableWriter } from "./table-writer.ts";

describe("TableWriter", () => {
  test("lines up columns by how wide they look, without spaces at the end", () => {
    const table = new TableWriter(["NAME", "READY", "NOTE"]);
    expect(
      table.rows([
        ["東京", "True", "x"],
        ["berlin", "False", ""],
        ["p", "True", "long"],
      ]),
    ).toBe(
      ["NAME     READY   NOTE", "東京     True    x", "berlin   False", "p        True    long", ""].join(
        "\n",
      ),
    );
  });

  test("says the headers once, and keeps the columns where they were", () => {
    const table = new TableWriter(["NAME", "READY"]);
    expect(table.rows([["production", "True"]])).toBe("NAME         READY\nproduction   True\n");
    expect(table.rows([["dev", "False"]])).toBe("dev          False\n");
    expect(table.rows([["a-longer-name", "False"]])).toBe("a-longer-name   False\n");
  });

  test("leaves headers out when asked", () => {
    expect(new TableWriter(["NAME"], { noHeaders: true }).rows([["a"]])).toBe("a\n");
  });

  test("styles cells without moving the next column, and never the headers", () => {
    const table = new TableWriter(["READY", "AGE"], {
      style: (cell, column) => (column === 0 ? `<${cell}>` : cell),
    });
    expect(table.rows([["no", "5s"]])).toBe("READY   AGE\n<no>      5s\n");
  });
});
