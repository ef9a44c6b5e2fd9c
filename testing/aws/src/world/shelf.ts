import type { Clock } from "@bowline/core";

import { AwsFailure } from "../aws-failure.ts";

export type Tags = Readonly<Record<string, string>>;

/** What everything in the account has. */
export interface Thing {
  readonly id: string;
  readonly arn: string;
  tags: Tags;
  readonly madeAtMs: number;
  /** When it is gone, if it was asked to go. */
  goneAtMs?: number;
}

export interface ShelfSettings {
  readonly clock: Clock;
  /** How long what was made is not seen by those who ask, if so. */
  lagMs: number;
}

/** All things of one type, in the order in which they were made. */
export class Shelf<T extends Thing> {
  readonly #things = new Map<string, T>();
  readonly #settings: ShelfSettings;
  readonly #notFound: { readonly code: string; readonly status: number };

  constructor(settings: ShelfSettings, notFound: { readonly code: string; readonly status?: number }) {
    this.#settings = settings;
    this.#notFound = { status: 400, ...notFound };
  }

  add(thing: T): T {
    this.#things.set(thing.id, thing);
    return thing;
  }

  /** Its record, whether or not others see it yet. */
  peek(id: string): T | undefined {
    const thing = this.#things.get(id);
    if (thing?.goneAtMs === undefined || thing.goneAtMs > this.#settings.clock.now()) return thing;
    this.#things.delete(id);
    return undefined;
  }

  get(id: string): T {
    const thing = this.peek(id);
    if (thing !== undefined && this.#isVisible(thing)) return thing;
    const { code, status } = this.#notFound;
    throw new AwsFailure(code, `The ID '${id}' does not exist`, status);
  }

  remove(id: string): void {
    this.#things.delete(id);
  }

  /** Those that exist. */
  get all(): T[] {
    return [...this.#things.keys()].flatMap((id) => this.peek(id) ?? []);
  }

  /** Those that a list has. */
  get listed(): T[] {
    return this.all.filter((thing) => this.#isVisible(thing));
  }

  #isVisible({ madeAtMs }: T): boolean {
    return madeAtMs + this.#settings.lagMs <= this.#settings.clock.now() || this.#settings.lagMs === 0;
  }
}
