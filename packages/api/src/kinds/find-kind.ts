import { BowlineError, didYouMean } from "@bowline/core";

import type { Kind } from "../kind/kind.ts";
import { kinds } from "./index.ts";

function namesOf(kind: Kind): readonly string[] {
  return [kind.plural, kind.singular, ...kind.shortNames];
}

/** The kind that goes by a name: its own, its plural, its singular or a short one, in upper or lower case. */
export function findKind(name: string, among: readonly Kind[] = kinds): Kind | undefined {
  const wanted = name.toLowerCase();
  return among.find((kind) => namesOf(kind).includes(wanted));
}

/** The same, or an error that says what the name was probably meant to be. */
export function requireKind(name: string): Kind {
  const found = findKind(name);
  if (found !== undefined) return found;
  const meant = didYouMean(name, kinds.flatMap(namesOf));
  const hint = meant === "" ? `; the kinds are ${kinds.map((kind) => kind.plural).join(", ")}.` : meant;
  throw new BowlineError("InvalidArgument", `There is no kind «${name.slice(0, 64)}»${hint}`);
}
