export const accessTabs = ["matrix", "grants", "users", "tokens", "as"] as const;
type AccessTab = (typeof accessTabs)[number];

/** The address of the screen says all that one sees there. */
export interface AccessSearch {
  readonly tab?: AccessTab;
  readonly q?: string;
  readonly sort?: string;
  readonly desc?: boolean;
  /** `grant/NAME` or `user/NAME`; a new one without a name. */
  readonly edit?: string;
  /** Whose view is shown. */
  readonly as?: string;
}

/** What is to become another; undefined goes. */
export type AccessChange = { readonly [Name in keyof AccessSearch]?: AccessSearch[Name] | undefined };

/** Whatever an address says, as far as it is a place of the screen. */
export function readAccessSearch(search: Readonly<Record<string, unknown>>): AccessSearch {
  const { tab, q, sort, desc, edit, as } = search;
  const known = accessTabs.find((name) => name === tab);
  return {
    ...(known === undefined ? {} : { tab: known }),
    ...textPart("q", q),
    ...textPart("sort", sort),
    ...(desc === true ? { desc } : {}),
    ...(typeof edit === "string" && /^(?:grant|user)\//u.test(edit) ? { edit } : {}),
    ...textPart("as", as),
  };
}

function textPart(name: "q" | "sort" | "as", value: unknown): AccessSearch {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? { [name]: text } : {};
}
