import { dnsLabel, type Kind } from "@bowline/api";

import { notFound } from "@bowline/store";
import type { ObjectRequest } from "./object-api.ts";

const pattern = new RegExp(dnsLabel.pattern, "u");

/** The name in the address. What cannot be a name is `NotFound`, and does not get as far as the database. */
export function requireName(kind: Kind, { params }: Pick<ObjectRequest, "params">): string {
  const { name } = params;
  if (name.length <= dnsLabel.maxLength && pattern.test(name)) return name;
  throw notFound(kind, name.slice(0, dnsLabel.maxLength));
}
