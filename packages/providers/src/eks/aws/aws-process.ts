import { spawn, type ChildProcess } from "node:child_process";

import { isRecord, ownFile, ownProcess, type Clock } from "@bowline/core";

import {
  AwsError,
  type AwsApi,
  type AwsErrorFacts,
  type AwsTarget,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type PresignedToken,
} from "./aws-api.ts";
import type { ProcessQuestion } from "./process-message.ts";

export interface AwsProcessOptions {
  readonly clock: Clock;
  /** Of the process: where the machine's own identity and its proxies are told. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It ends when it had nothing to do for so long. */
  readonly idleMs?: number;
  /** Its source; tests have others. */
  readonly source?: URL;
}

/** The other side gives each call 20 s; one that says nothing for so long hangs, as by a program that tells who it is. */
const answerLimitMs = 120_000;
/** The settings of a server, its keys and passwords among them, are nobody's business. */
const ownVariable = /^BOWLINE_/u;

const ownSource = ownFile("aws-process.mjs", new URL("aws-process-main.ts", import.meta.url));

interface Waiting {
  readonly operation: string;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: AwsError) => void;
}

interface Running {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  readonly ended: Promise<void>;
}

/** The calls of AWS, by a process of their own that is there only while it is used. Whoever makes it disposes of it. */
export class AwsProcess implements AwsApi {
  readonly #options: AwsProcessOptions;
  #running: Running | undefined;
  #cancelEnd = (): void => {};
  #lastId = 0;

  constructor(options: AwsProcessOptions) {
    this.#options = options;
  }

  /** Missing while there is nothing to do. */
  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  send<Name extends OperationName>(
    target: AwsTarget,
    name: Name,
    input: OperationInput<Name>,
  ): Promise<OperationOutput<Name>> {
    // The other side is our own program of the same version, and answers by the same types.
    return this.#ask(name, { kind: "send", target, name, input }) as Promise<OperationOutput<Name>>;
  }

  async token(target: AwsTarget, cluster: string): Promise<PresignedToken> {
    return (await this.#ask("sts:GetCallerIdentity", { kind: "token", target, cluster })) as PresignedToken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelEnd();
    const running = this.#running;
    this.#end();
    if (running === undefined) return;
    // It may be the last that whoever waits here has to do.
    keepAlive(running, true);
    await running.ended;
  }

  #ask(
    operation: string,
    question:
      | { kind: "send"; target: AwsTarget; name: OperationName; input: OperationInput<OperationName> }
      | { kind: "token"; target: AwsTarget; cluster: string },
  ): Promise<unknown> {
    this.#cancelEnd();
    const running = (this.#running ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    running.waiting.set(id, { operation, resolve, reject });
    keepAlive(running, true);
    const message: ProcessQuestion = { id, ...question };
    // One that has just ended, or could not be started, tells so by its end; the latter has nothing to send by.
    if (running.child.connected) running.child.send(message, () => undefined);
    const cancelLimit = this.#options.clock.after(answerLimitMs, () => this.#giveUp(running));
    return promise.finally(() => {
      cancelLimit();
      this.#settle(running);
    });
  }

  #giveUp(running: Running): void {
    running.child.kill("SIGKILL");
    if (this.#running === running) this.#running = undefined;
    rejectAll(running.waiting, `did not answer within ${answerLimitMs / 1000} s, and was ended`);
  }

  #settle(running: Running): void {
    if (running.waiting.size > 0 || running !== this.#running) return;
    keepAlive(running, false);
    const { clock, idleMs = 60_000 } = this.#options;
    // Of two answers that come together, each is the last.
    this.#cancelEnd();
    this.#cancelEnd = clock.after(idleMs, () => this.#end());
  }

  #end(): void {
    this.#running?.child.kill("SIGKILL");
    this.#running = undefined;
  }

  #start(): Running {
    const { command, args, env } = ownProcess(this.#options.source ?? ownSource);
    const child = spawn(command, args, {
      env: { ...withoutOwn(this.#options.env), ...env },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const waiting = new Map<number, Waiting>();
    child.on("message", (message: unknown) => receive(waiting, message));
    const ended = new Promise<void>((resolve) => {
      const onEnd = (how: string): void => {
        if (this.#running?.child === child) this.#running = undefined;
        rejectAll(waiting, `ended (${how})`);
        resolve();
      };
      child.once("close", (code, signal) => onEnd(String(code ?? signal)));
      child.once("error", (error) => onEnd(error.message));
    });
    return { child, waiting, ended };
  }
}

function withoutOwn(env: AwsProcessOptions["env"]): AwsProcessOptions["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownVariable.test(name)));
}

function rejectAll(waiting: Map<number, Waiting>, what: string): void {
  for (const { operation, reject } of waiting.values()) {
    reject(new AwsError(operation, { code: "ProcessEnded", message: `The process for AWS ${what}.` }));
  }
  waiting.clear();
}

function receive(waiting: Map<number, Waiting>, message: unknown): void {
  if (!isRecord(message)) return;
  const id = Number(message["id"]);
  const asked = waiting.get(id);
  if (asked === undefined) return;
  waiting.delete(id);
  const { error, output } = message;
  if (isRecord(error)) asked.reject(new AwsError(asked.operation, errorFacts(error)));
  else asked.resolve(output);
}

function errorFacts(error: Readonly<Record<string, unknown>>): AwsErrorFacts {
  const { code, message, status } = error;
  return {
    code: String(code),
    message: String(message),
    ...(typeof status === "number" ? { status } : {}),
  };
}

/** While it has nothing to do, it keeps nobody from ending. */
function keepAlive({ child }: Running, isBusy: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isBusy) handle?.ref();
    else handle?.unref();
  }
}
