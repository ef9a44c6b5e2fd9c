import { apiregistrationTypes } from "../../schema/types/apiregistration.ts";
import type { NumberTable } from "../field-numbers.ts";

export const apiregistrationNumbers: NumberTable = {
  prefix: apiregistrationTypes.prefix,
  source: `
APIService: metadata spec status
APIServiceSpec: service group version insecureSkipTLSVerify caBundle 7 groupPriorityMinimum versionPriority
ServiceReference: namespace name port
APIServiceStatus: conditions
APIServiceCondition: type status lastTransitionTime reason message
`,
};
