/** How a setting is written. Flags, variables and the config file all give text; one reader serves them all. */
export interface SettingType<T> {
  /** Stands after the flag in the help: `--listen <HOST:PORT>`. */
  readonly placeholder: string;
  /** Completes the sentence "it must be …". */
  readonly expects: string;
  /** Several values with commas between; the flag may be repeated, and the file may have a list. */
  readonly isList?: boolean;
  /** As much of it as JSON Schema can say: for the values of a chart, which other programs check. */
  readonly schema?: SettingSchema;
  /** Undefined for what is not of this type. */
  parse(text: string): T | undefined;
  /** The text as `check-config` shows it, where that is not what was given. */
  show?(text: string): string;
}

/** A setting as a value of JSON; a text on one line where nothing is said. Patterns are understood by RE2 too. */
interface SettingSchema {
  readonly type: "string" | "integer" | "array";
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly type: "string"; readonly pattern?: string };
}

export interface Setting<T = unknown> {
  readonly type: SettingType<T>;
  /** One sentence or more: the help shows the first, the reference all of them. */
  readonly description: string;
  /** As a person would write it. */
  readonly default?: string;
  /** The consequence of leaving it out, where that is not a fixed value. */
  readonly otherwise?: string;
  /**
   * The part that must not be shown. A setting that holds a secret can also be given as the path of a file that holds
   * it.
   * - `whole`: all of it; it has no flag, because other users of the machine can read the flags of a process
   * - `password`: the password in an address; what is shown has it replaced
   */
  readonly secret?: "whole" | "password";
  /** Of a secret that is needed once: a file that is gone, or empty, counts as not given. */
  readonly fileMayBeGone?: boolean;
  /** The flag, without `--`, where it is not the path in the table. */
  readonly flag?: string;
  /** The variable, where it is not made from the flag. */
  readonly variable?: string;
}

/** Settings by name, in groups; a group of the table is a group of the config file. */
export interface SettingGroup {
  readonly [name: string]: Setting | SettingGroup;
}

/** The values that a table of settings is read into. */
export type ValuesOf<G> = {
  readonly [K in keyof G]: G[K] extends Setting ? ValueOf<G[K]> : ValuesOf<G[K]>;
};

type ValueOf<S> = S extends { type: SettingType<infer T>; default: string }
  ? T
  : S extends { type: SettingType<infer T> }
    ? T | undefined
    : never;

export function isSetting(node: Setting | SettingGroup): node is Setting {
  return typeof node["description"] === "string";
}
