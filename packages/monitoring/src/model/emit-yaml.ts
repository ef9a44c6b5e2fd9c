import { Verbatim, type ConfigMap, type ConfigValue } from "./config-value.ts";

/**
 * Writes configuration as YAML: block style, keys in the order of the map, two spaces. It writes only what any YAML
 * 1.1 or 1.2 reader takes the same way, which is why it is not left to a library whose style may change.
 */
export function emitYaml(map: ConfigMap): string {
  const writer = new Writer();
  writer.map(map, "");
  return writer.text();
}

class Writer {
  /** Lines are joined as soon as they are complete: hundreds of thousands of them would cost many times the text. */
  readonly #chunks: string[] = [];
  #lines: string[] = [];

  text(): string {
    this.#flush();
    return this.#chunks.length === 0 ? "{}\n" : this.#chunks.join("");
  }

  map(map: ConfigMap, indent: string): void {
    for (const [key, value] of Object.entries(map)) {
      if (value !== undefined) this.#entry(`${indent}${emitScalar(key)}:`, value, indent);
    }
  }

  #entry(head: string, value: ConfigValue, indent: string): void {
    const short = emitShort(value);
    if (short !== undefined) {
      this.#lines.push(`${head} ${short}`);
      return;
    }
    this.#lines.push(head);
    if (isSequence(value)) this.#list(value, indent);
    else if (isMap(value)) this.map(value, `${indent}  `);
  }

  #list(list: readonly ConfigValue[], indent: string): void {
    for (const item of list) {
      const first = this.#lines.length;
      const short = emitShort(item);
      if (short !== undefined) this.#lines.push(`${indent}- ${short}`);
      else {
        if (isSequence(item)) this.#list(item, `${indent}  `);
        else if (isMap(item)) this.map(item, `${indent}  `);
        // The first line of the item takes the dash into its indentation.
        this.#lines[first] = `${indent}- ${(this.#lines[first] ?? "").slice(indent.length + 2)}`;
      }
      if (indent === "") this.#flush();
    }
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    this.#chunks.push(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
  }
}

/** A value that fits behind a key or a dash: a scalar, or something empty. */
function emitShort(value: ConfigValue): string | undefined {
  if (isScalar(value)) return emitScalar(value);
  if (isSequence(value)) return value.length === 0 ? "[]" : undefined;
  return isMap(value) && Object.values(value).every((item) => item === undefined) ? "{}" : undefined;
}

type Scalar = string | number | boolean | null | Verbatim;

function isScalar(value: ConfigValue): value is Scalar {
  return typeof value !== "object" || value === null || value instanceof Verbatim;
}

function isSequence(value: ConfigValue): value is readonly ConfigValue[] {
  return Array.isArray(value);
}

function isMap(value: ConfigValue): value is ConfigMap {
  return !isScalar(value) && !isSequence(value);
}

/** Starts and goes on with nothing that means something in YAML; `:` and `-` may stand inside, not at the end. */
const plain = /^[A-Za-z_$(/][A-Za-z0-9_$(){}./;|+*^?=~@\\:-]*$/u;
const durationLike = /^[0-9]+(ms|[smhdwy])$/u;
/** Words that YAML 1.1 reads as something other than text. */
const reserved = /^(y|n|yes|no|on|off|true|false|null|nan|inf|e[0-9]+)$/iu;

function emitScalar(value: Scalar): string {
  if (value instanceof Verbatim) return value.source;
  if (typeof value !== "string") return String(value);
  const isPlain =
    (plain.test(value) && !value.endsWith(":") && !reserved.test(value)) || durationLike.test(value);
  return isPlain ? value : quote(value);
}

/** A JSON string is a double-quoted YAML scalar once the characters that YAML calls unprintable are escaped, too. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
