import { authenticationTypes } from "../../schema/types/authentication.ts";
import type { NumberTable } from "../field-numbers.ts";

export const authenticationNumbers: NumberTable = {
  prefix: authenticationTypes.prefix,
  source: `
TokenReview: metadata spec status
TokenReviewSpec: token audiences
TokenReviewStatus: authenticated user error audiences
SelfSubjectReview: metadata status
SelfSubjectReviewStatus: userInfo
UserInfo: username uid groups extra
TokenRequest: metadata spec status
TokenRequestSpec: audiences 3 boundObjectRef expirationSeconds
BoundObjectReference: kind apiVersion name uid
TokenRequestStatus: token expirationTimestamp
`,
};
