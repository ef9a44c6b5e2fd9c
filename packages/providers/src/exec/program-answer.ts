import { BowlineError, didYouMean, isRecord } from "@bowline/core";

/** The version of the protocol that this server speaks. */
export const protocolVersion = 1;

export type ProgramAction = "plan" | "observe" | "next" | "delete" | "credentials";

const programStates = ["creating", "ready", "deleting", "gone", "blocked"] as const;
type ProgramState = (typeof programStates)[number];

/** The one object on the standard input of a program. */
export interface ProgramQuestion {
  readonly protocol: typeof protocolVersion;
  readonly action: ProgramAction;
  readonly cluster: {
    readonly id: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: unknown;
  /** What the program answered last; null when nothing was made. */
  readonly record: ProgramRecord;
}

/** What a program remembers from one answer to the next question; null for nothing. */
export type ProgramRecord = Readonly<Record<string, unknown>> | null;

interface ProgramStep {
  readonly n: number;
  readonly of: number;
  readonly text: string;
  readonly expectSeconds?: number;
}

/** The one object on its standard output. */
export interface ProgramAnswer {
  readonly state?: ProgramState;
  readonly step?: ProgramStep;
  readonly record?: ProgramRecord;
  readonly retryAfterSeconds?: number;
  readonly message?: string;
  readonly kubeconfig?: string;
}

const maxRecordBytes = 256 * 1024;
const maxMessageLength = 4096;
const maxStepText = 253;
const maxSteps = 10_000;
/** What is nested as deep as its size allows can be read and not be written again. */
const maxDepth = 100;
const daySeconds = 86_400;

/** States that are an answer to each action; the others need none. */
const statesOf: Readonly<Record<ProgramAction, readonly ProgramState[] | undefined>> = {
  plan: undefined,
  credentials: undefined,
  observe: programStates,
  next: ["creating", "ready", "blocked"],
  delete: ["deleting", "gone", "blocked"],
};

/** Reads what a program printed. Throws an error whose message completes "the program …". */
export function readProgramAnswer(action: ProgramAction, output: string): ProgramAnswer {
  const answer = readObject(output);
  for (const [name, value] of Object.entries(answer)) {
    const check = fieldChecks.get(name);
    if (check === undefined) {
      throw wrong(
        `answered with the field «${name}», which protocol ${protocolVersion} does not have${didYouMean(name, fieldChecks.keys())}`,
      );
    }
    const problem = check(value);
    if (problem !== undefined) throw wrong(`answered with a «${name}» that ${problem}`);
  }
  const { state, message, kubeconfig } = answer;
  const states = statesOf[action];
  if (states !== undefined && !states.some((each) => each === state)) {
    const given = state === undefined ? "no state" : `the state ${shown(state)}`;
    throw wrong(`answered ${given} to ${action}, where ${listed(states)} is an answer`);
  }
  if (state === "blocked" && (message === undefined || message === "")) {
    throw wrong("answered that it is blocked, and no message that says what a person has to do");
  }
  if (action === "credentials" && kubeconfig === undefined) {
    throw wrong("answered without a kubeconfig to credentials");
  }
  return answer;
}

function readObject(output: string): Readonly<Record<string, unknown>> {
  const text = output.trim();
  if (text === "") throw wrong("printed nothing on its standard output, where one JSON object is its answer");
  const value = parsed(text);
  if (isDeeper(value, maxDepth)) throw wrong(`answered with JSON that is nested more than ${maxDepth} deep`);
  if (isRecord(value)) return value;
  const lines = text.split("\n").filter((line) => isRecord(parsed(line)));
  if (value === undefined && (lines.length > 1 || /\}\s*\{/u.test(text))) {
    throw wrong("printed more than one JSON object on its standard output; logs belong on standard error");
  }
  throw wrong(
    "printed something on its standard output that is no JSON object; logs belong on standard error",
  );
}

/** Undefined for what is no JSON, as JSON has no value of that kind. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

type FieldCheck = (value: unknown) => string | undefined;

const fieldChecks: ReadonlyMap<string, FieldCheck> = new Map<string, FieldCheck>(
  Object.entries({
    protocol: (value) =>
      value === protocolVersion
        ? undefined
        : `is ${shown(value)}: this server speaks protocol ${protocolVersion}`,
    state: (value) =>
      programStates.some((state) => state === value)
        ? undefined
        : `is ${shown(value)} and not ${listed(programStates)}`,
    step: stepProblem,
    record: (value) => {
      if (value !== null && !isRecord(value)) return "is no object";
      const bytes = Buffer.byteLength(JSON.stringify(value));
      return bytes <= maxRecordBytes ? undefined : `has ${bytes} bytes; ${maxRecordBytes} are allowed`;
    },
    retryAfterSeconds: (value) => numberProblem(value, 0, daySeconds),
    message: (value) =>
      typeof value === "string" && value.length <= maxMessageLength
        ? undefined
        : `is no text of at most ${maxMessageLength} letters`,
    kubeconfig: (value) => (typeof value === "string" && value.trim() !== "" ? undefined : "is no text"),
  }),
);

function stepProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "is no object";
  const { n, of, text, expectSeconds, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `has the field «${other}», which protocol ${protocolVersion} does not have`;
  const inOrder =
    numberProblem(of, 1, maxSteps) ?? numberProblem(n, 1, typeof of === "number" ? of : maxSteps);
  if (inOrder !== undefined || !Number.isInteger(n) || !Number.isInteger(of)) {
    return "needs whole numbers n and of, n from 1 to of";
  }
  if (typeof text !== "string" || !/^[^\p{Cc}]+$/u.test(text) || text.length > maxStepText) {
    return `needs a text of one line, of at most ${maxStepText} letters`;
  }
  const problem = expectSeconds === undefined ? undefined : numberProblem(expectSeconds, 0, daySeconds);
  return problem === undefined ? undefined : `has an expectSeconds that ${problem}`;
}

function numberProblem(value: unknown, least: number, most: number): string | undefined {
  const isFine = typeof value === "number" && value >= least && value <= most;
  return isFine ? undefined : `is ${shown(value)} and not a number from ${least} to ${most}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 40 ? text : `${text.slice(0, 39).toWellFormed()}…`;
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

function wrong(what: string): BowlineError {
  return new BowlineError("Invalid", what);
}
