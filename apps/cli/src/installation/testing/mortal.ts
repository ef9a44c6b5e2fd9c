import type { Environment } from "../../command/command-context.ts";
import type { InstallationState } from "../installation-state.ts";
import { StateFiles } from "../state-files.ts";
import type { Call } from "../target.ts";

/** Thrown where the process would have been killed. */
class Killed extends Error {
  override readonly name = "Killed";
}

/** How often a call is made that asks whether something is so yet depends on the machine. */
interface Occurrence {
  readonly subject: string;
  /** From 1. */
  readonly occurrence: number;
}

/** A program that dies right after its call number `at`: from then on it does nothing more, not even write its state. */
export class Mortal {
  readonly calls: string[] = [];
  readonly #at: number | Occurrence;
  #isDead = false;

  constructor(at: number | Occurrence = Number.POSITIVE_INFINITY) {
    this.#at = at;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  readonly call: Call = async (subject, call) => {
    this.#requireAlive();
    const result = await call();
    this.calls.push(subject);
    if (this.#isDue()) this.#isDead = true;
    this.#requireAlive();
    return result;
  };

  files(environment: Environment): StateFiles {
    return new MortalFiles(environment, () => this.#requireAlive());
  }

  #isDue(): boolean {
    if (typeof this.#at === "number") return this.calls.length > this.#at;
    const { subject, occurrence } = this.#at;
    return this.calls.filter((each) => each === subject).length === occurrence;
  }

  #requireAlive(): void {
    if (this.#isDead) throw new Killed(`killed after ${this.calls.at(-1)}`);
  }
}

class MortalFiles extends StateFiles {
  readonly #requireAlive: () => void;

  constructor(environment: Environment, requireAlive: () => void) {
    super(environment);
    this.#requireAlive = requireAlive;
  }

  override async write(state: InstallationState): Promise<void> {
    this.#requireAlive();
    await super.write(state);
  }

  override async remove(name: string): Promise<void> {
    this.#requireAlive();
    await super.remove(name);
  }
}
