import type { BrokerMessage } from "./broker.ts";

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly generation: number;
}

/** The message that an object has work to do; `version` tells it from others about the same object. */
export function messageOf({ kind, name, generation }: Subject, version: string): BrokerMessage {
  const key = `${kind}/${name}`;
  return { kind, key, generation, id: `${key}@${version}` };
}
