import { AwsError, type AwsErrorFacts } from "./aws-api.ts";
import type { ProcessQuestion, ProcessReply } from "./process-message.ts";
import { SdkApi } from "./sdk-api.ts";

/**
 * The process that has the SDK of AWS. It would take 95 MB of whoever loads it, for good, and is needed for some seconds
 * now and then: it is ended when there is nothing to do.
 */
const api = new SdkApi();

process.on("message", (question: ProcessQuestion) => {
  const { id } = question;
  const reply = (answer: Omit<ProcessReply, "id">): void => void process.send?.({ id, ...answer });
  void answer(question).then(
    (output) => reply({ output }),
    (error: unknown) => reply({ error: factsOf(error) }),
  );
});

// Whoever started it is gone.
process.on("disconnect", () => process.exit());

function answer(question: ProcessQuestion): Promise<unknown> {
  const { target } = question;
  if (question.kind === "token") return api.token(target, question.cluster);
  return api.send(target, question.name, question.input);
}

function factsOf(error: unknown): AwsErrorFacts {
  if (!(error instanceof AwsError)) return { code: "Internal", message: String(error) };
  return { code: error.code, message: error.message, status: error.status };
}
