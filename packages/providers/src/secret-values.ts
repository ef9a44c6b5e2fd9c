import { redactText } from "@bowline/core";

const redacted = "[Redacted]";
/** What is shorter, such as a brace or the name of a region, is found where it is no secret. */
const shortestSecret = 8;

/** The values that a provider, or its program, is given and nobody else may come to see. */
export class SecretValues {
  readonly #values: readonly string[];
  /** In every form in which programs repeat them, line by line as well, the longest first. */
  readonly #forms: readonly string[];

  constructor(values: readonly string[]) {
    this.#values = values;
    const lines = values.flatMap((value) => value.split("\n")).filter(isSecretLine);
    this.#forms = [...new Set([...values, ...lines].flatMap(formsOf))]
      .filter((form) => form.trim() !== "")
      .sort((one, other) => other.length - one.length);
  }

  /** Whether a text has one of them as a whole. */
  areIn(text: string): boolean {
    const whole = this.#values.filter(({ length }) => length >= shortestSecret);
    return whole.flatMap(formsOf).some((form) => text.includes(form));
  }

  /** The text without them, and without what looks like a secret. */
  redact(text: string): string {
    return redactText(this.#forms.reduce((rest, form) => rest.replaceAll(form, redacted), text));
  }

  /** The last bytes of a log. Of a log whose beginning is missing, half a secret may be the first that is left. */
  lastOf(log: string, isCut: boolean, bytes: number): string {
    const longest = this.#forms[0]?.length ?? 0;
    const whole = Buffer.from(this.redact(isCut ? log.slice(longest) : log).trim());
    return whole
      .subarray(-bytes)
      .toString("utf8")
      .replace(/^\uFFFD+/u, "");
  }
}

function isSecretLine(line: string): boolean {
  return line.length >= shortestSecret && !line.startsWith("-----");
}

function formsOf(value: string): string[] {
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    Buffer.from(value).toString("base64"),
  ];
}
