/** Something that must not outlive the process that made it. */
export type Leftover =
  | {
      readonly kind: "process-group";
      /** The leader's pid; the group is signalled as a whole. */
      readonly pid: number;
      /** Tried first; SIGKILL follows after a few seconds. */
      readonly signal: NodeJS.Signals;
    }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "command"; readonly argv: readonly [string, ...string[]] };

/** One line of JSON on the reaper's standard input. */
export type ReaperOrder =
  | { readonly kind: "add"; readonly id: number; readonly leftover: Leftover }
  | { readonly kind: "remove"; readonly id: number };
