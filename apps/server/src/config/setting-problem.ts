import { BowlineError } from "@bowline/core";

/** What is wrong with a setting: together the two are a sentence. */
export interface SettingProblem {
  /** Where it was given, in the words of the user: `--listen`, `BOWLINE_LISTEN`, `server.yaml: listen`. */
  readonly source: string;
  readonly message: string;
}

/** One error for everything that is wrong, so that nobody has to start the server once for each mistake. */
export function settingsError(problems: readonly SettingProblem[]): BowlineError {
  const [first = { source: "A setting", message: "is wrong." }] = problems;
  const sentence = `${first.source} ${first.message}`;
  const fields = problems.map(({ source, message }) => ({ path: source, message }));
  const message =
    problems.length > 1 ? `${problems.length} settings are wrong, the first: ${sentence}` : sentence;
  return new BowlineError("InvalidArgument", message, { details: { fields } });
}
