import { BowlineError, type Clock } from "@bowline/core";
import type { MessageCall } from "@bowline/protocol";

/** The next message of a call. One that takes too long ends the call, and so does a caller that leaves. */
export async function awaitMessage<Incoming>(
  call: Pick<MessageCall<never, Incoming>, "messages" | "fail">,
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
): Promise<Incoming> {
  const cancel = clock.after(limitMs, () =>
    call.fail(new BowlineError("Timeout", "The agent took too long to say what it wants.")),
  );
  try {
    const next = await call.messages.next();
    if (next.done !== true) return next.value;
    throw new BowlineError("ConnectionFailed", "The agent ended the call before it said what it wants.");
  } finally {
    cancel();
  }
}
