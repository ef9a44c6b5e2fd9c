/** The questions that have a card, in their order. */
export const askedQuestions = [
  "who-can",
  "what-can",
  "uses",
  "images",
  "blast-radius",
  "path",
  "exposure",
  "orphans",
  "audit",
  "diff",
] as const;
export type AskedQuestion = (typeof askedQuestions)[number];

/** The parameters that questions have; a form has those of its own. */
const askParameters = [
  "verb",
  "resource",
  "subject",
  "node",
  "from",
  "to",
  "image",
  "name",
  "namespace",
  "severity",
  "cluster",
  "at",
] as const;
export type AskParameter = (typeof askParameters)[number];

/** A question as it is in the address: a link asks the same again. */
export type AskSearch = { readonly q?: AskedQuestion } & { readonly [Name in AskParameter]?: string };

/** Takes what can be meant from an address, which anybody may have written. */
export function readAskSearch(search: Readonly<Record<string, unknown>>): AskSearch {
  const q = askedQuestions.find((name) => name === search["q"]);
  const given = askParameters.flatMap((name): [AskParameter, string][] => {
    const value = search[name];
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    return typeof text === "string" && text !== "" && text.length <= longest ? [[name, text]] : [];
  });
  return { ...(q === undefined ? {} : { q }), ...Object.fromEntries(given) };
}

const longest = 1_024;

/** The parameters of a question, of all that are in an address. */
export function parametersOf(search: AskSearch, names: readonly string[]): Record<string, string> {
  const given = askParameters.flatMap((name): [string, string][] => {
    const value = search[name];
    return value === undefined || !names.includes(name) ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}
