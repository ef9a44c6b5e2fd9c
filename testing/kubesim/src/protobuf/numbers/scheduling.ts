import { schedulingTypes } from "../../schema/types/scheduling.ts";
import type { NumberTable } from "../field-numbers.ts";

export const schedulingNumbers: NumberTable = {
  prefix: schedulingTypes.prefix,
  source: `
PriorityClass: metadata value globalDefault description preemptionPolicy
`,
};
