import type { Field } from "../field/field.ts";

/** As much of the grammar as every reader of addresses agrees on: ours takes some that Prometheus refuses. */
const pattern =
  /^([a-z][a-z0-9+.-]*):\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?(?:[\w.~\u{80}-\u{10ffff}-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#][^\p{Cc}]*)?$/iu;
const brokenEscape = /%(?![0-9a-f]{2})/iu;

/** Whether the collector takes it for an address with a host. A bad one costs it the whole configuration. */
export function isUrl(text: string): boolean {
  return pattern.test(text) && !brokenEscape.test(text) && URL.canParse(text);
}

/** The text of an address with a scheme and a host. */
export function readHttpUrl(field: Field): string | undefined {
  const text = field.word();
  if (text !== undefined && !(isUrl(text) && /^https?:/iu.test(text))) {
    field.reject(`${field.path} is no URL.`, "Give a URL that begins with http:// or https://.");
  }
  return text;
}
