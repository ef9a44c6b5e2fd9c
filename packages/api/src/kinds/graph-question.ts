import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { graphQuestions, questionFilters, type WatchedQuestion } from "../bodies/graph-questions.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  dateTime,
  flag,
  integer,
  line,
  list,
  map,
  object,
  optional,
  secret,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, identifier, singleLine, type TextRule } from "../schema/text-rule.ts";
import { createValidator } from "../validate/validator.ts";
import type { Problem } from "../validate/report.ts";
import { author, deleter } from "./author.ts";

const url: TextRule = {
  pattern: "^https://[^\\s\\p{Cc}/@]+(/[^\\s\\p{Cc}]*)?$",
  expects: "an address that starts with https://, without user name or password",
  maxLength: 2_048,
};

/** The questions that can be watched: all but those about several times, and the one for pictures. */
const watched: readonly [WatchedQuestion, ...WatchedQuestion[]] = [
  "exposure",
  "audit",
  "orphans",
  "path",
  "uses",
  "blast-radius",
  "who-can",
  "what-can",
  "images",
  "search",
];

const spec = object("A question, and who is told when its answer changes.", {
  question: choice("The question, as it is in the address of the API.", [...watched]),
  parameters: withDefault(
    map(
      "Its parameters, as in the address; `cluster` and `at` are none of them.",
      text("A value.", { maxLength: 1_024 }),
      {
        keys: identifier,
        maxProperties: 8,
      },
    ),
    {},
  ),
  cluster: optional(text("Only in this Cluster; missing for all that its author may see.", dnsLabel)),
  webhook: optional(
    object("Where to send what changed, beside the event.", {
      url: text("The address, which gets a POST with JSON.", {
        ...url,
        examples: ["https://alerts.example.com/bowline"],
      }),
      secret: optional(
        secret(
          text(
            "What the body is signed with (HMAC with SHA-256, in the header Bowline-Signature). Kept encrypted and never returned.",
            {
              minLength: 16,
              maxLength: 1_024,
            },
          ),
        ),
      ),
    }),
  ),
});

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** As many parts of an answer as are compared one by one, and as many changes as wait for a webhook. */
export const questionLimits = { items: 500, told: 20, waiting: 10, text: 256 } as const;

const itemText = line("For people.", singleLine, questionLimits.text);
const texts = (description: string) => list(description, itemText, { maxItems: questionLimits.told });

const change = object("A change of the answer that the webhook was not told of yet.", {
  id: line("Names it: a webhook that gets it twice sees the same id.", singleLine, 64),
  at: dateTime("When it was noticed."),
  cameCount: integer("How many parts of the answer are new.", count),
  wentCount: integer("How many are there no more.", count),
  came: texts("The first of those that are new."),
  went: texts("The first of those that are there no more."),
  attempts: withDefault(integer("How often it was sent in vain.", count), 0),
  nextAttemptAt: optional(dateTime("When it is sent again.")),
});

const status = statusOf({
  author: optional(author),
  deletedBy: optional(deleter),
  answer: optional(
    object("The answer, when it last changed.", {
      generation: integer("The generation of the question that it answers.", count),
      digest: line("The same for the same answer.", singleLine, 71),
      count: integer("How many parts it has.", count),
      withheld: integer("How much its author may not see.", count),
      truncated: flag("Whether there is more than can be told."),
      changedAt: dateTime("Since when it is so."),
    }),
  ),
  items: withDefault(
    list(
      "The parts of the answer, to compare the next one with.",
      object("A part.", { id: line("Tells it apart.", singleLine, 32), text: itemText }),
      { maxItems: questionLimits.items },
    ),
    [],
  ),
  waiting: withDefault(
    list("Changes that the webhook was not told of yet, the oldest first.", change, {
      maxItems: questionLimits.waiting,
    }),
    [],
  ),
  droppedCount: withDefault(
    integer("How many changes the webhook was never told of, because too many waited.", count),
    0,
  ),
  deliveredAt: optional(dateTime("When the webhook last took something.")),
});

export const GraphQuestion = defineKind({
  kind: "GraphQuestion",
  plural: "graphquestions",
  shortNames: ["gq"],
  description: "A question about the objects of clusters that is asked again whenever they change.",
  spec,
  status,
  columns: [
    { header: "QUESTION", path: "spec.question" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "COUNT", path: "status.answer.count" },
    { header: "CHANGED", path: "status.answer.changedAt", format: "age" },
    { header: "CLUSTER", path: "spec.cluster", wide: true },
    { header: "AUTHOR", path: "status.author.user", wide: true },
    { header: "WEBHOOK", path: "spec.webhook.url", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: ["spec.question", "spec.cluster", "status.author.user", "status.conditions.Ready"],
  recordsAuthor: true,
  conditions: {
    Ready: "The question was asked, with the rights of whoever wrote it.",
    Delivered: "The webhook has taken all that changed.",
  },
  check: ({ question, parameters }) => parameterProblems(question, parameters),
});
export type GraphQuestion = ObjectOf<typeof GraphQuestion>;

/** The same that the API would say of these parameters. */
function parameterProblems(
  question: WatchedQuestion,
  parameters: Readonly<Record<string, string>>,
): Problem[] {
  const own = ["cluster", "at"].filter((name) => name in parameters);
  if (own.length > 0) {
    return own.map((name) => ({
      path: `spec.parameters.${name}`,
      message: "is no parameter of a question that is watched",
    }));
  }
  const { filters } = graphQuestions[question];
  const read = createValidator(filters)(questionFilters(question, parameters));
  return read.ok
    ? []
    : read.problems.map(({ path, message }) => ({ path: `spec.parameters.${path}`, message }));
}
