import { randomUUID } from "node:crypto";

import {
  createValidator,
  GraphQuestion,
  graphQuestions,
  questionFilters,
  questionLimits,
  type GraphAnswer,
  type GraphData,
  type StatusOf,
  type WatchedQuestion,
} from "@bowline/api";
import type { Identity } from "@bowline/auth";
import {
  backoffDelayMs,
  BowlineError,
  contentId,
  hasCode,
  LruMap,
  type BackoffPolicy,
  type DeepReadonly,
  type Random,
} from "@bowline/core";
import { done, requeueAfter, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import type { GraphQuestions } from "../graph/graph-questions.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import type { GraphRevisions } from "./graph-revisions.ts";
import type { postWebhook } from "./post-webhook.ts";
import { questionItems, type QuestionItem } from "./question-items.ts";

type QuestionTask = ObjectTask<typeof GraphQuestion>;
type QuestionStatus = StatusOf<typeof GraphQuestion>;
type Change = QuestionStatus["waiting"][number];
type WatchedAnswer = GraphAnswer<DeepReadonly<GraphData<WatchedQuestion>>>;

export interface QuestionReconcilerOptions {
  readonly objects: Pick<Store["objects"], "reveal">;
  readonly questions: Pick<GraphQuestions, "ask">;
  readonly revisions: Pick<GraphRevisions, "of">;
  readonly people: Pick<ClusterClients, "identityOf">;
  readonly post: typeof postWebhook;
  readonly random: Random;
  /** How long after a look it is looked again whether the graphs have changed. */
  readonly lookAgainMs?: number | undefined;
}

const backoff: BackoffPolicy = { baseMs: 10_000, factor: 2, maxMs: 3_600_000, jitter: 0.2 };
/** Questions of whose last answer it is known which graphs it was made from. */
const maxAsked = 10_000;

/**
 * Asks a question again when the graphs that it is about have changed, and tells when its answer has. Between two looks
 * nothing but the numbers of the last changes is read.
 */
export class QuestionReconciler {
  readonly #options: QuestionReconcilerOptions;
  /** By id: the graphs, rights and generation that the last answer was made from. */
  readonly #asked = new LruMap<string, string>(maxAsked);

  constructor(options: QuestionReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(question: GraphQuestion, task: QuestionTask): Promise<ReconcileResult> {
    if (question.metadata.deletedAt !== undefined) return done;
    const { lookAgainMs = 10_000 } = this.#options;
    const status = await this.#ask(question, task);
    const retryMs = await this.#deliver(question, status, task);
    return requeueAfter(Math.min(lookAgainMs, retryMs));
  }

  /** Resolves to the status as it is then. */
  async #ask(question: GraphQuestion, task: QuestionTask): Promise<QuestionStatus> {
    const { id, generation } = question.metadata;
    const { author } = question.status;
    const identity =
      author === undefined
        ? undefined
        : await this.#options.people.identityOf({ ...author, groups: author.groups ?? [] });
    if (identity === undefined) {
      const who =
        author === undefined
          ? "Nobody is known to have written it"
          : `The user ${author.user} is not there any more, or disabled`;
      return this.#unready(question, task, {
        reason: "NoSuchUser",
        message: `${who}: nobody's rights are left to ask with. Write it again.`,
      });
    }
    const { cluster } = question.spec;
    try {
      const revision = `${generation} ${await this.#options.revisions.of(identity, cluster)}`;
      if (this.#asked.get(id) === revision) return question.status;
      const answer = await this.#answer(question, identity);
      if (answer.clusters.length === 0) {
        const where = cluster === undefined ? "any cluster" : `the cluster ${cluster}`;
        return await this.#unready(question, task, {
          reason: "NotGranted",
          message: `No AccessGrant lets ${identity.user}, who wrote it, reach ${where}.`,
        });
      }
      const told = await this.#tell(question, answer, task);
      this.#asked.set(id, revision);
      return told;
    } catch (error) {
      if (!hasCode(error, "NotFound", "InvalidArgument")) throw error;
      return this.#unready(question, task, {
        reason: "CannotBeAsked",
        message: BowlineError.from(error).message,
      });
    }
  }

  #answer({ spec }: GraphQuestion, identity: Identity): Promise<WatchedAnswer> {
    const { question, cluster } = spec;
    const filters = createValidator(graphQuestions[question].filters)({
      ...questionFilters(question, spec.parameters),
      ...(cluster === undefined ? {} : { cluster }),
    });
    if (!filters.ok)
      throw new BowlineError("InvalidArgument", `The parameters are not those of ${question}.`);
    return this.#options.questions.ask(identity, question, filters.value);
  }

  async #tell(question: GraphQuestion, answer: WatchedAnswer, task: QuestionTask): Promise<QuestionStatus> {
    const { generation } = question.metadata;
    const { status, spec } = question;
    const items = questionItems(spec.question, answer.data);
    const digest = contentId(JSON.stringify([items.map(({ id }) => id), answer.truncated]));
    const known = status.answer?.generation === generation ? status.answer : undefined;
    const now = new Date(task.nowMs()).toISOString();
    const change =
      known === undefined || known.digest === digest ? undefined : changeOf(status.items, items, now);
    // Before the status: whoever dies in between tells it again, which is counted and not added.
    if (change !== undefined) {
      await task.recordEvent({
        type: change.cameCount > 0 ? "Warning" : "Normal",
        reason: "AnswerChanged",
        message: changeText(change),
      });
    }
    return this.#write(question, task, (current) => ({
      ...current,
      answer: {
        generation,
        digest,
        count: items.length,
        withheld: answer.withheld,
        truncated: answer.truncated,
        changedAt: known?.digest === digest ? known.changedAt : now,
      },
      items: items.slice(0, questionLimits.items),
      ...waitingOf(current, spec.webhook === undefined ? undefined : change, spec.webhook === undefined),
      conditions: [
        ...setCondition(
          current.conditions,
          { type: "Ready", status: "True", reason: "Asked", message: "", observedGeneration: generation },
          task.nowMs(),
        ),
      ],
    }));
  }

  /** Sends what waits, one after the other. Resolves to how long to wait for the next attempt. */
  async #deliver(object: GraphQuestion, status: QuestionStatus, task: QuestionTask): Promise<number> {
    const { webhook, question, parameters, cluster } = object.spec;
    const { name, generation } = object.metadata;
    if (webhook === undefined || status.waiting.length === 0) return Infinity;
    const revealed = await this.#options.objects.reveal(GraphQuestion, name);
    let current = status;
    for (const change of status.waiting) {
      const waitMs = Date.parse(change.nextAttemptAt ?? "") - task.nowMs();
      if (waitMs > 0) return waitMs;
      const { attempts: _attempts, nextAttemptAt: _next, ...body } = change;
      try {
        await this.#options.post({
          url: webhook.url,
          secret: revealed?.spec.webhook?.secret,
          id: change.id,
          body: { name, question, parameters, cluster, count: status.answer?.count, change: body },
          signal: task.signal,
        });
      } catch (error) {
        task.signal.throwIfAborted();
        return this.#failed(object, task, { change, message: BowlineError.from(error).message });
      }
      current = await this.#write(object, task, (each) => ({
        ...each,
        waiting: each.waiting.filter(({ id }) => id !== change.id),
        deliveredAt: new Date(task.nowMs()).toISOString(),
        conditions: [
          ...setCondition(
            each.conditions,
            {
              type: "Delivered",
              status: "True",
              reason: "Delivered",
              message: "",
              observedGeneration: generation,
            },
            task.nowMs(),
          ),
        ],
      }));
    }
    return current.waiting.length === 0 ? Infinity : 0;
  }

  async #failed(
    question: GraphQuestion,
    task: QuestionTask,
    { change, message }: { readonly change: Change; readonly message: string },
  ): Promise<number> {
    const delayMs = backoffDelayMs(change.attempts, backoff, this.#options.random);
    await this.#write(question, task, (current) => ({
      ...current,
      waiting: current.waiting.map((each) =>
        each.id === change.id
          ? {
              ...each,
              attempts: each.attempts + 1,
              nextAttemptAt: new Date(task.nowMs() + delayMs).toISOString(),
            }
          : each,
      ),
      conditions: [
        ...setCondition(
          current.conditions,
          {
            type: "Delivered",
            status: "False",
            reason: "WebhookFailed",
            message,
            observedGeneration: question.metadata.generation,
          },
          task.nowMs(),
        ),
      ],
    }));
    return delayMs;
  }

  async #unready(
    question: GraphQuestion,
    task: QuestionTask,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): Promise<QuestionStatus> {
    this.#asked.delete(question.metadata.id);
    const { generation: observedGeneration } = question.metadata;
    return this.#write(question, task, (status) => ({
      ...status,
      conditions: [
        ...setCondition(
          status.conditions,
          { type: "Ready", status: "False", reason, message, observedGeneration },
          task.nowMs(),
        ),
      ],
    }));
  }

  async #write(
    { status }: GraphQuestion,
    task: QuestionTask,
    change: (status: QuestionStatus) => QuestionStatus,
  ): Promise<QuestionStatus> {
    let written = status;
    await task.updateStatus((current) => (written = change(current)));
    return written;
  }
}

