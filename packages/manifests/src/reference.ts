/**
 * References to parameters, as they stand inside of text: `${{ replicas }}`, `${{ cluster.labels.tier }}`. `$${{` writes
 * the characters `${{` themselves. The opening is one that neither shells, nor Kubernetes (`$(NAME)`), nor Helm use.
 */
export type TextPart =
  | { readonly text: string }
  /** `replicas`, or the name of a fact: `cluster.labels.tier`. */
  | { readonly reference: string }
  /** Something that looks like a reference and is none: a fragment that reads on from the path of the text. */
  | { readonly problem: string };

const opening = "${{";
const closing = "}}";

/** A fragment that reads on from the path of a key. */
export const openingInKey = "has ${{ in a key; only values can refer to parameters";

/** Whether there is something to look at: most texts have none. */
export function hasOpening(text: string): boolean {
  return text.includes(opening);
}

/** Takes a text apart. What stands between two references is one part; parts are never empty text. */
export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = "";
  let from = 0;
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, from)) {
    const isEscaped = at > from && text[at - 1] === "$";
    if (isEscaped) {
      literal += text.slice(from, at - 1) + opening;
      from = at + opening.length;
      continue;
    }
    literal += text.slice(from, at);
    const end = text.indexOf(closing, at);
    if (end < 0)
      return [...parts, { problem: "has a ${{ without }}; write $${{ for the characters themselves" }];
    if (literal !== "") parts.push({ text: literal });
    literal = "";
    parts.push(readReference(text.slice(at + opening.length, end).trim()));
    from = end + closing.length;
  }
  literal += text.slice(from);
  return literal === "" ? parts : [...parts, { text: literal }];
}

const parameterName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const factName = /^cluster\.(?:name|region|labels\.[A-Za-z0-9][A-Za-z0-9._/-]{0,316})$/;
/** References that may be repeated in a message; whatever else stands there could be anything. */
const showable = /^[A-Za-z0-9._/-]{1,64}$/;

function readReference(name: string): TextPart {
  if (parameterName.test(name) || factName.test(name)) return { reference: name };
  if (name === "") return { problem: "has a reference without a name: ${{ }}" };
  const shown = showable.test(name) ? `refers to ${name}, which` : "has a reference that";
  return {
    problem: `${shown} is neither a parameter nor cluster.name, cluster.region or cluster.labels.KEY`,
  };
}

/** Whether a reference is to a fact about the cluster, not to a parameter. */
export function isFact(reference: string): boolean {
  return reference.includes(".");
}
