import { AwsFailure } from "../aws-failure.ts";

/** An element of a request: what is in it, or its text. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** As much of XML as SDKs write: elements, attributes that nobody reads, text, and no more. */
export function readXml(source: string): XmlElement {
  const stack: { name: string; children: XmlElement[]; text: string }[] = [
    { name: "", children: [], text: "" },
  ];
  for (const [, closing, name = "", selfClosing, text = ""] of source
    .replace(/<\?[^>]*\?>/gu, "")
    .matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>|([^<]+)/gu)) {
    const top = stack.at(-1);
    if (top === undefined) break;
    if (name === "") top.text += unescape(text);
    else if (closing === "/") closeElement(stack, name);
    else {
      stack.push({ name, children: [], text: "" });
      if (selfClosing === "/") closeElement(stack, name);
    }
  }
  const [root] = stack[0]?.children ?? [];
  if (root === undefined || stack.length !== 1) throw malformed();
  return root;
}

function closeElement(stack: { name: string; children: XmlElement[]; text: string }[], name: string): void {
  const element = stack.pop();
  if (element?.name !== name) throw malformed();
  stack.at(-1)?.children.push(element);
}

function unescape(text: string): string {
  return text.replaceAll(/&(\w+);/gu, (whole, name: string) => entities[name] ?? whole);
}

function malformed(): AwsFailure {
  return new AwsFailure("InvalidInput", "Invalid XML");
}

export function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((child) => child.name === name);
}

/** The text of an element in it; undefined where there is none. */
export function textIn(element: XmlElement, name: string): string | undefined {
  return childOf(element, name)?.text;
}
