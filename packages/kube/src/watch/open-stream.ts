import { KubeRequester, type DescribedRequest } from "../client/kube-requester.ts";
import { notKubernetes } from "../client/status-error.ts";
import type { KubeResponse, Transport } from "../transport.ts";

/** Sends a request whose answer is read as it comes; one that is not for a program, such as a login page, is refused. */
export async function openStream(
  transport: Transport,
  request: Omit<DescribedRequest, "method" | "longLived">,
): Promise<KubeResponse> {
  // Long-lived: who reads the stream keeps its time and tries again, so nobody in between should do either.
  const response = await new KubeRequester(transport).stream({ ...request, method: "GET", longLived: true });
  const type = response.headers["content-type"];
  if (type === undefined || type.includes("json")) return response;
  response.body.destroy();
  throw notKubernetes(response, transport.target);
}
