import { dirname } from "node:path";

import type { ExecSettings } from "@bowline/api";
import { BowlineError, parseDurationMs } from "@bowline/core";

import type { ProviderWork } from "../provider.ts";
import {
  protocolVersion,
  readProgramAnswer,
  type ProgramAction,
  type ProgramAnswer,
  type ProgramQuestion,
} from "./program-answer.ts";
import {
  maxLogBytes,
  maxOutputBytes,
  runProgramProcess,
  type ProgramEnd,
  type ProgramEnding,
} from "./program-process.ts";
import { SecretValues } from "../secret-values.ts";

/** A program of a user, and what it is given besides its question. */
export interface AskedProgram {
  /** As the settings of the server name it. */
  readonly name: string;
  readonly path: string;
  readonly settings: ExecSettings;
  /** The environment of this process, of which a program gets the few names in `passedOn`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What programs need to find others, their own files, and the words and the time of the place. */
const passedOn = ["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "TZ"] as const;
/** Variables that make programs run something else: whoever may write a Cluster could run anything here. */
const refusedVariables: readonly RegExp[] = [
  /^(?:PATH|HOME|ENV|IFS|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER)$/u,
  /^(?:LD|DYLD|BASH|GIT)_/u,
  /^(?:PYTHON|PERL5|RUBY)[A-Z0-9]+$/u,
  /^(?:NODE_OPTIONS|NODE_PATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS)$/u,
  // Of what scripts around clouds run.
  /^(?:TF_CLI_|HELM_|LUA_|OPENSSL_|npm_config_)/iu,
  /^(?:TAR_OPTIONS|(?:GNU)?MAKEFLAGS|MAKEFILES|LESSOPEN|LESSCLOSE|RSYNC_RSH|ZDOTDIR|FPATH|GCONV_PATH|PHPRC)$/u,
  /^(?:SSH_ASKPASS|SUDO_ASKPASS|KUBECTL_EXTERNAL_DIFF|KUBE_EDITOR|PHP_INI_SCAN_DIR)$/u,
];

const usualTimeoutMs = 30_000;
const maxTimeoutMs = 600_000;
/** Of what it said on standard error, in messages. */
const toldLogBytes = 2048;

/** What one question needs of the work of a provider. */
export type ProgramWork = Pick<ProviderWork, "cluster" | "credential" | "clock" | "logger" | "signal">;

/**
 * Asks a program one question. Throws `ProcessFailed` with the reason `ProviderProgramFailed` for whatever is no answer;
 * the message says what to do, and has the end of what the program said, without the values of Credentials.
 */
export async function askProgram(
  program: AskedProgram,
  work: ProgramWork,
  question: Pick<ProgramQuestion, "action" | "record">,
): Promise<ProgramAnswer> {
  const given = await credentialValues(program.settings, work);
  const secrets = new SecretValues(Object.values(given));
  const timeoutMs = timeoutOf(program.settings);
  const end = await runProgramProcess({
    command: program.path,
    args: program.settings.args ?? [],
    folder: dirname(program.path),
    env: { ...basicEnvironment(program.environment), ...given },
    input: `${JSON.stringify(asked(work, question))}\n`,
    clock: work.clock,
    timeoutMs,
    signal: work.signal,
  });
  const log = secrets.lastOf(end.log, end.isLogCut, toldLogBytes);
  if (log !== "")
    work.logger.debug({ program: program.name, action: question.action, log }, "A program has said");
  return answerOf(program, { ...question, end, log, secrets, timeoutMs });
}

interface Asked extends Pick<ProgramQuestion, "action"> {
  readonly end: ProgramEnd;
  readonly log: string;
  readonly secrets: SecretValues;
  readonly timeoutMs: number;
}

function answerOf(program: AskedProgram, { action, end, log, secrets, timeoutMs }: Asked): ProgramAnswer {
  const failed = (what: string): BowlineError => programFailed(program.name, action, what, log);
  const problem = endingProblem(end.ending, timeoutMs);
  if (problem !== undefined) throw failed(problem);
  const answer = readAnswer(action, end.output, failed, secrets);
  const { message, step, record, kubeconfig } = answer;
  if (record !== undefined && hasSecret(JSON.stringify(record), secrets, kubeconfig)) {
    throw failed(
      "answered with a record that has the value of a Credential or its kubeconfig in it; both are secret, and are given or asked for anew each time",
    );
  }
  return {
    ...answer,
    ...(message === undefined ? {} : { message: secrets.redact(message) }),
    ...(step === undefined ? {} : { step: { ...step, text: secrets.redact(step.text) } }),
  };
}

function hasSecret(record: string, secrets: SecretValues, kubeconfig: string | undefined): boolean {
  return (
    secrets.areIn(record) || (kubeconfig !== undefined && new SecretValues([kubeconfig.trim()]).areIn(record))
  );
}

/** What is wrong with an answer may quote it. */
function readAnswer(
  action: ProgramAction,
  output: string,
  failed: (what: string) => BowlineError,
  secrets: SecretValues,
): ProgramAnswer {
  try {
    return readProgramAnswer(action, output);
  } catch (error) {
    if (error instanceof BowlineError) throw failed(secrets.redact(error.message));
    throw error;
  }
}

/** Completes "the program …"; undefined when it ended as it should. */
function endingProblem(ending: ProgramEnding, timeoutMs: number): string | undefined {
  if (ending.kind === "exited" && ending.exitCode === 0) return undefined;
  return failureOf(ending, timeoutMs);
}

function failureOf(ending: ProgramEnding, timeoutMs: number): string {
  if (ending.kind === "exited") {
    return `ended with exit code ${ending.exitCode}; what went wrong has to be said on standard error`;
  }
  if (ending.kind === "signalled") {
    return `was ended by ${ending.by}: look for a lack of memory, or for whoever ends processes on this machine`;
  }
  if (ending.kind === "too slow") {
    return `did not answer within ${timeoutMs / 1000} s and was killed with all that it had started: do a smaller step at a time, or raise spec.exec.timeout, up to 10m`;
  }
  if (ending.kind === "too much") {
    return ending.stream === "standard output"
      ? `printed more than ${maxOutputBytes} bytes on its standard output and was killed: one JSON object belongs there, logs on standard error`
      : `wrote more than ${maxLogBytes} bytes to standard error and was killed: let it say less`;
  }
  if (ending.kind === "left open") {
    return "has ended, but something it started keeps its standard output open and was killed if it was in its group: start what is to go on running with its output elsewhere, such as setsid program >program.log 2>&1 </dev/null &";
  }
  return `cannot be started (${ending.code}): ${startAdvice[ending.code] ?? "look at the program on the machine of the server"}`;
}

const startAdvice: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file, or its first line names an interpreter that is not there",
  EACCES: "it is not executable for the user of the server; chmod +x makes it so",
  E2BIG: "its arguments and the values of its Credentials are too long together, or one of them alone",
  EMFILE: "the server has as many files open as it may; raise its limit, as by LimitNOFILE",
  EAGAIN: "the user of the server has as many processes as it may; raise that limit, as by TasksMax",
};

function programFailed(name: string, action: ProgramAction, what: string, log: string): BowlineError {
  const said = log === "" ? "" : ` It said:\n${log}`;
  return new BowlineError("ProcessFailed", `The program «${name}», asked to ${action}, ${what}.${said}`, {
    details: { reason: "ProviderProgramFailed", program: name, action },
    retryable: true,
  });
}

function asked(
  { cluster }: ProgramWork,
  { action, record }: Pick<ProgramQuestion, "action" | "record">,
): ProgramQuestion {
  const { id, name, labels, spec } = cluster;
  return { protocol: protocolVersion, action, cluster: { id, name, labels }, spec, record };
}

function basicEnvironment(environment: AskedProgram["environment"]): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function credentialValues(
  { env = [] }: ExecSettings,
  { credential }: ProgramWork,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, credential: from, key } of env) {
    if (refusedVariables.some((pattern) => pattern.test(name))) {
      throw refused(
        `spec.exec.env names ${name}, by which programs are made to run other programs: choose another name, and set it in the program itself.`,
      );
    }
    const value = (await credential(from))[key];
    if (value === undefined)
      throw refused(`The Credential "${from}" has no key "${key}", which spec.exec.env names for ${name}.`);
    if (value.includes("\0"))
      throw refused(
        `The key "${key}" of the Credential "${from}" has a zero byte in it, which no environment variable can have.`,
      );
    values[name] = value;
  }
  return values;
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message, { details: { reason: "ProviderProgramFailed" } });
}

function timeoutOf({ timeout }: ExecSettings): number {
  const wantedMs = timeout === undefined ? undefined : parseDurationMs(timeout);
  return Math.min(Math.max(wantedMs ?? usualTimeoutMs, 1_000), maxTimeoutMs);
}
