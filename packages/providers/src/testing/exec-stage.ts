import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { createTempFolder } from "@bowline/test-services";

import { ExecProvider } from "../exec/exec-provider.ts";
import type { Inventory, ProviderStage, ProviderWorld } from "./provider-stage.ts";

const key = "canary-key-7c1e4b";
const othersMark = "of somebody else";

/** A cluster is a network, as many machines as the first argument says, and a door: files with its id in them. */
const program = `#!/bin/sh
IFS= read -r question
field() { printf '%s' "$question" | sed "s/^{\\"protocol\\":1,\\"action\\":\\"\\([a-z]*\\)\\",\\"cluster\\":{\\"id\\":\\"\\([0-9a-f-]*\\)\\".*/\\\\$1/"; }
action=$(field 1) id=$(field 2)
echo "asked to $action with the key $SHOP_KEY" >&2
if [ -e down ]; then echo "the shop does not answer $SHOP_KEY" >&2; exit 1; fi
wanted=network
for n in $(seq "$1"); do wanted="$wanted machine-$n"; done
wanted="$wanted door"
all=$(echo $wanted | wc -w) mine=0 missing=
for thing in $wanted; do
  if [ "$(cat things/$thing 2>/dev/null)" = "$id" ]; then mine=$((mine + 1))
  elif [ -z "$missing" ]; then missing=$thing; fi
done
creating() {
  echo "{\\"state\\":\\"creating\\",\\"step\\":{\\"n\\":$((mine + 1)),\\"of\\":$all,\\"text\\":\\"Making $missing\\"},\\"record\\":{\\"made\\":$1},\\"retryAfterSeconds\\":1}"
}
case $action in
plan) printf '{"message":"%s","step":{"n":1,"of":1,"text":"all","expectSeconds":9}}' "$(echo $wanted | sed 's/ /\\\\n/g')" ;;
observe)
  if [ -z "$missing" ]; then echo '{"state":"ready"}'
  elif [ "$mine" = 0 ]; then echo '{"state":"gone"}'
  else creating "$mine"; fi ;;
next)
  if [ -z "$missing" ]; then echo "{\\"state\\":\\"ready\\",\\"record\\":{\\"made\\":$all}}"
  elif [ -e "things/$missing" ]; then echo "{\\"state\\":\\"blocked\\",\\"message\\":\\"There is a $missing of somebody else.\\"}"
  else printf %s "$id" >"things/$missing"; creating $((mine + 1)); fi ;;
delete)
  for thing in $(ls -r things); do
    if [ "$(cat "things/$thing")" = "$id" ]; then rm "things/$thing"; echo '{"state":"deleting"}'; exit; fi
  done
  echo '{"state":"gone","record":null}' ;;
credentials) printf '{"kubeconfig":"server: https://shop.example\\\\ntoken: door-%s"}' "$SHOP_KEY" ;;
esac
`;

const execSpec = (machines: number): ProviderStage["spec"] => ({
  provider: "exec",
  exec: {
    command: "shop",
    args: [String(machines)],
    env: [{ name: "SHOP_KEY", credential: "shop", key: "key" }],
  },
});

/** The contract on a real program, a script whose clusters are files. */
export const execStage: ProviderStage = {
  spec: execSpec(1),
  changedSpec: execSpec(2),
  credentials: { shop: { key } },
  refusal: "Blocked",
  openWorld,
};

async function openWorld(): Promise<ProviderWorld> {
  const clock = new ManualClock();
  const folder = await createTempFolder("exec-stage");
  const [path, things] = [join(folder.path, "shop"), join(folder.path, "things")];
  await mkdir(things);
  await writeFile(path, program, { mode: 0o755 });
  const marks = async (): Promise<[string, string][]> =>
    Promise.all(
      (await readdir(things)).map(async (name) => [name, await readFile(join(things, name), "utf8")]),
    );
  return {
    clock,
    pass: (ms) => clock.advance(ms),
    provider: () =>
      new ExecProvider({ programs: new Map([["shop", path]]), environment: { PATH: "/usr/bin:/bin" } }),
    inventory: async () => countTypes((await marks()).filter(([, mark]) => mark !== othersMark)),
    complete: ({ exec }) => ({ network: 1, machine: Number(exec?.args?.[0]), door: 1 }),
    putForeign: () => writeFile(join(things, "door"), othersMark),
    foreign: async () => (await marks()).filter(([, mark]) => mark === othersMark),
    takeAway: async () => {
      await rm(things, { recursive: true });
      await mkdir(things);
    },
    breakDown: (isDown) =>
      isDown ? writeFile(join(folder.path, "down"), "") : rm(join(folder.path, "down")),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function countTypes(things: readonly [string, string][]): Inventory {
  const counts: Record<string, number> = {};
  for (const [name] of things) {
    const [type = name] = name.split("-");
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
