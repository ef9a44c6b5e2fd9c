import type { GraphAnswer, GraphData, GraphQuestionName } from "@bowline/api";
import type { GraphQuery } from "@bowline/client";

import type { CommandContext } from "../../command/command-context.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";
import { answerNotes } from "./answer-notes.ts";
import { nodeLines, type AnswerNode, type TableOptions } from "./answer-text.ts";
import { questionScope, type QuestionOptions } from "./question-options.ts";

/** How one question is asked and its answer shown. */
export interface Question<Name extends GraphQuestionName, Data = GraphData<Name>> {
  /** As in its address. */
  readonly name: Name;
  readonly query: GraphQuery;
  /** The answer as text, for `table` and `wide`; empty where there is nothing. */
  readonly table: (data: Data, options: TableOptions) => string;
  /** The nodes that the answer consists of, for `-o name`. */
  readonly nodes: (data: Data) => readonly AnswerNode[];
  /** The sentence when there is nothing. */
  readonly whenNone: (data: Data) => string;
  /** What else there is to say, on standard error. */
  readonly notes?: (data: Data) => readonly string[];
  /** The notes say how much more there is. */
  readonly isPaged?: boolean;
  /** Throws what is to be said instead of an answer, such as that there is no such object. */
  readonly check?: (data: Data, reply: GraphAnswer<Data>) => Promise<void>;
}

/** Asks, prints what was asked for on standard output, and what it may lack on standard error. */
export async function askQuestion<Name extends GraphQuestionName>(
  context: CommandContext,
  question: Question<Name>,
  options: QuestionOptions,
): Promise<GraphAnswer<GraphData<Name>>> {
  const { terminal, clock, signal } = context;
  const query = { ...question.query, ...questionScope(options, clock.now()) };
  const client = await context.client();
  const reply = await patiently(context, () => client.askGraph(question.name, query, { signal }));
  await question.check?.(reply.data, reply);
  await printReply(context, question, options, reply);
  if (isDocument(options)) return reply;
  const about = { isPast: options.at !== undefined, isPaged: question.isPaged, nowMs: clock.now() };
  const notes = [...(question.notes?.(reply.data) ?? []).map(printableLine), ...answerNotes(reply, about)];
  terminal.error(notes.map((note) => `${note}\n`).join(""));
  return reply;
}

/** A graph that nobody has asked about for a while is loaded first, which takes seconds where it is large. */
const slowMs = 1_000;

/** Says that it waits, to people whom it takes long. */
async function patiently<T>({ terminal, clock }: CommandContext, ask: () => Promise<T>): Promise<T> {
  using progress = new ProgressLine(terminal);
  const stop = clock.after(slowMs, () => progress.show("Waiting for the server's answer …"));
  try {
    return await ask();
  } finally {
    stop();
  }
}

async function printReply<Name extends GraphQuestionName>(
  { terminal }: CommandContext,
  question: Question<Name>,
  options: QuestionOptions,
  reply: GraphAnswer<GraphData<Name>>,
): Promise<void> {
  const { output, headers } = options;
  if (output === "json" || output === "yaml") return terminal.out(await toDocument(reply, output));
  const text =
    output === "name"
      ? nodeLines(question.nodes(reply.data))
      : question.table(reply.data, { wide: output === "wide", headers });
  if (text === "") terminal.error(`${printableLine(question.whenNone(reply.data))}\n`);
  else terminal.out(text);
}

function isDocument({ output }: QuestionOptions): boolean {
  return output === "json" || output === "yaml";
}
