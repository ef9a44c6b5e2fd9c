import { eventsTypes } from "../../schema/types/events.ts";
import type { NumberTable } from "../field-numbers.ts";

export const eventsNumbers: NumberTable = {
  prefix: eventsTypes.prefix,
  source: `
Event: metadata eventTime series reportingController reportingInstance action reason regarding related note
  type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount
EventSeries: count lastObservedTime
`,
};
