import type { Static, TInteger, TObject, TOptional, TProperties } from "typebox";

import {
  choice,
  dateTime,
  integer,
  list,
  object,
  optional,
  text,
  withDefault,
  type Defaulted,
} from "../schema/build.ts";
import type { TextRule } from "../schema/text-rule.ts";

const camelCase: TextRule = {
  pattern: "^[A-Za-z]([A-Za-z0-9]*[A-Za-z0-9])?$",
  expects: "one word in CamelCase",
  minLength: 1,
  maxLength: 128,
};

/** Messages quote errors from elsewhere, which can be of any length. */
const maxMessageLength = 4096;

/** The states of `@bowline/health`, the best first. */
export const healths = ["Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"] as const;

/** As Kubernetes has it, so that people and tools that know one know the other. */
export const Condition = object("One statement about the state of the object.", {
  type: text("What the statement is about.", { ...camelCase, examples: ["Ready"] }),
  status: choice("Whether it holds. A condition that is missing means Unknown.", [
    "True",
    "False",
    "Unknown",
  ]),
  reason: text("Why, as one word for programs.", { ...camelCase, examples: ["AgentConnected"] }),
  message: text("Why, as a sentence for people; may be empty.", { maxLength: maxMessageLength }),
  lastTransitionTime: dateTime("When the status last changed; other changes do not count."),
  observedGeneration: integer("The generation this was found out about.", {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
});
export type Condition = Static<typeof Condition>;

const conditionList = list("What is known about the state of the object.", Condition, {
  maxItems: 16,
  uniqueBy: "type",
});

// An alias, because an interface would bring the index signature of TProperties into every status.
type StatusFields = {
  observedGeneration: TOptional<TInteger>;
  conditions: Defaulted<typeof conditionList>;
};

/** A status: what every kind has, and what this one adds. */
export function statusOf<Properties extends TProperties>(
  properties: Properties,
): TObject<StatusFields & Properties> {
  const fields: StatusFields = {
    observedGeneration: optional(
      integer("The generation its controller has dealt with; missing before the first time.", {
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ),
    conditions: withDefault(conditionList, []),
  };
  return object("What the server found out; written by controllers only.", { ...fields, ...properties });
}
