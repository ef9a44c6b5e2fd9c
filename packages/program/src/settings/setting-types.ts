import {
  durationForm,
  parseAddress,
  parseDurationMs,
  parseSizeBytes,
  sizeForm,
  type Address,
} from "@bowline/core";

import type { SettingType } from "./setting.ts";

export const text: SettingType<string> = {
  placeholder: "TEXT",
  expects: "a text on one line",
  parse: (given) => (/^[^\n\r]+$/u.test(given) ? given : undefined),
};

/** A path; what is relative starts from where the program is started. */
export const path: SettingType<string> = { ...text, placeholder: "FILE", expects: "a path" };

export const address: SettingType<Address> = {
  placeholder: "HOST:PORT",
  expects: "an address with a port, such as 127.0.0.1:7443, 0.0.0.0:7443 or [::]:7443",
  parse: parseAddress,
};

/** An address of the web, without a slash at its end. */
export const webUrl: SettingType<string> = {
  placeholder: "URL",
  expects: "an address such as https://bowline.example.com",
  schema: { type: "string", pattern: "^https?://[^,\\s]+$" },
  parse(given) {
    const url = urlOf(given, ["https:", "http:"]);
    return url === undefined || url.username !== "" ? undefined : url.href.replace(/\/+$/u, "");
  },
};

/** An address that is taken as it is. */
export function exactUrl(schemes: readonly string[], example: string): SettingType<string> {
  return {
    placeholder: "URL",
    expects: `an address such as ${example}`,
    schema: { type: "string", pattern: `^${anyOf(schemes)}//[^,\\s]+$` },
    parse: (given) => (urlOf(given, schemes) === undefined ? undefined : given),
  };
}

/** Addresses with commas between, taken as they are. */
export function urlList(schemes: readonly string[], example: string): SettingType<readonly string[]> {
  return {
    placeholder: "URL,URL",
    expects: `one or more addresses such as ${example}, with commas between`,
    isList: true,
    schema: { type: "array", items: { type: "string", pattern: `^${anyOf(schemes)}//[^,\\s]+$` } },
    parse(given) {
      const urls = listItems(given);
      return urls.every((url) => urlOf(url, schemes) !== undefined) ? urls : undefined;
    },
  };
}

/** A text of a form; `expects` completes the sentence "it must be …". */
export function matching(form: RegExp, placeholder: string, expects: string): SettingType<string> {
  return { placeholder, expects, parse: (given) => (form.test(given) ? given : undefined) };
}

/** The name of a namespace of Kubernetes, which becomes part of an address. */
export const namespaceName: SettingType<string> = matching(
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u,
  "NAMESPACE",
  "the name of a namespace",
);

export function choice<const T extends string>(...choices: readonly T[]): SettingType<T> {
  return {
    placeholder: choices.join("|"),
    expects: choices.length === 1 ? choices.join() : `one of ${choices.join(", ")}`,
    schema: { type: "string", enum: choices },
    parse: (given) => choices.find((each) => each === given),
  };
}

export const onOff: SettingType<boolean> = {
  placeholder: "on|off",
  expects: "on or off",
  schema: { type: "string", enum: ["on", "off"] },
  parse: (given) => (given === "on" ? true : given === "off" ? false : undefined),
};

