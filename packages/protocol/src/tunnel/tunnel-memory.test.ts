import type { BowlineError } from "@bowline/core";
import { expect, test } from "vitest";

import { HeldBytes, type Holder } from "./tunnel-memory.ts";

class FakeHolder implements Holder {
  heldBytes = 0;
  readonly aborts: string[] = [];
  readonly #all: HeldBytes;

  constructor(all: HeldBytes) {
    this.#all = all;
  }

  hold(by: number): void {
    this.heldBytes += by;
    this.#all.changed(this, by);
  }

  abort(error: BowlineError, reason: string): void {
    this.aborts.push(`${error.code} ${reason}`);
    this.hold(-this.heldBytes);
  }
}

test("HeldBytes ends the largest holder when there is too much, and forgets who holds nothing", () => {
  const all = new HeldBytes(100);
  const [small, large, reader] = [new FakeHolder(all), new FakeHolder(all), new FakeHolder(all)];
  small.hold(40);
  large.hold(60);
  expect([all.bytes, all.holders]).toEqual([100, 2]);
  reader.hold(10);
  expect(large.aborts).toEqual(["TooManyRequests overloaded"]);
  expect([small.aborts, reader.aborts]).toEqual([[], []]);
  expect([all.bytes, all.holders]).toEqual([50, 2]);
  reader.hold(-10);
  expect([all.bytes, all.holders]).toEqual([40, 1]);
});
