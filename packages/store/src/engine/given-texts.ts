import { sql, type RawBuilder } from "kysely";

import type { Dialect } from "./engine.ts";

/**
 * A table `given` with a column `value`, of texts that are handed over as one parameter: a statement whose text depends on
 * their number would have to be prepared for each number.
 */
export function givenTexts(dialect: Dialect, texts: readonly string[]): RawBuilder<unknown> {
  const list = JSON.stringify(texts);
  return dialect === "postgres"
    ? sql`jsonb_array_elements_text(cast(${list} as jsonb)) as given (value)`
    : sql`json_each(${list}) as given`;
}