export function integer(least: number, most: number): SettingType<number> {
  return {
    placeholder: "COUNT",
    expects: `a whole number from ${least} to ${most}`,
    schema: { type: "integer", minimum: least, maximum: most },
    parse(given) {
      const value = /^\d{1,15}$/u.test(given) ? Number(given) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export interface DurationOptions {
  /** A bare number was taken for seconds once, and still is. */
  readonly bareSeconds?: boolean;
}

/** Milliseconds, written as `30s`, `1h30m` or `7d`. */
export function duration(
  least: string,
  most: string,
  { bareSeconds = false }: DurationOptions = {},
): SettingType<number> {
  const [leastMs, mostMs] = [parseDurationMs(least) ?? 0, parseDurationMs(most) ?? Infinity];
  const withUnit = (given: string): string => (bareSeconds && /^\d{1,9}$/u.test(given) ? `${given}s` : given);
  return {
    placeholder: "DURATION",
    expects: `${durationForm}, from ${least} to ${most}`,
    schema: { type: "string", pattern: "^([0-9]{1,9}([.][0-9]{1,9})?(ms|[smhdwy]))+$" },
    parse(given) {
      const value = parseDurationMs(withUnit(given));
      return value !== undefined && value >= leastMs && value <= mostMs ? value : undefined;
    },
    show: withUnit,
  };
}

/** Bytes, written as `512KiB` or `4MiB`. */
export function size(least: string, most: string): SettingType<number> {
  const [leastBytes, mostBytes] = [parseSizeBytes(least) ?? 0, parseSizeBytes(most) ?? Infinity];
  return {
    placeholder: "SIZE",
    expects: `${sizeForm}, from ${least} to ${most}`,
    schema: { type: "string", pattern: "^[0-9]{1,9}([KMGT]iB?)?$" },
    parse(given) {
      const value = parseSizeBytes(given);
      return value !== undefined && value >= leastBytes && value <= mostBytes ? value : undefined;
    },
  };
}

/** Several texts with commas between. */
export const list: SettingType<readonly string[]> = {
  placeholder: "A,B",
  expects: "one or more values with commas between",
  isList: true,
  schema: { type: "array", items: { type: "string", pattern: "^[^,\\r\\n]+$" } },
  parse(given) {
    const items = listItems(given);
    return items.every((item) => item !== "") ? items : undefined;
  },
};

/** Texts that each stand for one of the choices: `name=choice`. */
export function mapping<const T extends string>(
  ...choices: readonly T[]
): SettingType<Readonly<Record<string, T>>> {
  return {
    placeholder: `NAME=${choices.join("|")}`,
    expects: `one or more NAME=CHOICE with commas between, where a choice is one of ${choices.join(", ")}`,
    isList: true,
    schema: { type: "array", items: { type: "string", pattern: `^[^,\\r\\n]+=${anyOf(choices)}$` } },
    parse(given) {
      const entries = listItems(given).map((item) => {
        const [, name, choice] = /^(.+)=([^=]+)$/u.exec(item) ?? [];
        return [name, choices.find((each) => each === choice)] as const;
      });
      return entries.every((entry): entry is readonly [string, T] => !entry.includes(undefined))
        ? Object.fromEntries(entries)
        : undefined;
    },
  };
}

/** Names, each with a text that a pattern for the whole item knows; the same name twice is refused. */
export function pairs(
  placeholder: string,
  expects: string,
  pattern: RegExp,
): SettingType<Readonly<Record<string, string>>> {
  return {
    placeholder,
    expects,
    isList: true,
    schema: { type: "array", items: { type: "string", pattern: pattern.source } },
    parse(given) {
      const items = listItems(given);
      if (!items.every((item) => pattern.test(item))) return undefined;
      const entries = items.map((item) => {
        const end = item.indexOf("=");
        return [item.slice(0, end), item.slice(end + 1)] as const;
      });
      const found = Object.fromEntries(entries);
      return Object.keys(found).length === items.length ? found : undefined;
    },
  };
}

/** A list in the config file has its items on lines of their own, so that they may hold commas. */
export function listText(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}

/** The items of a list, however it was given. */
export function listItems(given: string): string[] {
  const items = given.includes("\n") ? given.split("\n").slice(0, -1) : given.split(",");
  return items.map((item) => item.trim());
}

/** Of texts without characters that mean something in a pattern but `.` and `+`. */
function anyOf(texts: readonly string[]): string {
  return `(${texts.map((text) => text.replaceAll(/[.+]/gu, "[$&]")).join("|")})`;
}

function urlOf(given: string, schemes: readonly string[]): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && schemes.includes(url.protocol) ? url : undefined;
}
