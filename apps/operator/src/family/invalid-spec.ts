import { TerminalError } from "@bowline/runtime";

const namedAtMost = 3;

/** Nothing but another spec can help. */
export function invalidSpec(
  sentence: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): TerminalError {
  const named = problems.slice(0, namedAtMost).map(({ path, message }) => `${path}: ${message}`);
  return new TerminalError("InvalidSpec", `${sentence} ${named.join(" ")}`);
}
