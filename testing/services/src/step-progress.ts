export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export function stepLine(number: number, total: number, title: string): string {
  return `[${String(number).padStart(String(total).length)}/${total}] ${title}`;
}

export function elapsedText(elapsedMs: number): string {
  const seconds = Math.round(elapsedMs / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Shows one line while `work` runs: on a terminal the seconds tick, in a log the line is finished when it is done. */
export async function showStep<T>(output: ProgressOutput, line: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const elapsed = (): string => elapsedText(performance.now() - startedAt);
  output.write(line);
  const ticker = output.isTTY ? setInterval(() => output.write(`\r${line} … ${elapsed()}`), 1000) : undefined;
  let ending = "failed after";
  try {
    const result = await work();
    ending = "done in";
    return result;
  } finally {
    clearInterval(ticker);
    output.write(`${output.isTTY ? `\r${line}` : ""} … ${ending} ${elapsed()}\n`);
  }
}
