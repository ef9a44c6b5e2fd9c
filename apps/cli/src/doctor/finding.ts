/** Something that is wrong, or will be, with what to do about it. */
export interface Finding {
  /**
   * - `error`: something does not work
   * - `warning`: something will not work soon, or is not safe
   * - `note`: worth knowing; nothing is wrong
   */
  readonly severity: "error" | "warning" | "note";
  /** One word for programs. */
  readonly check: string;
  /** One sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly advice: string;
}

const order: readonly Finding["severity"][] = ["error", "warning", "note"];

/** The worst first; alike ones in the order in which they were found. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

export function isProblem({ severity }: Finding): boolean {
  return severity !== "note";
}

/** The three together, so that each check is one line for each thing it finds. */
export function error(check: string, message: string, advice: string): Finding {
  return { severity: "error", check, message, advice };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { severity: "warning", check, message, advice };
}

export function note(check: string, message: string, advice: string): Finding {
  return { severity: "note", check, message, advice };
}
