export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

/**
 * Fields as elements; what is in a list is called `item` by EC2, `member` by others, and after the list by Route 53.
 */
export function toXml(value: XmlValue, itemName: string | ((list: string) => string), list = ""): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) {
    const element = typeof itemName === "string" ? itemName : itemName(list);
    return value.map((item: XmlValue) => `<${element}>${toXml(item, itemName)}</${element}>`).join("");
  }
  if (typeof value !== "object") return escape(String(value));
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `<${name}>${toXml(field, itemName, name)}</${name}>`)
    .join("");
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
