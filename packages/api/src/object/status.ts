import type { TInteger, TObject, TOptional, TProperties } from "typebox";

import { integer, object, optional, withDefault, type Defaulted } from "../schema/build.ts";
import { conditionList } from "./condition.ts";

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
