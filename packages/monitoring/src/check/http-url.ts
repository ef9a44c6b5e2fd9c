import type { Field } from "../field/field.ts";

/** The text of an address with a scheme and a host. */
export function readHttpUrl(field: Field): string | undefined {
  const text = field.word();
  if (text !== undefined && !/^https?:$/u.test(URL.parse(text)?.protocol ?? "")) {
    field.reject(`${field.path} is no URL.`, "Give a URL that begins with http:// or https://.");
  }
  return text;
}
