import type { TypeTable } from "../type-language.ts";

export const authenticationTypes: TypeTable = {
  prefix: "io.k8s.api.authentication.v1",
  source: `
TokenReview: Asks who a token belongs to.
  metadata~: meta.ObjectMeta
  spec!~: TokenReviewSpec
  status~: TokenReviewStatus
TokenReviewSpec: What is wanted of the token review.
  audiences: [string]
  token: string
TokenReviewStatus: What was last seen of the token review.
  audiences: [string]
  authenticated: bool
  error: string
  user~: UserInfo
SelfSubjectReview: Asks who the caller is.
  metadata~: meta.ObjectMeta
  status~: SelfSubjectReviewStatus
SelfSubjectReviewStatus: Who the caller is.
  userInfo~: UserInfo
UserInfo: A user as the server knows them.
  extra: {[string]}
  groups: [string]
  uid, username: string
TokenRequest: Asks for a token of a service account.
  metadata~: meta.ObjectMeta
  spec!~: TokenRequestSpec
  status~: TokenRequestStatus
TokenRequestSpec: What is wanted of the token request.
  audiences!: [string]
  boundObjectRef: BoundObjectReference
  expirationSeconds*: int64
BoundObjectReference: The object whose life bounds the token.
  apiVersion, kind, name, uid: string
TokenRequestStatus: What was last seen of the token request.
  expirationTimestamp!: time
  token!: string
`,
};
