import type { ServerResponse } from "node:http";

import type { AwsFailure } from "../aws-failure.ts";
import { toXml, type XmlValue } from "./xml.ts";

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const requestId = "00000000-0000-4000-8000-000000000000";

export function ec2Answer(action: string, fields: Readonly<Record<string, XmlValue>>): WireAnswer {
  const name = `${action}Response`;
  return xmlAnswer(200, `<${name}>${toXml({ requestId, ...fields }, "item")}</${name}>`);
}

/** Of IAM and STS. */
export function queryAnswer(action: string, fields: Readonly<Record<string, XmlValue>>): WireAnswer {
  const answer = {
    [`${action}Result`]: fields,
    ResponseMetadata: { RequestId: requestId },
  };
  return xmlAnswer(200, `<${action}Response>${toXml(answer, "member")}</${action}Response>`);
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** Of Route 53: lists are in the plural of what is in them. */
export function restAnswer(name: string, fields: Readonly<Record<string, XmlValue>>): WireAnswer {
  const body = toXml(fields, (list) => list.replace(/s$/u, ""));
  return xmlAnswer(200, `<${name} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${body}</${name}>`);
}

/** Every service has its own form for errors. */
export function errorAnswer(service: string, { code, message, status }: AwsFailure): WireAnswer {
  const error = { Code: code, Message: message };
  if (service === "eks") return jsonAnswer(status, { message }, { "x-amzn-errortype": code });
  if (service === "ec2") {
    const body = toXml({ Errors: { Error: error }, RequestID: requestId }, "item");
    return xmlAnswer(status, `<Response>${body}</Response>`);
  }
  const body = toXml({ Error: { Type: "Sender", ...error }, RequestId: requestId }, "member");
  return xmlAnswer(status, `<ErrorResponse>${body}</ErrorResponse>`);
}

export function send(response: ServerResponse, { status, headers, body }: WireAnswer): void {
  response.writeHead(status, headers).end(body);
}

function xmlAnswer(status: number, body: string): WireAnswer {
  return { status, headers: { "content-type": "text/xml" }, body: `<?xml version="1.0"?>${body}` };
}
