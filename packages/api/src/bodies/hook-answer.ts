import type { Static } from "typebox";

import { line, list, object } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

/** The answer to a git host that told of a push. */
export const HookAnswer = object("What a push that was told leads to.", {
  woken: list(
    "The objects that are looked at now; empty where none follows what was pushed.",
    object("An object that comes from the repository.", {
      kind: line("Its kind.", singleLine),
      name: line("Its name.", singleLine),
    }),
    { maxItems: 100_000 },
  ),
});
export type HookAnswer = Static<typeof HookAnswer>;
