import { authorizationTypes } from "../../schema/types/authorization.ts";
import type { NumberTable } from "../field-numbers.ts";

export const authorizationNumbers: NumberTable = {
  prefix: authorizationTypes.prefix,
  source: `
SubjectAccessReview: metadata spec status
SubjectAccessReviewSpec: resourceAttributes nonResourceAttributes user groups extra uid
NonResourceAttributes: path verb
ResourceAttributes: namespace verb group version resource subresource name
SubjectAccessReviewStatus: allowed reason evaluationError denied
SelfSubjectAccessReview: metadata spec status
SelfSubjectAccessReviewSpec: resourceAttributes nonResourceAttributes
LocalSubjectAccessReview: metadata spec status
SelfSubjectRulesReview: metadata spec status
SelfSubjectRulesReviewSpec: namespace
SubjectRulesReviewStatus: resourceRules nonResourceRules incomplete evaluationError
NonResourceRule: verbs nonResourceURLs
ResourceRule: verbs apiGroups resources resourceNames
`,
};