/** Without a webhook nothing waits for one. */
function waitingOf(
  { waiting, droppedCount, conditions: _conditions }: QuestionStatus,
  change: Change | undefined,
  isDropped: boolean,
): Pick<QuestionStatus, "waiting" | "droppedCount"> {
  if (isDropped) return { waiting: [], droppedCount };
  const all = change === undefined ? waiting : [...waiting, change];
  const surplus = Math.max(0, all.length - questionLimits.waiting);
  return { waiting: all.slice(surplus), droppedCount: droppedCount + surplus };
}

function changeOf(before: readonly QuestionItem[], after: readonly QuestionItem[], at: string): Change {
  const [old, now] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))];
  const came = after.filter(({ id }) => !old.has(id)).map(({ text }) => text);
  const went = before.filter(({ id }) => !now.has(id)).map(({ text }) => text);
  return {
    id: randomUUID(),
    at,
    cameCount: came.length,
    wentCount: went.length,
    came: came.slice(0, questionLimits.told),
    went: went.slice(0, questionLimits.told),
    attempts: 0,
  };
}

/** `2 came: …; …. 1 went: ….` */
function changeText({ came, cameCount, went, wentCount }: Change): string {
  const part = (what: string, texts: readonly string[], count: number): string[] =>
    count === 0 ? [] : [`${count} ${what}: ${texts.join("; ")}${count > texts.length ? "; …" : ""}.`];
  return [...part("came", came, cameCount), ...part("went", went, wentCount)].join(" ");
}
