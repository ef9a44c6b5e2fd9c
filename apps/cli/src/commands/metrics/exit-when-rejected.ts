import { CommandExit } from "../../command/failure.ts";

export interface AllowRejected {
  readonly allowRejected: boolean;
}

export const allowRejectedOption: [flags: string, description: string, initial: boolean] = [
  "--allow-rejected",
  "Exit with 0 although something was left out",
  false,
];

/** What was left out is printed already; the exit code tells it to scripts. */
export function exitWhenRejected(isRejected: boolean, { allowRejected }: AllowRejected): void {
  if (isRejected && !allowRejected) throw new CommandExit(1);
}
