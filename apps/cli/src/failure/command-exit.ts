/**
 * Ends a command with an exit code of its own. What is in `cause` is still to be reported; without one, the command has
 * said everything already, or there is nothing to say, as when `diff` has found differences.
 */
export class CommandExit extends Error {
  override readonly name = "CommandExit";
  readonly exitCode: number;

  constructor(exitCode: number, cause?: unknown) {
    super(`The command ended with exit code ${exitCode}.`, { cause });
    this.exitCode = exitCode;
  }
}
