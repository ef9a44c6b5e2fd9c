import { BowlineError } from "./bowline-error.ts";
import { parseAddress, type Address } from "./network/parse-address.ts";
import type { Environment } from "./network/proxy-for.ts";

/** What somebody gave a program when it was started. */
export interface SettingsGiven {
  /** By flag, with `--`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
}

/** One setting, as it was given. Flags are stronger than variables; `InvalidArgument` names the one that is wrong. */
export class GivenSetting {
  /** Undefined when nobody gave it; an empty variable counts as not set. */
  readonly text: string | undefined;
  /** The flag or variable it is from, for messages. */
  readonly #source: string;

  constructor(
    { flag, variable }: { readonly flag?: string | undefined; readonly variable: string },
    { flags, environment }: SettingsGiven,
  ) {
    const fromFlag = flag === undefined ? undefined : flags[`--${flag}`];
    this.#source = fromFlag === undefined ? variable : `--${flag}`;
    const fromVariable = environment[variable];
    this.text = fromFlag ?? (fromVariable === "" ? undefined : fromVariable);
  }

  wrong(expected: string, cause?: unknown): BowlineError {
    const options = cause === undefined ? {} : { cause };
    return new BowlineError("InvalidArgument", `${this.#source} must be ${expected}.`, options);
  }

  count(least: number, most: number): number | undefined {
    if (this.text === undefined) return undefined;
    const value = /^\d{1,9}$/u.test(this.text) ? Number(this.text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw this.wrong(`a whole number from ${least} to ${most}`);
  }

  flag(otherwise: boolean): boolean {
    if (this.text === undefined) return otherwise;
    if (this.text === "on" || this.text === "off") return this.text === "on";
    throw this.wrong("on or off");
  }

  oneOf<Value extends string>(values: readonly Value[]): Value | undefined {
    const value = values.find((each) => each === this.text);
    if (value !== undefined || this.text === undefined) return value;
    throw this.wrong(values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`);
  }

  address(otherwise: string): Address {
    const address = parseAddress(this.text ?? otherwise);
    if (address !== undefined) return address;
    throw this.wrong(`an address with a port, such as ${otherwise}`);
  }
}
