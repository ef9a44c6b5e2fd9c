import { BowlineError } from "@bowline/core";

import type {
  ClusterAccess,
  Provider,
  ProviderAnswer,
  ProviderPlan,
  ProviderStep,
  ProviderWork,
} from "../provider.ts";
import { missed, resourceToken, seen, type ResourceRecord } from "../resource-record.ts";
import { askProgram, type AskedProgram } from "./ask-program.ts";
import type { ProgramAction, ProgramAnswer } from "./program-answer.ts";

export interface ExecProviderOptions {
  /** The programs that Clusters may name, and where they are. */
  readonly programs: ReadonlyMap<string, string>;
  /** Of this process; a program gets the few variables that every program needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** All that a program makes for a cluster is one thing to us: what is in it, only the program knows. */
const step = "program";
/** Something counts as gone when it was missed twice, so far apart. */
const secondLookMs = 10_000;
const usualPollMs = 5_000;

/**
 * Makes clusters by a program of the user, which is asked one question at a time; docs/reference/provider-program.md has
 * the protocol. What the program wants to remember is stored before it is asked again.
 */
export class ExecProvider implements Provider {
  readonly name = "exec";
  readonly #options: ExecProviderOptions;

  constructor(options: ExecProviderOptions) {
    this.#options = options;
  }

  async plan(work: ProviderWork): Promise<ProviderPlan> {
    const answer = await this.#ask(work, "plan", await recordOf(work));
    const steps = (answer.message ?? "").split("\n").filter((line) => line.trim() !== "");
    const expectedSeconds = answer.step?.expectSeconds;
    return {
      steps: steps.length === 0 ? [`Make the cluster by the program «${this.#program(work).name}»`] : steps,
      ...(expectedSeconds === undefined ? {} : { expectedSeconds }),
    };
  }

  async observe(work: ProviderWork): Promise<ProviderAnswer> {
    const record = await recordOf(work);
    if (record === undefined || record.state === "gone") return { state: "gone" };
    // The end of a deletion is first told by the deletion: what was lost by then may have left something to clean up.
    if (record.state === "deleting" && record.missedAtMs === undefined) return { state: "deleting" };
    // Until it was ready once, whoever looks goes on with the next step, and that looks as well: one start less.
    if (record.state === "intended" || record.state === "created") return { state: "creating" };
    const answer = await this.#ask(work, "observe", record);
    if (answer.state === "gone") return notThere(work, remembering(record, answer));
    return there(work, record, answer);
  }

  async next(work: ProviderWork): Promise<ProviderAnswer> {
    const record = await this.#intended(work);
    const answer = await work.call(`next ${this.#program(work).name}`, () => this.#ask(work, "next", record));
    return there(work, record, answer);
  }

  async delete(work: ProviderWork): Promise<ProviderAnswer> {
    const known = await recordOf(work);
    if (known === undefined || known.state === "gone") return { state: "gone" };
    const record: ResourceRecord = { ...known, state: "deleting" };
    if (known.state !== "deleting") await work.records.put(record);
    const answer = await work.call(`delete ${this.#program(work).name}`, () =>
      this.#ask(work, "delete", record),
    );
    if (answer.state === "gone") return notThere(work, remembering(record, answer));
    const { state: _, ...rest } = told(answer);
    await work.records.put(seen(remembering(record, answer), { state: "deleting" }, work.clock.now()));
    return { ...rest, state: answer.state === "blocked" ? "blocked" : "deleting" };
  }

  async credentials(work: ProviderWork): Promise<ClusterAccess> {
    const { kubeconfig = "" } = await this.#ask(work, "credentials", await recordOf(work));
    return { kubeconfig };
  }

  /** Before the program is asked to make something, it is written down that it was. */
  async #intended(work: ProviderWork): Promise<ResourceRecord> {
    const known = await recordOf(work);
    if (known !== undefined && known.state !== "gone" && known.state !== "deleting") return known;
    if (known?.state === "deleting") {
      // The deletion was taken back in its middle: what is left of it is completed again.
      const again: ResourceRecord = { ...known, state: "created" };
      await work.records.put(again);
      return again;
    }
    const attempt = (known?.attempt ?? 0) + 1;
    const record: ResourceRecord = {
      step,
      type: typeOf(this.#program(work)),
      attempt,
      token: resourceToken(work.cluster.id, step, attempt),
      intentAtMs: work.clock.now(),
      state: "intended",
      attributes: {},
    };
    await work.records.put(record);
    return record;
  }

  #ask(work: ProviderWork, action: ProgramAction, known: ResourceRecord | undefined): Promise<ProgramAnswer> {
    const record =
      known === undefined || Object.keys(known.attributes).length === 0 ? null : known.attributes;
    const program = this.#program(work);
    requireMaker(work, known, program);
    return askProgram(program, work, { action, record });
  }

