import { expect, test } from "vitest";

import { AwsError } from "../eks/aws/aws-api.ts";
import { answerOf } from "../eks/eks-failure.ts";
import { route53Error } from "./route53-error.ts";

test.each([
  "AuthFailure",
  "CredentialsProviderError",
  "ExpiredToken",
  "ExpiredTokenException",
  "IncompleteSignature",
  "InvalidAccessKeyId",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "MissingAuthenticationToken",
  "OptInRequired",
  "RequestExpired",
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
])("%s is a key that AWS does not accept, for a cluster and for a zone", (code) => {
  const error = new AwsError("aws:Call", { code, message: "canary", status: 403 });
  const told = route53Error(error, "example.org");
  expect(told).toMatchObject({ code: "AuthFailed", message: expect.stringContaining(code) });
  const answer = answerOf(error, "creating", "CreatingControlPlane");
  expect(answer).toMatchObject({ state: "blocked", reason: "NotPermitted" });
  expect([told.message, answer.message].join(" ")).not.toContain("canary");
});

test("a clock that is wrong is waited for by a cluster, and told of a zone", () => {
  const error = new AwsError("aws:Call", { code: "RequestTimeTooSkewed", message: "canary", status: 403 });
  expect(route53Error(error, "example.org")).toMatchObject({ code: "AuthFailed" });
  expect(answerOf(error, "creating", "CreatingControlPlane")).toMatchObject({ state: "creating" });
});
