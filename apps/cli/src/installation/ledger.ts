import type { ResourceRecord as ProviderRecord } from "@bowline/providers";

import {
  isKnown,
  phaseNames,
  type InstallationState,
  type PhaseName,
  type ResourceName,
  type ResourceRecord,
  type StepRecord,
  type TargetRecord,
  type UpgradeRecord,
} from "./installation-state.ts";

interface LedgerOptions {
  readonly state: InstallationState;
  /** Returns when it is on disk. */
  readonly write: (state: InstallationState) => Promise<void>;
  readonly now: () => number;
}

/**
 * Keeps the state of one installation, and writes it before anything is done that it tells of: first that something is
 * to be made, then it is made, then that it was. Whoever reads it after a crash knows of everything that may be there.
 */
export class Ledger {
  #state: InstallationState;
  readonly #write: LedgerOptions["write"];
  readonly #now: () => number;

  constructor({ state, write, now }: LedgerOptions) {
    this.#state = state;
    this.#write = write;
    this.#now = now;
  }

  get state(): InstallationState {
    return this.#state;
  }

  /** Phases after it have yet to be done, whatever was said of them before. */
  async begin(phase: PhaseName): Promise<void> {
    const earlier = new Set<PhaseName>(phaseNames.slice(0, phaseNames.indexOf(phase)));
    const kept = this.#state.steps.filter(({ name }) => earlier.has(name));
    await this.#save({ phase, steps: [...kept, { name: phase, state: "running", at: this.#time() }] });
  }

  async end(phase: PhaseName, state: "done" | "failed", detail: string): Promise<void> {
    const steps = this.#withStep({ name: phase, state, at: this.#time(), detail });
    const isUpNow = phase === "save" && state === "done";
    await this.#save({ steps, ...(isUpNow ? { upgrade: undefined } : {}) });
  }

  /** These are to be made. Written once for all of them; those that are known to be there are left as they are. */
  async intend(names: readonly ResourceName[]): Promise<void> {
    const isNew = (name: ResourceName): boolean =>
      !this.#state.resources.some((known) => isKnown(known, name) && known.state !== "gone");
    const missing = names.filter(isNew);
    if (missing.length === 0) return;
    const kept = this.#state.resources.filter((known) => !missing.some((name) => isKnown(known, name)));
    const added = missing.map(({ type, id }): ResourceRecord => ({
      type,
      id,
      state: "intended",
      at: this.#time(),
    }));
    await this.#save({ resources: [...kept, ...added] });
  }

  async made(name: ResourceName, attributes?: Readonly<Record<string, string>>): Promise<void> {
    await this.#put({ ...name, state: "made", at: this.#time(), attributes });
  }

  /** It was looked for and is not there any more. */
  async gone(name: ResourceName): Promise<void> {
    await this.#put({ ...name, state: "gone", at: this.#time() });
  }

  /** Says that it is to be made, makes it, and says that it was. */
  async make<T>(name: ResourceName, make: () => Promise<T>): Promise<T> {
    await this.intend([name]);
    const result = await make();
    await this.made(name);
    return result;
  }

  async note(facts: {
    readonly endpoints?: Readonly<Record<string, string>>;
    readonly target?: TargetRecord;
    /** Where the notes were lost, and things outside tell. */
    readonly installation?: string;
    /** Begins here, and ends with the last phase. */
    readonly upgrade?: UpgradeRecord;
  }): Promise<void> {
    const { endpoints = {}, ...others } = facts;
    await this.#save({ ...others, endpoints: { ...this.#state.endpoints, ...endpoints } });
  }

  /** Those that are there, or may be. */
  existing(): ResourceRecord[] {
    return this.#state.resources.filter(({ state }) => state !== "gone");
  }

  /** A provider remembers this, in the place of what it remembered of that step. */
  async provide(record: ProviderRecord): Promise<void> {
    const { provided } = this.#state;
    const index = provided.findIndex(({ step }) => step === record.step);
    await this.#save({ provided: index < 0 ? [...provided, record] : provided.with(index, record) });
  }

  /** What a provider has made, or may have. */
  provided(): ProviderRecord[] {
    return this.#state.provided.filter(({ state }) => state !== "gone");
  }

  async #put(record: ResourceRecord): Promise<void> {
    const others = this.#state.resources.filter((known) => !isKnown(known, record));
    const { type, id, state, at, attributes } = record;
    const kept = attributes ?? this.#state.resources.find((known) => isKnown(known, record))?.attributes;
    const entry = { type, id, state, at, ...(kept === undefined ? {} : { attributes: kept }) };
    await this.#save({ resources: [...others, entry] });
  }

  #withStep(step: StepRecord): StepRecord[] {
    return [...this.#state.steps.filter(({ name }) => name !== step.name), step];
  }

  /** In memory only after it is on disk: what could not be written was not said. */
  async #save(change: Partial<InstallationState>): Promise<void> {
    const next = { ...this.#state, ...change };
    await this.#write(next);
    this.#state = next;
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
