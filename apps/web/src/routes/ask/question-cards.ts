import { graphQuestions, type JsonSchema } from "@bowline/api";

import { askedQuestions, type AskedQuestion, type AskParameter } from "../../graph/ask-search.ts";

/** A question as a card. */
export interface QuestionCard {
  readonly name: AskedQuestion;
  readonly title: string;
  readonly about: string;
  /** Whether "tell me when this changes" makes sense: not for two times. */
  readonly canBeWatched: boolean;
  readonly fields: readonly QuestionField[];
}

export interface QuestionField {
  readonly name: AskParameter;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly type: "node" | "text" | "time" | "choice";
  readonly options: readonly string[];
}

const texts: Readonly<Record<AskedQuestion, { readonly title: string; readonly about: string }>> = {
  "who-can": {
    title: "Who can …?",
    about: "Who may do something, by which rule, and who of our people becomes them by an AccessGrant.",
  },
  "what-can": {
    title: "What can … do?",
    about: "Every rule that somebody has, and whom they can become by it.",
  },
  uses: {
    title: "Who uses this?",
    about: "Who reads a Secret, a ConfigMap or a claim, runs an image or runs as a ServiceAccount.",
  },
  images: { title: "Where does this image run?", about: "Which images run where, by digest." },
  "blast-radius": {
    title: "What breaks if this goes?",
    about: "What depends on an object, hop by hop, and what one reaches from it.",
  },
  path: {
    title: "Path from A to B",
    about: "The shortest way from one object to another, and where to cut it.",
  },
  exposure: {
    title: "What is exposed?",
    about: "Secrets that can be read from behind Services that are reached from outside.",
  },
  orphans: { title: "What is left over?", about: "What nobody uses, and what is used and does not exist." },
  audit: { title: "What is weak?", about: "What an attacker would like, the worst first." },
  diff: { title: "What changed?", about: "What came, went and changed between two times." },
};

const labels: Readonly<Record<AskParameter, string>> = {
  verb: "Do what",
  resource: "To what",
  subject: "Who",
  node: "Object",
  from: "From",
  to: "To",
  image: "Image",
  name: "Object of the name",
  namespace: "Namespace",
  severity: "At least",
  cluster: "Cluster",
  at: "As of",
};

function isParameter(name: string): name is AskParameter {
  return Object.hasOwn(labels, name);
}

/** The fields of a form are the parameters of the question, as the API has them. */
function fieldsOf(question: AskedQuestion): QuestionField[] {
  const schema: JsonSchema = graphQuestions[question].filters;
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): QuestionField[] => {
    if (!isParameter(name)) return [];
    return [
      {
        name,
        label: labels[name],
        help: field.description ?? "",
        isRequired: required.has(name),
        type: typeOf(name, question, field),
        options: (field.enum ?? []).map(String),
      },
    ];
  });
}

function typeOf(name: AskParameter, question: AskedQuestion, schema: JsonSchema): QuestionField["type"] {
  if (schema.format === "date-time") return "time";
  if (schema.enum !== undefined) return "choice";
  return name === "node" || (question === "path" && (name === "from" || name === "to")) ? "node" : "text";
}

function card(name: AskedQuestion): QuestionCard {
  return { name, ...texts[name], canBeWatched: name !== "diff", fields: fieldsOf(name) };
}

export const questionCards: ReadonlyMap<AskedQuestion, QuestionCard> = new Map(
  askedQuestions.map((name) => [name, card(name)]),
);

/** Whether everything is given that the question needs. */
export function isComplete({ fields }: QuestionCard, given: Readonly<Record<string, string>>): boolean {
  return fields.every(({ name, isRequired }) => !isRequired || given[name] !== undefined);
}

/** A time field has local time without a zone; questions take the moment. Empty for none. */
export function momentOf(local: string): string {
  const timeMs = Date.parse(local);
  return local === "" || Number.isNaN(timeMs) ? "" : new Date(timeMs).toISOString();
}

/** The moment as a time field has it, where the browser is. */
export function localTime(moment: string | undefined): string {
  const timeMs = Date.parse(moment ?? "");
  if (Number.isNaN(timeMs)) return "";
  const shifted = new Date(timeMs - new Date(timeMs).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
