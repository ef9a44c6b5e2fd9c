import { BowlineError } from "@bowline/core";

export function violation(message: string, details?: Readonly<Record<string, unknown>>): BowlineError {
  return new BowlineError("ProtocolViolation", message, details === undefined ? {} : { details });
}

/** Where each message leads, state by state. A message a state does not list must not come in it. */
type Transitions<State extends string, Message extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Message, NoInfer<State>>>>>
>;

interface MessageOrderOptions<State extends string, Message extends string> {
  /** The owner of the messages, as it reads in an error: "the answer of a tunnel stream". */
  readonly name: string;
  readonly initial: NoInfer<State>;
  /** The states in which the sender may stop. */
  readonly final: readonly NoInfer<State>[];
  readonly transitions: Transitions<State, Message>;
}

/**
 * The order in which the messages of one direction of a stream may come. Made once per kind of stream; `start()` gives
 * each stream its own place in it.
 */
export class MessageOrder<State extends string, Message extends string> {
  readonly name: string;
  readonly initial: State;
  readonly transitions: Transitions<State, Message>;
  readonly #final: ReadonlySet<State>;

  constructor({ name, initial, final, transitions }: MessageOrderOptions<State, Message>) {
    this.name = name;
    this.initial = initial;
    this.transitions = transitions;
    this.#final = new Set(final);
    for (const problem of this.#problems()) throw new Error(`${name}: ${problem}`);
  }

  start(): OrderTracker<State, Message> {
    return new OrderTracker(this);
  }

  next(state: State, message: Message): State | undefined {
    const row = this.transitions[state];
    // A message called `constructor` is no way on.
    return Object.hasOwn(row, message) ? row[message] : undefined;
  }

  isFinal(state: State): boolean {
    return this.#final.has(state);
  }

  /** Found when the module loads, not when the first peer gets stuck. */
  *#problems(): Generator<string> {
    const reachable = this.#reachableFrom(this.initial);
    for (const state of this.#states()) {
      if (!reachable.has(state)) yield `nothing leads to the state '${state}'`;
      if (!this.#final.isDisjointFrom(this.#reachableFrom(state))) continue;
      yield `no end can be reached from the state '${state}'`;
    }
  }

  #states(): State[] {
    return Object.keys(this.transitions) as State[];
  }

  #reachableFrom(start: State): Set<State> {
    const found = new Set([start]);
    // A set that grows while it is walked visits what is added.
    for (const state of found) {
      for (const next of Object.values<State | undefined>(this.transitions[state])) {
        if (next !== undefined) found.add(next);
      }
    }
    return found;
  }
}

/** The place of one stream in its order. */
export class OrderTracker<State extends string, Message extends string> {
  readonly #order: MessageOrder<State, Message>;
  #state: State;

  constructor(order: MessageOrder<State, Message>) {
    this.#order = order;
    this.#state = order.initial;
  }

  get state(): State {
    return this.#state;
  }

  allows(message: Message): boolean {
    return this.#order.next(this.#state, message) !== undefined;
  }

  /** Moves on, or throws `ProtocolViolation` and stays. */
  accept(message: Message): void {
    const next = this.#order.next(this.#state, message);
    if (next === undefined) throw this.#violation(`${message} came`);
    this.#state = next;
  }

  /** The sender said it is done. */
  finish(): void {
    if (!this.#order.isFinal(this.#state)) throw this.#violation("the stream ended");
  }

  #violation(what: string): BowlineError {
    const expected = Object.keys(this.#order.transitions[this.#state]);
    const allowed = expected.length === 0 ? "nothing may follow" : `expected ${expected.join(" or ")}`;
    return new BowlineError(
      "ProtocolViolation",
      `Out of order in ${this.#order.name}: ${what} in the state '${this.#state}', where ${allowed}.`,
      { details: { order: this.#order.name, state: this.#state, expected } },
    );
  }
}
