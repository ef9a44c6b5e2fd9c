import { expect, test } from "vitest";

import { AwsError } from "./aws-api.ts";

test.each(["SignatureDoesNotMatch", "InvalidSignatureException", "IncompleteSignature"])(
  "what AWS says of a wrong signature (%s) has the request in it, and is not repeated",
  (code) => {
    const said = "The Canonical String should have been 'x-amz-security-token:canary-session'";
    const error = new AwsError("eks:DescribeCluster", { code, message: said, status: 403 });
    expect(error.message).not.toContain("canary-session");
    expect(error.message).toContain("signature");
    expect(error.code).toBe(code);
  },
);

test("everything else is told in its words", () => {
  const error = new AwsError("ec2:CreateVpc", { code: "VpcLimitExceeded", message: "Too many." });
  expect(error.message).toBe("Too many.");
});