  #program({ cluster }: ProviderWork): AskedProgram {
    const settings = cluster.spec.exec;
    if (settings === undefined) {
      throw new BowlineError("InvalidArgument", `The Cluster "${cluster.name}" has no spec.exec.`);
    }
    const { programs, environment } = this.#options;
    const path = programs.get(settings.command);
    if (path !== undefined) return { name: settings.command, path, settings, environment };
    const known = [...programs.keys()].map((name) => `«${name}»`).join(", ");
    throw new BowlineError(
      "NotFound",
      `The settings of the server name no program «${settings.command}»${known === "" ? "" : `, only ${known}`}: whoever runs the server adds it, or spec.exec.command is to name another one.`,
      { details: { reason: "ProviderProgramFailed", program: settings.command } },
    );
  }
}

function typeOf({ name }: Pick<AskedProgram, "name">): string {
  return `exec:${name}`;
}

/** Another program does not know what this one has made, and would say that nothing is there. */
function requireMaker(
  { cluster }: ProviderWork,
  known: ResourceRecord | undefined,
  { name }: AskedProgram,
): void {
  if (known === undefined || known.state === "gone" || known.type === typeOf({ name })) return;
  const maker = known.type.slice(typeOf({ name: "" }).length);
  throw new BowlineError(
    "InvalidArgument",
    `The Cluster "${cluster.name}" was made by the program «${maker}», and spec.exec.command names «${name}» now, which is not asked about it. Name the first one again; a newer version of it goes under the same name in the settings of the server.`,
    { details: { reason: "ProgramChanged", program: name } },
  );
}

async function recordOf({ records }: ProviderWork): Promise<ResourceRecord | undefined> {
  return (await records.list()).find((record) => record.step === step);
}

/** The program found something of the cluster: all of it, a part, or something that keeps it from going on. */
async function there(
  work: ProviderWork,
  record: ResourceRecord,
  answer: ProgramAnswer,
): Promise<ProviderAnswer> {
  const wasReady = isAfterReady(record);
  const isDeleting = record.state === "deleting";
  const state = isDeleting ? "deleting" : wasReady || answer.state === "ready" ? "ready" : "created";
  await work.records.put(seen(remembering(record, answer), { state }, work.clock.now()));
  const outcome = told(answer);
  if (isDeleting && outcome.state !== "blocked") return { ...outcome, state: "deleting" };
  return outcome.state === "creating" && wasReady ? { ...outcome, state: "updating" } : outcome;
}

/** The program found nothing: nothing yet, nothing any more, or nothing for the second time. */
async function notThere(work: ProviderWork, record: ResourceRecord): Promise<ProviderAnswer> {
  const nowMs = work.clock.now();
  if (record.state === "deleting") {
    const without = missed(record, nowMs);
    const isGone = without.state === "gone";
    await work.records.put(isGone ? { ...without, attributes: {} } : without);
    if (isGone) return { state: "gone" };
    const message = "The program finds nothing of it any more; it is asked once more.";
    return { state: "deleting", message, retryAfterMs: secondLookMs };
  }
  if (!isAfterReady(record)) {
    await work.records.put(record);
    return { state: "creating" };
  }
  // Its record keeps its state: somebody took the cluster away, and nobody deleted it here.
  const without = { ...missed(record, nowMs), state: record.state };
  await work.records.put(without);
  if (nowMs - (without.missedAtMs ?? nowMs) < secondLookMs) {
    const message = "The program did not find the cluster; it is looked for once more.";
    return { state: "ready", message, retryAfterMs: secondLookMs };
  }
  const message = "The program does not find the cluster any more: it was taken away by somebody else.";
  return { state: "lost", reason: "Lost", message };
}

/** It stays so while the cluster is being made something else: what was ready once can be lost. */
function isAfterReady({ state }: ResourceRecord): boolean {
  return state === "ready";
}

/** What the program wants to remember; an answer without a record leaves it as it is. */
function remembering(record: ResourceRecord, { record: remembered }: ProgramAnswer): ResourceRecord {
  return remembered === undefined ? record : { ...record, attributes: remembered ?? {} };
}

function told({ state = "creating", step: at, message, retryAfterSeconds }: ProgramAnswer): ProviderAnswer {
  const retryAfterMs = retryAfterSeconds === undefined ? usualPollMs : retryAfterSeconds * 1000;
  return {
    state,
    ...(state === "blocked" ? { reason: "Blocked" } : {}),
    ...(message === undefined ? {} : { message }),
    ...(at === undefined ? {} : { step: stepOf(at) }),
    // What is ready is looked at as seldom as all that is ready, unless the program says otherwise.
    ...(state === "ready" && retryAfterSeconds === undefined ? {} : { retryAfterMs }),
  };
}

function stepOf({ n, of, text, expectSeconds }: NonNullable<ProgramAnswer["step"]>): ProviderStep {
  return { number: n, of, text, ...(expectSeconds === undefined ? {} : { expectedSeconds: expectSeconds }) };
}
